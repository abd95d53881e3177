import { constants, copyFile, link, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export const FILE_MODE = 0o600;

/** First bytes of every database file (https://www.sqlite.org/fileformat.html, section 1.3). */
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
/** Offsets of the write and read versions: 2 means a write-ahead log, 1 means none (same section). */
const WRITE_VERSION_AT = 18;
const READ_VERSION_AT = 19;
const WITHOUT_LOG = 1;
/** Length of the header at the start of the first page. */
export const HEADER_BYTES = 100;

/** Error codes of `link` on a file system without hard links. */
export const WITHOUT_LINKS: readonly string[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'];

/** Suffixes of the files that belong to a database by name. */
const SIDE_SUFFIXES = ['-wal', '-shm', '-journal'] as const;

/** Returns the paths of the side files that a database may have. */
export function sideFiles(path: string): string[] {
  return SIDE_SUFFIXES.map((suffix) => `${path}${suffix}`);
}

/** Whether bytes begin as a database file does. */
export function isDatabase(bytes: Uint8Array): boolean {
  return bytes.length >= HEADER_BYTES && MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

/**
 * Marks a complete copy in its header as having no write-ahead log; the first connection that needs a log
 * changes it back. Without the mark, opening the copy would create side files.
 *
 * @param bytes - First page or more; changed in place.
 */
export function markAsSingleFile(bytes: Uint8Array): void {
  bytes[WRITE_VERSION_AT] = WITHOUT_LOG;
  bytes[READ_VERSION_AT] = WITHOUT_LOG;
}

/** Makes the content of a file durable, or the creation, renaming and removal of files in a folder. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a file its final name; fails with EEXIST if another file has it. */
export async function publishNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!WITHOUT_LINKS.includes(code)) throw error;
    await copyFile(temporary, path, constants.COPYFILE_EXCL);
    await syncToDisk(path);
  }
  await unlink(temporary);
  await syncToDisk(dirname(path));
}

/** Gives a file its final name, replacing an existing file. The side files of that one are removed first. */
export async function publishOver(temporary: string, path: string): Promise<void> {
  for (const side of sideFiles(path)) await rm(side, { force: true });
  await rename(temporary, path);
  await syncToDisk(dirname(path));
}

/** Returns the name under which this process writes a file before it gets its final name. */
export function temporaryName(path: string, work: 'backup' | 'restore'): string {
  return `${path}.${work}-${process.pid}`;
}

/** Removes the temporary files of processes that were killed during the same work. */
export async function removeLeftovers(path: string, work: 'backup' | 'restore'): Promise<void> {
  const prefix = `${basename(path)}.${work}-`;
  for (const name of await readdir(dirname(path))) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)$/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(dirname(path), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
