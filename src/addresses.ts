/** Canonical text of client IP addresses, and the networks used for counting. */
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** A parsed address. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Placeholder for the address of a client that disconnected before its address was read. */
export const UNKNOWN_ADDRESS = 'unknown';

const IPV4_BYTES = 4;
const IPV6_BYTES = 16;
const GROUP_BITS = 16;
// RFC 4291 section 2.5.5.1; ipaddr.js mistakes this deprecated form for an IPv4-mapped address.
const IPV4_COMPATIBLE = /^::\d+\./;
const PREFIX = /\/\d+$/;
const ZONE = /%.*$/;

/**
 * Parses IPv4 in four decimal parts, or IPv6; IPv4 in IPv6 form (`::ffff:…`) becomes IPv4.
 *
 * @returns undefined if the text is not an address or has a zone.
 */
export function parseAddress(text: string): IpAddress | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || text.includes('%') || IPV4_COMPATIBLE.test(text)) return undefined;
  try {
    return unmapped(ipaddr.IPv6.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the canonical text of an address: IPv6 as in RFC 5952, IPv4-mapped as IPv4; undefined for other text. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address && textOf(address);
}

// Every request needs the text and the key of its sender's address; senders repeat, and parsing takes microseconds.
const texts = new LRUCache<string, string>({ max: 1024 });
const rateLimitKeys = new LRUCache<string, string>({ max: 1024 });

/**
 * Returns the canonical text of an address of the HTTP library, of 4 or 16 bytes or as text; `unknown` for anything
 * else, such as the empty address of a closed socket.
 */
export function addressText(address: ArrayBuffer | string): string {
  if (typeof address === 'string') return canonicalAddress(address.replace(ZONE, '')) ?? UNKNOWN_ADDRESS;
  return binaryText(address);
}

function binaryText(binary: ArrayBuffer): string {
  const { byteLength } = binary;
  if (byteLength !== IPV4_BYTES && byteLength !== IPV6_BYTES) return UNKNOWN_ADDRESS;
  const bytes = Buffer.from(binary);
  const key = bytes.toString('latin1');
  let text = texts.get(key);
  if (text === undefined) {
    const address = ipaddr.fromByteArray([...bytes]);
    text = textOf(address instanceof ipaddr.IPv6 ? unmapped(address) : address);
    texts.set(key, text);
  }
  return text;
}

/**
 * Returns the key under which an address is counted: IPv4 as a whole, IPv6 by its /64, which belongs to one subscriber.
 */
export function rateLimitKey(address: string): string {
  if (!address.includes(':')) return address;
  let key = rateLimitKeys.get(address);
  if (key === undefined) {
    key = networkOf(address, { ipv4Bits: 32, ipv6Bits: 64 });
    rateLimitKeys.set(address, key);
  }
  return key;
}

/** Prefix lengths of networks; that of IPv6 is a multiple of 16. */
export interface NetworkBits {
  readonly ipv4Bits: number;
  readonly ipv6Bits: number;
}

/**
 * Returns the network of an address, such as `192.0.2.0/24` and `2001:db8:0::/48`.
 *
 * @param address - A canonical address, or an IPv6 prefix that is no shorter than the network; other text, and IPv4 with
 *   32 bits, is its own network.
 */
export function networkOf(address: string, { ipv4Bits, ipv6Bits }: NetworkBits): string {
  const parsed = parseAddress(address.replace(PREFIX, ''));
  if (parsed instanceof ipaddr.IPv6) {
    const groups = parsed.parts.slice(0, ipv6Bits / GROUP_BITS);
    return `${groups.map((group) => group.toString(16)).join(':')}::/${ipv6Bits}`;
  }
  if (parsed === undefined || ipv4Bits === 32) return address;
  return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${ipv4Bits}`)}/${ipv4Bits}`;
}

function unmapped(address: ipaddr.IPv6): IpAddress {
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function textOf(address: IpAddress): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/**
 * Returns the name that identifies the operator of a URL: its host without port; on this machine with port, since each
 * port is a different server.
 */
export function operatorHost(url: URL): string {
  return isLoopbackHost(url.hostname) ? url.host : url.hostname.replace(/^\[|\]$|\.$/g, '');
}

// 10/8, 172.16/12 and 192.168/16 (RFC 1918), 100.64/10 (RFC 6598), fc00::/7 (RFC 4193).
const PRIVATE_RANGES: readonly string[] = ['private', 'carrierGradeNat', 'uniqueLocal'];

/**
 * Whether a host is an address that only its own network can reach: one of a private network, or link-local IPv6. False
 * for a name, which may mean any address.
 */
export function isPrivateAddress(host: string): boolean {
  const address = parseAddress(host);
  if (address === undefined) return false;
  const range = address.range();
  return PRIVATE_RANGES.includes(range) || (range === 'linkLocal' && address.kind() === 'ipv6');
}

const LOCAL_RANGES: readonly string[] = ['loopback', 'linkLocal', 'unspecified'];
// IPv4-compatible addresses (RFC 4291 section 2.5.5.1) and NAT64 addresses (RFC 6052 section 2.1).
const IPV4_IN_IPV6 = ['::/96', '64:ff9b::/96'].map((block) => ipaddr.IPv6.parseCIDR(block));

/**
 * Whether an address is one of this machine or its link: loopback, link-local or unspecified, also as IPv4 in IPv6. A
 * text that is not an address counts as local.
 */
export function isLocalAddress(text: string): boolean {
  const address = parseAddress(text.replace(ZONE, ''));
  if (address === undefined) return true;
  const isIpv4 = address instanceof ipaddr.IPv6 && IPV4_IN_IPV6.some((block) => address.match(block));
  const meant = isIpv4 ? new ipaddr.IPv4(address.toByteArray().slice(-IPV4_BYTES)) : address;
  return LOCAL_RANGES.includes(meant.range());
}

/** Whether the host of a URL is `localhost`, a name below it, or an address of this machine or its link. */
export function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  if (parseAddress(host) !== undefined) return isLocalAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/** Whether the host of a URL is `localhost` or a loopback address: nothing that is sent to it leaves this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  return host === 'localhost' || parseAddress(host)?.range() === 'loopback';
}

/**
 * Ports of other protocols, to which no HTTP client should send anything.
 *
 * @see Fetch Standard, https://fetch.spec.whatwg.org/#port-blocking
 */
export const BLOCKED_PORTS: readonly number[] = [
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
];

/** Returns the port of a URL if it is blocked, so that no call could ever succeed. */
export function blockedPortOf(url: string): number | undefined {
  const port = Number(new URL(url).port);
  return BLOCKED_PORTS.includes(port) ? port : undefined;
}
