/** IP addresses of clients: one spelling each, and the networks that they count for. */
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** A parsed address. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Text in place of the address of a sender who was gone before it was read. */
export const UNKNOWN_ADDRESS = 'unknown';

const IPV4_BYTES = 4;
const IPV6_BYTES = 16;
const GROUP_BITS = 16;
// RFC 4291 section 2.5.5.1; ipaddr.js takes this deprecated form for an IPv4-mapped address, which it is not.
const IPV4_COMPATIBLE = /^::\d+\./;
const PREFIX = /\/\d+$/;

/**
 * Parses IPv4 in four decimal parts, or IPv6; IPv4 in IPv6 form (`::ffff:…`) becomes IPv4.
 *
 * @returns undefined when the text is no address, or one with a zone.
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

/** Returns the one spelling of an address: IPv6 as RFC 5952 writes it, IPv4-mapped as IPv4; undefined for other text. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address && textOf(address);
}

// Every request asks for the text of its sender and for the key of that; senders come again, and parsing takes microseconds.
const texts = new LRUCache<string, string>({ max: 1024 });
const rateLimitKeys = new LRUCache<string, string>({ max: 1024 });

/**
 * Returns the canonical text of an address as uWebSockets.js gives it: 4 or 16 bytes. Anything else (a closed socket
 * gives no bytes) is `unknown`.
 */
export function addressText(binary: ArrayBuffer): string {
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

/** Returns the key under which an address is counted: IPv4 whole, IPv6 by its /64, since a subscriber has all of that. */
export function rateLimitKey(address: string): string {
  if (!address.includes(':')) return address;
  let key = rateLimitKeys.get(address);
  if (key === undefined) {
    key = networkOf(address, { ipv4Bits: 32, ipv6Bits: 64 });
    rateLimitKeys.set(address, key);
  }
  return key;
}

/** Lengths of the prefixes that networks share; that of IPv6 is a multiple of 16. */
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
