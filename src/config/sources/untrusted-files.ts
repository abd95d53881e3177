import { lstat, readlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isObject } from '../../json.ts';
import { SETTINGS } from '../settings/schema.ts';
import { envName } from '../settings/setting.ts';
import type { Fault } from './faults.ts';

/** Setting that accepts untrusted files; read from the environment and from flags only. */
export const ALLOW_UNTRUSTED = 'allowUntrustedFiles';

const GROUP_MAY_WRITE = 0o020;
const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;
/** Limit of Linux (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * Returns the reason why a command that runs as root does not trust a file; undefined if only root can write the file,
 * all folders above it, and all links to it with the folders above them.
 *
 * @param path - Absolute.
 * @throws Error of the system, such as ENOENT
 */
export async function untrustedFile(path: string): Promise<Fault | undefined> {
  return await firstFault(path, foldersAbove);
}

/** Like `untrustedFile` for a folder, without a check of the folders above it. */
export async function untrustedFolder(path: string): Promise<Fault | undefined> {
  return await firstFault(path, () => []);
}

/** Returns the faults of existing files and folders; missing ones are reported by their readers. */
export async function untrustedFaults(
  files: readonly string[],
  folders: readonly string[],
): Promise<Fault[]> {
  const checks = [...new Set(files)].map(untrustedFile);
  checks.push(...[...new Set(folders)].map(untrustedFolder));
  const outcomes = await Promise.allSettled(checks);
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value ?? [];
    if (!(outcome.reason instanceof Error && 'code' in outcome.reason)) throw outcome.reason;
    return [];
  });
}

/**
 * Returns the paths of all secret files of the settings.
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
  const hops = await hopsOf(path);
  for (const place of new Set([...hops, ...hops.flatMap(foldersOf)])) {
    const writer = await otherWriter(place, !hops.includes(place));
    if (writer === undefined) continue;
    const cure = `run the command as the user of the service, let only root write it, or accept it with --${ALLOW_UNTRUSTED} true (${envName(ALLOW_UNTRUSTED)}=true)`;
    const what = place === path ? 'it' : place;
    return `${path}: not trusted by root, because ${writer} can write ${what}; ${cure}`;
  }
  return undefined;
}

/** Returns a path and its successive forms as symbolic links are resolved, the first link of the path at each step. */
async function hopsOf(path: string): Promise<string[]> {
  const hops = [path];
  for (let current = path; ; hops.push(current)) {
    const link = await firstLink(current);
    if (link === undefined) return hops;
    if (hops.length > MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
    current = `${resolve(dirname(link), await readlink(link))}${current.slice(link.length)}`;
  }
}

async function firstLink(path: string): Promise<string | undefined> {
  for (const place of [...foldersAbove(path).reverse(), path]) {
    if ((await lstat(place)).isSymbolicLink()) return place;
  }
  return undefined;
}

/** Returns the non-root user or group that can write a file or folder, or replace entries in a folder above it. */
async function otherWriter(place: string, isAbove: boolean): Promise<string | undefined> {
  const stats = await lstat(place);
  if (stats.uid !== 0) return `user ${stats.uid}`;
  // A link has no mode of its own. In a sticky folder only the owner can replace a file.
  if (stats.isSymbolicLink() || (isAbove && (stats.mode & STICKY) !== 0)) return undefined;
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0) return 'every user';
  return (stats.mode & GROUP_MAY_WRITE) === 0 ? undefined : `group ${stats.gid}`;
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}
