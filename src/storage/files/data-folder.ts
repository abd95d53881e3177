import { closeSync, fchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Creates the folder and its parents if they are missing, readable by their owner only. An existing folder
 * keeps its mode.
 *
 * @throws ServiceError `store.unreachable`
 */
export function ensureFolder(folder: string): void {
  attempt(`create the folder ${folder}`, () => mkdirSync(folder, { recursive: true, mode: FOLDER_MODE }));
}

/**
 * Creates an empty file with mode 0600 if there is none; the side files of a database take its mode. An existing file
 * is not opened at all: closing a descriptor of it would release the locks of this process on it.
 *
 * @throws ServiceError `store.unreachable`
 */
export function ensurePrivateFile(file: string): void {
  attempt(`create the file ${file}`, () => {
    try {
      createPrivately(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // A symbolic link to a file that does not exist yet.
      if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', FILE_MODE));
    }
  });
}

function createPrivately(file: string): void {
  const descriptor = openSync(file, 'wx', FILE_MODE);
  try {
    const owner = ownerForRoot(dirname(file));
    // Through the descriptor: in a folder of another user, the name may refer to another file by now.
    if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns the owner for a file that root creates next to existing files: their owner, who is the user that
 * runs the service. Undefined if this process does not run as root, or if root owns the files.
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
