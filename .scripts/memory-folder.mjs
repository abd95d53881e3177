import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const LEAST_BYTES = 4 * 1024 ** 3;

/**
 * Puts the temporary files of this process and its children into memory, if there is room and programs can run from there:
 * stores make thousands of commits, and each waits for the disk. A given `TMPDIR` prevails.
 *
 * @returns A function that removes the files.
 */
export function keepTemporaryFilesInMemory() {
  if (process.env.TMPDIR !== undefined || !isSuitable()) return () => {};
  const folder = mkdtempSync(`${MEMORY}/proofgate-`);
  // PostgreSQL runs as another user if root runs the tests.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}

function isSuitable() {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, path]) => path === MEMORY);
    const [, , type, options = ''] = mount ?? [];
    const { bavail, bsize } = statfsSync(MEMORY);
    return type === 'tmpfs' && !options.split(',').includes('noexec') && bavail * bsize >= LEAST_BYTES;
  } catch {
    return false;
  }
}
