import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type LoadOptions, loadConfig } from '../../../src/config/sources/load.ts';
import { isServiceError } from '../../../src/errors/service-error.ts';

/** Folder of the running test; every test gets a new one. */
export let folder: string;

/** Registers hooks that create and remove the folder. */
export function useConfigFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proofgate-config-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });
}

/** Writes a file into the folder, a string or bytes unchanged and any other value as JSON. Returns its path. */
export async function put(name: string, content: unknown, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(
    path,
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  );
  await chmod(path, mode);
  return path;
}

/** Loads the configuration of the folder, without the variables of this process. */
export function load(options: LoadOptions = {}): ReturnType<typeof loadConfig> {
  return loadConfig({ env: {}, cwd: folder, ...options });
}

/** Loads an invalid configuration. Returns its faults, one per line of the error. */
export async function faultsOf(options: LoadOptions): Promise<string[]> {
  try {
    await load(options);
  } catch (error) {
    if (!isServiceError(error, 'config.invalid')) {
      throw error;
    }
    const [head, ...faults] = error.message.split('\n');
    expect(head).toBe(`config: ${faults.length} problem${faults.length === 1 ? '' : 's'}`);
    return faults.map((fault) => fault.trim());
  }
  throw new Error('the configuration was accepted');
}
