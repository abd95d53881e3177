import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadAddon } from '../support/crypto-modules.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Answer {
  readonly success: boolean;
  readonly message: string;
  readonly created_at: string;
}

/** Runs what `npm start` runs, with a new data folder on free ports, and pastes the printed curl twice. */
async function firstStart(
  backend: string,
): Promise<{ output: string; answers: Answer[]; code: number | null }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-start-'));
  const child = spawn(process.execPath, ['.scripts/start.mjs'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PROOFGATE_DATA_DIR: dataDir,
      PROOFGATE_SERVER_PORT: '0',
      PROOFGATE_ADMIN_PORT: '0',
      PROOFGATE_ENGINE_BACKEND: backend,
    },
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  try {
    const curl = await new Promise<string>((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output += chunk.toString();
        const found = /^curl .*'\n/m.exec(output)?.[0];
        if (found) resolve(found);
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      void closed.then(() => reject(new Error(`the service ended before it printed a curl:\n${output}`)));
    });
    const answers = [1, 2].map(
      () => JSON.parse(execFileSync('bash', ['-c', curl], { encoding: 'utf8' })) as Answer,
    );
    child.kill('SIGTERM');
    const [code] = await closed;
    return { output, answers, code };
  } finally {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

describe('npm start in an empty folder', () => {
  const subjects = [
    { backend: 'native', isPresent: loadAddon() !== undefined },
    { backend: 'wasm', isPresent: true },
  ];
  for (const { backend, isPresent } of subjects) {
    it.skipIf(!isPresent)(
      `prints a curl that verifies a real proof, then shows its reuse (${backend})`,
      async () => {
        const { output, answers, code } = await firstStart(backend);
        const [first, second] = answers;
        expect(first).toMatchObject({ success: true, message: 'Proof verified successfully' });
        expect(second).toMatchObject({
          success: true,
          message: 'Proof verified successfully (nullifier reuse)',
        });
        expect(second?.created_at).toBe(first?.created_at);
        expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/healthz/);
        expect(output).toContain(`engine runs on ${backend}`);
        expect(code).toBe(0);
      },
      600_000,
    );
  }
});
