import { chownSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServiceError } from '../errors/index.ts';

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
      closeSync(openSync(file, 'wx', FILE_MODE));
      giveToOwnerOf(dirname(file), file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // A symbolic link to a file that is not there yet.
      if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', FILE_MODE));
    }
  });
}

/** What root creates belongs to the owner of the folder, who is the one that runs the service. */
function giveToOwnerOf(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid !== 0) chownSync(file, uid, gid);
}

function attempt(what: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError('store.unreachable', `cannot ${what}: ${reason}`, {}, { cause });
  }
}
