import type { AddressBlock } from '../values/address-block.ts';

type Family = AddressBlock['family'];

/** First and last address of a block, as numbers. */
interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** The public addresses of one family, and how many of them proxies may reasonably have. */
interface Space {
  readonly bits: number;
  readonly public: readonly Range[];
  /** Prefix length of the largest block that one operator is taken to own. */
  readonly mostPrefixBits: number;
}

/** Addresses that are not public (RFC 6890 and the registries of special-purpose addresses that it set up). */
const NOT_PUBLIC_IPV4: readonly (readonly [address: string, prefixBits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

const BITS = { ipv4: 32, ipv6: 128 } as const;

const SPACES: Readonly<Record<Family, Space>> = {
  // The largest allocations to one organisation are /8.
  ipv4: { bits: BITS.ipv4, public: publicIpv4(), mostPrefixBits: 8 },
  // 2000::/3 (RFC 4291 section 2.4). Networks of whole continents are /12, those of the largest providers /19 and less.
  ipv6: {
    bits: BITS.ipv6,
    public: [rangeOf({ address: '2000::', prefixBits: 3, family: 'ipv6' })],
    mostPrefixBits: 16,
  },
};

/** What blocks of addresses hold of the public ones of a family, where that is too much for anybody's proxies. */
export interface ExcessiveShare {
  readonly family: Family;
  /** Between 0 and 1. */
  readonly share: number;
  readonly mostPrefixBits: number;
}

/**
 * Tells whether blocks hold more of the public addresses than one operator's proxies can have. They are merged first, so
 * that neither two halves of everybody nor many smaller blocks pass. Private addresses do not count.
 */
export function excessiveShares(blocks: readonly AddressBlock[]): ExcessiveShare[] {
  return (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const { bits, public: space, mostPrefixBits } = SPACES[family];
    const merged = mergeRanges(blocks.filter((block) => block.family === family).map(rangeOf));
    const held = merged.reduce((sum, range) => sum + heldOf(range, space), 0n);
    if (held <= 1n << BigInt(bits - mostPrefixBits)) return [];
    const all = space.reduce((sum, range) => sum + sizeOf(range), 0n);
    return [{ family, share: Number((held * 10_000n) / all) / 10_000, mostPrefixBits }];
  });
}

function publicIpv4(): Range[] {
  const gaps: Range[] = [];
  let next = 0n;
  for (const [address, prefixBits] of NOT_PUBLIC_IPV4) {
    const { first, last } = rangeOf({ address, prefixBits, family: 'ipv4' });
    if (first > next) gaps.push({ first: next, last: first - 1n });
    next = last + 1n;
  }
  return gaps;
}

function rangeOf({ address, prefixBits, family }: AddressBlock): Range {
  const size = 1n << BigInt(BITS[family] - prefixBits);
  const first = (numberOf(address, family) / size) * size;
  return { first, last: first + size - 1n };
}

/** The number of a valid address. */
function numberOf(address: string, family: Family): bigint {
  if (family === 'ipv4') return digitsOf(address.split('.').map(BigInt), 8n);
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [before = [], after = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return digitsOf(
    [...before, ...zeros, ...after].map((group) => BigInt(`0x${group}`)),
    16n,
  );
}

function digitsOf(digits: readonly bigint[], bits: bigint): bigint {
  return digits.reduce((sum, digit) => (sum << bits) | digit, 0n);
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
