import { readdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Profile } from '../../../config/settings/setting.ts';
import { dataDirMode } from '../../../config/sources/load.ts';
import { LIVE_NODE_MS, type NodeRow } from '../../../storage/nodes.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

const OTHERS_MAY_WRITE = 0o002;
const BEYOND_OWNER = 0o077;

function octal(mode: number): string {
  return `0${(mode & 0o777).toString(8)}`;
}

async function openFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  const modes = await Promise.all(files.map((name) => modeOf(join(folder, name))));
  return files.filter((_, index) => ((modes[index] ?? 0) & BEYOND_OWNER) !== 0);
}

/** Mode of a file; undefined if it was removed: the database removes its side files when a connection ends. */
async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Checks the modes of the data folder and its files: 0700 and 0600, since they may hold keys. */
export async function checkDataFolder(folder: string, profile: Profile): Promise<CheckResult> {
  const mode = await dataDirMode(folder);
  if (mode === undefined) {
    return ok('data folder', `${folder} is made at the first start`);
  }
  const detail = `${folder} has mode ${octal(mode)}`;
  const cure = `chmod 0700 ${folder}`;
  if ((mode & OTHERS_MAY_WRITE) !== 0) {
    const result = `${detail}: other users may write to it`;
    return profile === 'production' ? fail('data folder', result, cure) : warn('data folder', result, cure);
  }
  if ((mode & BEYOND_OWNER) !== 0) {
    return warn('data folder', `${detail}: users other than its owner may use it`, cure);
  }
  const exposed = await openFiles(folder);
  if (exposed.length > 0) {
    return warn(
      'data folder',
      `${detail}; users other than the owner may use ${exposed.join(', ')}`,
      `chmod 0600 ${folder}/*`,
    );
  }
  return ok('data folder', detail);
}

const HELD = /^\d+: (?:POSIX|OFDLCK)\s+ADVISORY\s+WRITE\s+\d+\s+[0-9a-f]+:[0-9a-f]+:(\d+) /gm;

/**
 * Whether a server runs on a data folder, that is, whether a process holds its lock. Reads the locks from the kernel,
 * since an attempt to take the lock could prevent a server from starting at that moment.
 *
 * @returns Undefined if the locks cannot be read.
 */
export async function isServed(dataDir: string): Promise<boolean | undefined> {
  try {
    const file = await stat(join(dataDir, 'serve.lock')).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return false;
    const locks = await readFile('/proc/locks', 'utf8');
    return [...locks.matchAll(HELD)].some(([, inode]) => Number(inode) === file.ino);
  } catch {
    return undefined;
  }
}

/** Whether one of the nodes that share a store, which lock no data folder, runs on this machine. */
export function isNodeHere(nodes: readonly NodeRow[], now: number): boolean {
  return nodes.some(
    ({ nodeId, seenAt }) => nodeId.replace(/-[0-9a-f]{8}$/, '') === hostname() && now - seenAt < LIVE_NODE_MS,
  );
}
