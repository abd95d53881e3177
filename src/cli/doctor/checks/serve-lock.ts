import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LIVE_NODE_MS, type NodeRow } from '../../../storage/nodes.ts';

const HELD = /^\d+: (?:POSIX|OFDLCK)\s+ADVISORY\s+WRITE\s+\d+\s+[0-9a-f]+:[0-9a-f]+:(\d+) /gm;

/**
 * Whether a server runs on a data folder, that is, whether a process holds its lock. Reads the locks from the
 * kernel, since trying to take the lock could keep a server from starting at that moment.
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
