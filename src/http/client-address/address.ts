const IPV4_BYTES = 4;
const IPV6_BYTES = 16;
// ::ffff:0:0/96, the IPv4-mapped block of RFC 4291 section 2.5.5.2
const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] as const;

/** Address of a sender that disconnected before it was read. */
export const UNKNOWN_ADDRESS = 'unknown';

/**
 * Text of a client address as uWebSockets.js gives it: 4 or 16 bytes. IPv4-mapped IPv6 becomes IPv4, IPv6 is
 * written as in RFC 5952. Anything else (a closed socket gives no bytes) is `unknown`.
 */
export function addressText(binary: ArrayBuffer): string {
  const bytes = new Uint8Array(binary);
  if (bytes.length === IPV4_BYTES) return bytes.join('.');
  if (bytes.length !== IPV6_BYTES) return UNKNOWN_ADDRESS;
  if (MAPPED_PREFIX.every((value, i) => bytes[i] === value)) return bytes.subarray(12).join('.');
  return groupsText(groupsOf(bytes));
}

/** Key under which an address is counted: IPv4 whole, IPv6 by its /64, since a subscriber has all of that. */
export function rateLimitKey(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  const network = [...before, ...zeros, ...after].slice(0, 4);
  return `${network.join(':')}::/64`;
}

function groupsOf(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: IPV6_BYTES / 2 }, (_, i) => view.getUint16(i * 2));
}

// RFC 5952: lower-case hex without leading zeros, the first longest run of two or more zero groups as `::`.
function groupsText(groups: readonly number[]): string {
  const run = longestZeroRun(groups);
  const text = groups.map((group) => group.toString(16));
  if (run.length < 2) return text.join(':');
  return `${text.slice(0, run.start).join(':')}::${text.slice(run.start + run.length).join(':')}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let i = 0; i <= groups.length; i++) {
    if (groups[i] === 0) continue;
    if (i - start > best.length) best = { start, length: i - start };
    start = i + 1;
  }
  return best;
}
