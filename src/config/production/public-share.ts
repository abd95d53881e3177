import { ADDRESS_BITS, type AddressBlock, parseAddressBlock } from '../values/address-block.ts';

type Family = keyof typeof ADDRESS_BITS;

/** First and last address of a block, as numbers. */
interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** The public addresses of one family, and the assumed maximum for the proxies of one operator. */
interface Space {
  readonly bits: number;
  readonly public: readonly Range[];
  /** Prefix length of the largest block that one operator is assumed to own. */
  readonly mostPrefixBits: number;
}

/** Addresses that are not public (RFC 6890 and its registries of special-purpose addresses). */
const NOT_PUBLIC_IPV4: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

const SPACES: Readonly<Record<Family, Space>> = {
  // The largest allocations to one organisation are /8.
  ipv4: { bits: ADDRESS_BITS.ipv4, public: publicIpv4(), mostPrefixBits: 8 },
  // 2000::/3 (RFC 4291 section 2.4). Networks of whole continents are /12, those of large providers /19 and smaller.
  ipv6: {
    bits: ADDRESS_BITS.ipv6,
    public: rangesOf(['2000::/3']),
    mostPrefixBits: 16,
  },
};

/** Share of the public addresses of a family, too large for the proxies of one operator. */
export interface ExcessiveShare {
  readonly family: Family;
  /** Between 0 and 1. */
  readonly share: number;
  readonly mostPrefixBits: number;
}

/**
 * Returns the families in which the blocks cover more public addresses than the proxies of one operator can have.
 * Blocks are merged first, to detect an address space split into several blocks. Private addresses do not count.
 */
export function excessiveShares(blocks: readonly AddressBlock[]): ExcessiveShare[] {
  return (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const { bits, public: space, mostPrefixBits } = SPACES[family];
    const merged = mergeRanges(blocks.filter(({ address }) => address.kind() === family).map(rangeOf));
    const held = merged.reduce((sum, range) => sum + heldOf(range, space), 0n);
    if (held <= 1n << BigInt(bits - mostPrefixBits)) return [];
    const all = space.reduce((sum, range) => sum + sizeOf(range), 0n);
    return [{ family, share: Number((held * 10_000n) / all) / 10_000, mostPrefixBits }];
  });
}

function publicIpv4(): Range[] {
  const gaps: Range[] = [];
  let next = 0n;
  for (const { first, last } of rangesOf(NOT_PUBLIC_IPV4)) {
    if (first > next) gaps.push({ first: next, last: first - 1n });
    next = last + 1n;
  }
  return gaps;
}

function rangesOf(blocks: readonly string[]): Range[] {
  return blocks.flatMap((text) => {
    const block = parseAddressBlock(text);
    return block === undefined ? [] : [rangeOf(block)];
  });
}

function rangeOf({ address, prefixBits }: AddressBlock): Range {
  const size = 1n << BigInt(ADDRESS_BITS[address.kind()] - prefixBits);
  const number = BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`);
  const first = (number / size) * size;
  return { first, last: first + size - 1n };
}

function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: { first: bigint; last: bigint }[] = [];
  for (const { first, last } of ranges.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
    const open = merged.at(-1);
    if (open === undefined || first > open.last + 1n) merged.push({ first, last });
    else if (last > open.last) open.last = last;
  }
  return merged;
}

function heldOf(range: Range, space: readonly Range[]): bigint {
  return space.reduce((sum, { first, last }) => {
    if (range.last < first || range.first > last) return sum;
    const before = range.first > first ? range.first - first : 0n;
    const after = last > range.last ? last - range.last : 0n;
    return sum + sizeOf({ first, last }) - before - after;
  }, 0n);
}

function sizeOf({ first, last }: Range): bigint {
  return last - first + 1n;
}
