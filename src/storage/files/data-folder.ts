import { closeSync, fchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import { messageOf } from '../../text.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Creates the folder and its parents where they are missing, readable by their owner only. A folder that exists
 * keeps its mode.
 *
 * @throws ServiceError `store.unreachable`
 */
export function ensureFolder(folder: string): void {
  attempt(`create the folder ${folder}`, () => mkdirSync(folder, { recursive: true, mode: FOLDER_MODE }));
}

/**
 * Creates an empty file with mode 0600 where there is none; the side files of a database take its mode. A file
 * that exists is not opened at all: closing a descriptor of it would drop the locks that this process holds on it.
 *
 * @throws ServiceError `store.unreachable`
 */
export function ensurePrivateFile(file: string): void {
  attempt(`create the file ${file}`, () => {
    try {
      createPrivately(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // A symbolic link to a file that is not there yet.
      if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', FILE_MODE));
    }
  });
}

function createPrivately(file: string): void {
  const descriptor = openSync(file, 'wx', FILE_MODE);
  try {
    const owner = ownerForRoot(dirname(file));
    // By the descriptor: the name may lead elsewhere meanwhile, in a folder that is not root's.
    if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns to whom a file has to belong that root creates beside others: to their owner, who is the one that runs the
 * service. Undefined for any other user, and where root itself runs it.
 *
 * @param path - The folder, or a file that the new one replaces.
 */
export function ownerForRoot(path: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(path);
  return uid === 0 ? undefined : { uid, gid };
}

function attempt(what: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    const reason = messageOf(cause);
    throw new ServiceError('store.unreachable', `cannot ${what}: ${reason}`, {}, { cause });
  }
}
