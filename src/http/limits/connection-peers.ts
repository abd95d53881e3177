import { readFile } from 'node:fs/promises';
import { addressText, rateLimitKey } from '../../addresses.ts';

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'] as const;
/**
 * Socket states in which a process holds a descriptor: ESTABLISHED and CLOSE_WAIT (Linux
 * include/net/tcp_states.h).
 */
const HELD_STATES: ReadonlySet<string> = new Set(['01', '08']);
const ROW = /^ *\d+: ([0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4}) ([0-9A-F]{2}) /gm;
const WORD_BYTES = 4;

/**
 * Counts the connections of a listener by client address. uWebSockets.js reports that a connection closed but
 * not which one, so the numbers come from the kernel.
 *
 * @param isCounted - Whether connections from an address count.
 * @returns Number of connections by rate limit key; empty on systems without these kernel tables.
 */
export async function countPeers(
  port: number,
  isCounted: (address: string) => boolean,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of TABLES) {
    const rows = await readFile(table, 'latin1').catch(() => '');
    for (const peer of peersOf(rows, port)) {
      if (!isCounted(peer)) continue;
      const key = rateLimitKey(peer);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Yields the client addresses of a port's connections, read from a kernel table. The kernel prints its table in parts, so that
 * it can list a connection twice while others come and go.
 */
export function* peersOf(table: string, port: number): Generator<string> {
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  const seen = new Set<string>();
  for (const [, connection = '', rowPort, peer = '', state = ''] of table.matchAll(ROW)) {
    if (rowPort !== local || !HELD_STATES.has(state) || seen.has(connection)) continue;
    seen.add(connection);
    yield addressText(addressBytes(peer));
  }
}

/**
 * The kernel prints an address as 32-bit words in host byte order, which is little-endian on supported
 * platforms.
 */
function addressBytes(hex: string): ArrayBuffer {
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
  for (let start = 0; start < bytes.length; start += WORD_BYTES) {
    bytes.subarray(start, start + WORD_BYTES).reverse();
  }
  return bytes.buffer;
}
