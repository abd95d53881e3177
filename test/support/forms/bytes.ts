/**
 * Writers of the binary forms of points, independent of the readers: gnark (gnark-crypto, ecc/bn254/marshal.go), arkworks
 * (ark-ec/src/models/short_weierstrass/mod.rs) and the engine (src/docs/spec/verification.md#encodings).
 */
import { be32, P } from '../crypto/bn254.ts';
import type { TextG1, TextG2 } from './statement.ts';

/** A tool, and whether it compresses points. */
export interface BinaryStyle {
  readonly tool: 'gnark' | 'arkworks';
  readonly isCompressed: boolean;
}

const HALF = (P - 1n) / 2n;

/** Joins byte strings. */
export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Bytes of a count, of four bytes big-endian or eight little-endian. */
export function count(value: number, tool: BinaryStyle['tool']): Uint8Array {
  const word = be32(BigInt(value));
  return tool === 'gnark' ? word.slice(-4) : le(word).slice(0, 8);
}

function le(word: Uint8Array): Uint8Array {
  return word.slice().reverse();
}

/** Whether y is the larger of both roots: c1 decides, then c0. */
function isLarger(y: readonly bigint[]): boolean {
  const decisive = y.at(-1) === 0n ? y[0] : y.at(-1);
  return (decisive ?? 0n) > HALF;
}

/** @param x - One part, or c0 and c1. */
function point(x: readonly bigint[], y: readonly bigint[], { tool, isCompressed }: BinaryStyle): Uint8Array {
  const words = isCompressed ? [x] : [x, y];
  const larger = isLarger(y);
  if (tool === 'gnark') {
    const bytes = join(...words.flatMap((parts) => parts.toReversed().map(be32)));
    if (isCompressed) bytes[0] = (bytes[0] ?? 0) | (larger ? 0xc0 : 0x80);
    return bytes;
  }
  const bytes = join(...words.flatMap((parts) => parts.map((part) => le(be32(part)))));
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) | (larger ? 0x80 : 0);
  return bytes;
}

/** A finite point of G1. */
export function g1Bytes([x, y]: readonly string[], style: BinaryStyle): Uint8Array {
  return point([BigInt(x ?? '')], [BigInt(y ?? '')], style);
}

/** A finite point of G2. */
export function g2Bytes([x, y]: TextG2, style: BinaryStyle): Uint8Array {
  return point(x.map(BigInt), y.map(BigInt), style);
}

/**
 * A point that may be at infinity.
 *
 * @param words - As the engine takes them: x, y, of G2 c1 before c0.
 */
export function wordBytes(words: readonly bigint[], style: BinaryStyle): Uint8Array {
  const { tool, isCompressed } = style;
  const half = words.length / 2;
  if (words.some((word) => word !== 0n))
    return point(words.slice(0, half).toReversed(), words.slice(half).toReversed(), style);
  const infinity = new Uint8Array(words.length * (isCompressed ? 16 : 32));
  if (tool === 'arkworks') infinity[infinity.length - 1] = 0x40;
  else if (isCompressed) infinity[0] = 0x40;
  return infinity;
}

/** The words of points as the engine takes them: x, y, of G2 c1 before c0. */
export function wordsOfPoints(points: readonly (TextG1 | TextG2)[]): bigint[] {
  return points.flatMap(([x, y]) =>
    [x, y].flatMap((value) => (typeof value === 'string' ? [BigInt(value)] : value.toReversed().map(BigInt))),
  );
}

/** Words as bytes, big-endian. */
export function bytesOfWords(words: readonly bigint[]): Uint8Array {
  return join(...words.map(be32));
}

/** `0x` and two digits for each byte. */
export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** Text as the bytes of a file. */
export function encoded(
  text: string,
  encoding: 'utf8' | 'utf16le' | 'utf16be',
  hasMark: boolean,
): Uint8Array {
  const marked = hasMark ? `\ufeff${text}` : text;
  if (encoding === 'utf8') return Uint8Array.from(Buffer.from(marked, 'utf8'));
  const bytes = Buffer.from(marked, 'utf16le');
  return Uint8Array.from(encoding === 'utf16le' ? bytes : bytes.swap16());
}
