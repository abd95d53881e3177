import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from '../../json.ts';
import { SETTINGS } from '../settings/schema.ts';
import { envName } from '../settings/setting.ts';
import type { Fault } from './faults.ts';

/** Setting that accepts untrusted files; read from the environment and from flags only. */
export const ALLOW_UNTRUSTED = 'allowUntrustedFiles';

const GROUP_MAY_WRITE = 0o020;
const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * Returns why a command that runs as root does not trust a file, or undefined if only root can write it and every folder
 * above it, on the path as it is written and on the one that symbolic links lead to. A path that does not exist is trusted.
 *
 * @param path - Absolute.
 */
export async function untrustedFile(path: string): Promise<Fault | undefined> {
  return await firstFault(path, (place) => foldersAbove(place));
}

/** Returns why a command that runs as root does not trust a folder, whatever is above it; `path` is absolute. */
export async function untrustedFolder(path: string): Promise<Fault | undefined> {
  return await firstFault(path, () => []);
}

/**
 * Returns the paths of all files that hold a secret for the settings.
 *
 * @param variables - Variables of each source.
 * @param lists - Values of `apps.list` and `roots.sources`.
 */
export function secretFilesOf(
  variables: readonly Readonly<Record<string, string | undefined>>[],
  lists: readonly unknown[],
): string[] {
  const names = SETTINGS.filter(({ isSecret }) => isSecret).map(({ key }) => `${envName(key)}_FILE`);
  const entries = lists.flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  return [
    ...variables.flatMap((source) => names.map((name) => source[name])),
    ...entries.flatMap((entry) => (isObject(entry) ? [entry.client_secret_file, entry.tokenFile] : [])),
  ].filter((path): path is string => typeof path === 'string' && path !== '');
}

async function firstFault(
  path: string,
  foldersOf: (path: string) => readonly string[],
): Promise<Fault | undefined> {
  try {
    const target = await realpath(path);
    for (const place of new Set([path, target, ...foldersOf(path), ...foldersOf(target)])) {
      const writer = await otherWriter(place, place !== path && place !== target);
      if (writer === undefined) continue;
      const cure = `run the command as the user of the service, let only root write it, or accept it with --${ALLOW_UNTRUSTED} true (${envName(ALLOW_UNTRUSTED)}=true)`;
      const what = place === path ? 'it' : place;
      return `${path}: not trusted by root, because ${writer} can write ${what}; ${cure}`;
    }
  } catch (error) {
    // Whoever reads the file reports that it is missing.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  return undefined;
}

/** Returns who besides root can write a file or folder, or replace what is below a folder above it. */
async function otherWriter(place: string, isAbove: boolean): Promise<string | undefined> {
  const stats = await lstat(place);
  if (stats.uid !== 0) return `user ${stats.uid}`;
  // A link has no mode of its own. In a sticky folder only the owner of a file replaces it.
  if (stats.isSymbolicLink() || (isAbove && (stats.mode & STICKY) !== 0)) return undefined;
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0) return 'every user';
  return (stats.mode & GROUP_MAY_WRITE) === 0 ? undefined : `group ${stats.gid}`;
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}
