/** Changes of bytes that know where words, points and counts are. */
import { be32, P, R } from '../crypto/bn254.ts';
import type { Random } from './random.ts';

const BYTES = [0, 1, 2, 3, 0x30, 0x3f, 0x40, 0x41, 0x5b, 0x7b, 0x7f, 0x80, 0xbf, 0xc0, 0xfe, 0xff];
const COUNTS = [0, 1, 2, 3, 4, 5, 1023, 1024, 1025, 1026, 2 ** 16, 2 ** 31, 2 ** 32 - 1];
const WORDS = [
  0n,
  1n,
  2n,
  P - 1n,
  P,
  P + 1n,
  2n * P,
  R - 1n,
  R,
  (P - 1n) / 2n,
  1n << 255n,
  (1n << 256n) - 1n,
].map(be32);
/** Where counts are in the binary forms of keys, proofs and signals. */
const COUNT_PLACES = [0, 4, 8, 128, 224, 256, 288, 448, 576];
/** Lengths of forms, and some next to them. */
const LENGTHS = [
  0, 1, 2, 4, 8, 12, 31, 32, 33, 64, 96, 104, 108, 127, 128, 129, 160, 164, 196, 255, 256, 257, 260, 264, 292,
  320, 324, 328, 356, 388, 448, 480, 512, 520, 576, 584, 640, 648, 652, 704, 768, 776, 780, 788, 840, 844,
  852, 1024,
];

const one = (bytes: Uint8Array, random: Random): number => random.below(Math.max(1, bytes.length));

type Change = (bytes: Uint8Array, random: Random, seeds: readonly Uint8Array[]) => Uint8Array;

const CHANGES: readonly Change[] = [
  (bytes, random) => {
    for (let flips = 1 + random.below(3); flips > 0; flips--) {
      const at = one(bytes, random);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    }
    return bytes;
  },
  (bytes, random) => {
    bytes[one(bytes, random)] = random.pick(BYTES);
    return bytes;
  },
  // The byte of the flags of a word.
  (bytes, random) => {
    const at = 32 * random.below(1 + (bytes.length >> 5)) + random.pick([0, 31, 3, 7, 8]);
    if (at < bytes.length) bytes[at] = random.oneIn(2) ? random.pick(BYTES) : (bytes[at] ?? 0) ^ 0xc0;
    return bytes;
  },
  (bytes, random) => bytes.slice(0, bytes.length - 1 - random.below(random.pick([1, 4, 8, 32, 64, 512]))),
  (bytes, random) => {
    const longer = new Uint8Array(bytes.length + 1 + random.below(random.pick([1, 4, 8, 32, 64, 512])));
    longer.set(bytes);
    if (random.oneIn(2)) longer.fill(random.pick(BYTES), bytes.length);
    return longer;
  },
  (bytes, random, seeds) => {
    const other = random.pick(seeds);
    const size = random.pick([1, 4, 8, 32, 64, 128, 256]);
    const step = random.pick([1, 4, 32]);
    const from = step * random.below(1 + Math.floor(other.length / step));
    const to = step * random.below(1 + Math.floor(bytes.length / step));
    const part = other.subarray(from, from + Math.min(size, Math.max(0, bytes.length - to)));
    bytes.set(part, Math.min(to, bytes.length - part.length));
    return bytes;
  },
  // Two words or points change places.
  (bytes, random) => {
    const size = random.pick([32, 64, 128]);
    const places = Math.floor(bytes.length / size);
    if (places < 2) return bytes;
    const [first, second] = [size * random.below(places), size * random.below(places)];
    const kept = bytes.slice(first, first + size);
    bytes.copyWithin(first, second, second + size);
    bytes.set(kept, second);
    return bytes;
  },
  (bytes, random) => {
    const at = random.pick(COUNT_PLACES);
    const word = be32(BigInt(random.pick(COUNTS)));
    const size = random.pick([4, 8]);
    if (at + size > bytes.length) return bytes;
    bytes.set(random.oneIn(2) ? word.slice(-size) : word.reverse().slice(0, size), at);
    return bytes;
  },
  (bytes, random) => {
    const word = random.pick(WORDS);
    const at = 32 * random.below(1 + (bytes.length >> 5)) + random.pick([0, 0, 0, 4, 8]);
    if (at + 32 <= bytes.length) bytes.set(random.oneIn(2) ? word : word.slice().reverse(), at);
    return bytes;
  },
  (bytes, random) => {
    const at = 32 * random.below(1 + (bytes.length >> 5));
    bytes.subarray(at, at + random.pick([32, 64])).reverse();
    return bytes;
  },
  (bytes, random) => {
    const at = one(bytes, random);
    bytes.fill(0, at, at + random.pick([1, 32, 64, 128]));
    return bytes;
  },
  (_bytes, random) => randomBytes(random.pick(LENGTHS), random),
  // A whole part goes, or comes twice.
  (bytes, random) => {
    const size = random.pick([1, 4, 32, 64, 128]);
    const at = one(bytes, random);
    const parts = random.oneIn(2)
      ? [bytes.subarray(0, at), bytes.subarray(at + size)]
      : [bytes.subarray(0, at + size), bytes.subarray(at)];
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      joined.set(part, offset);
      offset += part.length;
    }
    return joined;
  },
];

function randomBytes(length: number, random: Random): Uint8Array {
  const bytes = new Uint8Array(length);
  const mask = random.pick([0xff, 0xff, 0x3f, 0x1f]);
  for (let at = 0; at < length; at++) bytes[at] = random.below(256) & mask;
  return bytes;
}

/** Returns changed bytes; rarely the seed itself. */
export function mutatedBytes(seed: Uint8Array, random: Random, seeds: readonly Uint8Array[]): Uint8Array {
  let bytes: Uint8Array = seed.slice();
  for (let changes = random.oneIn(50) ? 0 : 1; changes > 0; changes -= random.oneIn(3) ? 0 : 1)
    bytes = random.pick(CHANGES)(bytes, random, seeds);
  return bytes;
}
