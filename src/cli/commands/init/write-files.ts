import { chmodSync, lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../../errors/service-error.ts';
import { messageOf } from '../../../text.ts';
import { CONFIG_NAME, type InitFile, SECRETS_FOLDER } from './production-files.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS_MAY_WRITE = 0o022;

/**
 * Writes the files of a configuration, readable by their owner only, into a folder that is created if it is
 * missing. Overwrites no existing file and follows no link. If one file cannot be written, removes all.
 *
 * @throws ServiceError `init.refused`
 */
export function writeFiles(folder: string, files: readonly InitFile[]): void {
  checkFolder(folder);
  const secrets = join(folder, SECRETS_FOLDER);
  attempt(`make the folder ${folder}`, () => mkdirSync(folder, { recursive: true, mode: FOLDER_MODE }));
  attempt(`make the folder ${secrets}`, () => mkdirSync(secrets, { mode: FOLDER_MODE }));
  try {
    for (const { path, content } of files) {
      const file = join(folder, path);
      attempt(`write ${file}`, () => {
        writeFileSync(file, content, { flag: 'wx', mode: FILE_MODE, flush: true });
        chmodSync(file, FILE_MODE);
      });
    }
  } catch (error) {
    // Also removes a file that was written in part.
    rmSync(join(folder, CONFIG_NAME), { force: true });
    rmSync(secrets, { recursive: true, force: true });
    throw error;
  }
}

function checkFolder(folder: string): void {
  const taken = [CONFIG_NAME, SECRETS_FOLDER].filter((name) => isThere(join(folder, name)));
  if (taken.length > 0) {
    throw new ServiceError(
      'init.refused',
      `${folder} already has ${taken.join(' and ')}; nothing was written`,
    );
  }
  if (!isThere(folder)) return;
  const stats = attempt(`examine ${folder}`, () => statSync(folder));
  if (!stats.isDirectory()) throw new ServiceError('init.refused', `${folder} is not a folder`);
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0) {
    const mode = (stats.mode & 0o7777).toString(8);
    throw new ServiceError(
      'init.refused',
      `${folder} has mode 0${mode}, so others may replace what is in it; nothing was written`,
    );
  }
}

function isThere(path: string): boolean {
  return attempt(`examine ${path}`, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
}

function attempt<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const reason = messageOf(cause);
    throw new ServiceError('init.refused', `cannot ${what}: ${reason}`, {}, { cause });
  }
}
