import { BlockList, isIP, SocketAddress } from 'node:net';

/** A block of IP addresses. */
export interface AddressBlock {
  readonly address: string;
  /** Leading bits that all addresses of the block share. */
  readonly prefixBits: number;
  readonly family: 'ipv4' | 'ipv6';
}

const MAPPED = /^::ffff:(\d+(?:\.\d+){3})$/;
const BITS = { ipv4: 32, ipv6: 128 } as const;

/**
 * The one spelling of an IP address: IPv6 as RFC 5952 writes it, and IPv4 in IPv6 form as IPv4.
 *
 * @returns undefined when the text is no address, or one with a zone.
 */
export function canonicalAddress(text: string): string | undefined {
  const family = familyOf(text);
  if (family !== 'ipv6') return family === undefined ? undefined : text;
  const { address } = new SocketAddress({ address: text, family });
  return MAPPED.exec(address)?.[1] ?? address;
}

function familyOf(address: string): AddressBlock['family'] | undefined {
  if (address.includes('%')) return undefined;
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}

/**
 * Reads an IP address or a CIDR block; bits after the prefix do not count. IPv4 in IPv6 form (`::ffff:…`) is refused:
 * clients are known by their IPv4 address, so that such a block would hold nobody.
 *
 * @returns undefined when the text is none.
 */
export function parseAddressBlock(text: string): AddressBlock | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = familyOf(address);
  const isMapped = family === 'ipv6' && !canonicalAddress(address)?.includes(':');
  if (family === undefined || rest.length > 0 || isMapped) return undefined;
  if (prefix === undefined) return { address, prefixBits: BITS[family], family };
  const prefixBits = Number(prefix);
  const isPrefix = /^(0|[1-9]\d{0,2})$/.test(prefix) && prefixBits <= BITS[family];
  return isPrefix ? { address, prefixBits, family } : undefined;
}

/**
 * Returns a predicate that tells whether an address is in one of some blocks; text that is no address is in none. Each
 * family has a list of its own: a `BlockList` takes every IPv4 address for one of `::ffff:0:0/96`, so that a short IPv6
 * prefix such as `::/64` would hold all of IPv4.
 *
 * @param blocks - Texts that `parseAddressBlock` reads; others are left out.
 */
export function addressFilter(blocks: readonly string[]): (address: string) => boolean {
  const parsed = blocks.map(parseAddressBlock).filter((block) => block !== undefined);
  if (parsed.length === 0) return () => false;
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address, prefixBits, family } of parsed) lists[family].addSubnet(address, prefixBits, family);
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && lists[family].check(address, family);
  };
}
