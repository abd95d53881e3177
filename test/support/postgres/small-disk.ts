import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own that can be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all space that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  /** Ends the file system; no process may use it. */
  unmount(): void;
}

const MANY_BYTES = 1_048_576;
const FEW_BYTES = 512;

/** Mounts a file system in memory. Only root may, and not in every container. */
export function mountSmallDisk(sizeMb: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-disk-'));
  const filler = join(folder, 'filler');
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', folder);
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  chmodSync(folder, 0o777);
  return {
    folder,
    fill() {
      const file = openSync(filler, 'w');
      for (const size of [MANY_BYTES, FEW_BYTES]) writeUntilFull(file, size);
      closeSync(file);
    },
    free() {
      rmSync(filler, { force: true });
    },
    unmount() {
      run('umount', folder);
      rmdirSync(folder);
    },
  };
}

/** Whether `mountSmallDisk` is possible here. */
export const isDiskMountable: boolean = (() => {
  try {
    mountSmallDisk(1).unmount();
    return true;
  } catch {
    return false;
  }
})();

function writeUntilFull(file: number, size: number): void {
  const chunk = Buffer.alloc(size);
  try {
    while (writeSync(file, chunk) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}
