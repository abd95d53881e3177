import { LRUCache } from 'lru-cache';
import { type IpAddress, parseAddress } from '../../addresses.ts';

/** A block of IP addresses. */
export interface AddressBlock {
  readonly address: IpAddress;
  /** Number of leading bits that all addresses of the block share. */
  readonly prefixBits: number;
}

/** Length in bits of the addresses of each family. */
export const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;

const PREFIX = /^(0|[1-9]\d{0,2})$/;

/**
 * Parses an IP address or a CIDR block; bits after the prefix are ignored. IPv4 in IPv6 form (`::ffff:…`) is refused:
 * clients are identified by their IPv4 address, so such a block would match no client.
 *
 * @returns undefined for any other text.
 */
export function parseAddressBlock(text: string): AddressBlock | undefined {
  const [written = '', prefix, ...rest] = text.split('/');
  const address = parseAddress(written);
  const isMapped = address?.kind() === 'ipv4' && written.includes(':');
  if (address === undefined || rest.length > 0 || isMapped) return undefined;
  const bits = ADDRESS_BITS[address.kind()];
  if (prefix === undefined) return { address, prefixBits: bits };
  const prefixBits = Number(prefix);
  return PREFIX.test(prefix) && prefixBits <= bits ? { address, prefixBits } : undefined;
}

/**
 * Returns a predicate for addresses that are in one of the blocks. Text that is not an address is in no block, and IPv4
 * addresses are in no IPv6 block.
 *
 * @param blocks - Texts that `parseAddressBlock` accepts; others are ignored.
 */
export function addressFilter(blocks: readonly string[]): (address: string) => boolean {
  const parsed = blocks.map(parseAddressBlock).filter((block) => block !== undefined);
  if (parsed.length === 0) return () => false;
  const isInside = (text: string): boolean => {
    const address = parseAddress(text);
    if (address === undefined) return false;
    return parsed.some(
      (block) => block.address.kind() === address.kind() && address.match(block.address, block.prefixBits),
    );
  };
  // The same few proxies send every request, and parsing takes microseconds.
  const known = new LRUCache<string, boolean>({ max: 1024 });
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined) {
      answer = isInside(text);
      known.set(text, answer);
    }
    return answer;
  };
}
