/** Reads the binary forms of points: bytes in order, with flags in their unused bits. */
import { joinBytes } from '../../bytes.ts';
import { numberOf, wordOf } from '../../semaphore/words.ts';
import { pointAtX, twistPointAtX } from '../curve.ts';
import { bytesOfPoint, type Parts, wordsOf, wordsOfG1, wordsOfG2 } from '../found.ts';
import { FIELD_ORDER, type FormCode, FormError, G1_BYTES, G2_BYTES, WORD_BYTES } from '../layout.ts';

/** Codes for points that cannot be read. */
export interface PointCodes {
  readonly range: FormCode;
  readonly curve: FormCode;
  readonly form: FormCode;
}

/** Codes of a proof. */
export const PROOF_CODES: PointCodes = {
  range: 'proof.coordinate_range',
  curve: 'proof.decompression',
  form: 'proof.form',
};
/** Codes of a key. */
export const KEY_CODES: PointCodes = {
  range: 'key.coordinate_range',
  curve: 'key.point_not_on_curve',
  form: 'key.not_json',
};

/** What the flags of a point say. */
export interface PointFlags {
  readonly isInfinity: boolean;
  /** Whether y is the larger root; only of compressed points. */
  readonly isLarger: boolean;
}

/** How a tool writes points. */
export interface PointLayout {
  /** Whether the words of a point are little-endian and c0 precedes c1; else big-endian, c1 before c0. */
  readonly isLittleEndian: boolean;
  /** The two highest bits that hold flags, as found in the byte with the highest bits of the last or first word. */
  flagsOf(bits: number, isCompressed: boolean): PointFlags | undefined;
}

/** Takes consecutive parts of bytes. */
export class ByteCursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Number of bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns the next bytes; fewer at the end. */
  take(count: number): Uint8Array {
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}

/**
 * Reads a point, whose flags are in the two highest bits of its first byte if big-endian, else of its last.
 *
 * @param source - x, or x and y, of one or two words each.
 * @returns x then y as the engine takes them; zeros for infinity.
 * @throws FormError with a code of `codes`
 */
export function readPoint(
  source: Uint8Array,
  parts: Parts,
  layout: PointLayout,
  name: string,
  codes: PointCodes,
): Uint8Array {
  const isCompressed = source.length < bytesOfPoint(parts);
  const bytes = layout.isLittleEndian ? source.slice().reverse() : source.slice();
  // Reversed, y precedes x, c1 precedes c0, and the flags are in the first byte as well.
  const [high = 0] = bytes;
  const flags = layout.flagsOf(high >> 6, isCompressed);
  if (flags === undefined) throw new FormError(codes.form, name, 'the flag bits are not those of a point');
  bytes[0] = high & 0x3f;
  const target = new Uint8Array(bytesOfPoint(parts));
  if (flags.isInfinity) {
    if (bytes.some((byte) => byte !== 0))
      throw new FormError(codes.form, name, 'expected zeros in a point at infinity');
    return target;
  }
  const words = wordsOf(bytes);
  if (words.some((word) => word >= FIELD_ORDER))
    throw new FormError(codes.range, name, 'expected coordinates below p');
  const point = isCompressed
    ? decompressed(words, flags.isLarger)
    : layout.isLittleEndian
      ? [...words.slice(parts), ...words.slice(0, parts)]
      : words;
  if (point === undefined) throw new FormError(codes.curve, name, 'no point of the curve has this x');
  for (const [index, word] of point.entries()) target.set(wordOf(word), index * WORD_BYTES);
  return target;
}

/**
 * Reads the points of a proof, A, B and C, from the first bytes.
 *
 * @returns 256 bytes for the engine.
 * @throws FormError `proof.*`
 */
export function readProofPoints(
  bytes: Uint8Array,
  isCompressed: boolean,
  layout: PointLayout,
  [a, b, c]: readonly [a: string, b: string, c: string],
): Uint8Array {
  const scale = isCompressed ? 2 : 1;
  const [g1, g2] = [G1_BYTES / scale, G2_BYTES / scale];
  const cursor = new ByteCursor(bytes);
  return joinBytes([
    readPoint(cursor.take(g1), 1, layout, a, PROOF_CODES),
    readPoint(cursor.take(g2), 2, layout, b, PROOF_CODES),
    readPoint(cursor.take(g1), 1, layout, c, PROOF_CODES),
  ]);
}

/** @param x - One word, or c1 then c0. */
function decompressed(x: readonly bigint[], isLarger: boolean): bigint[] | undefined {
  const [first = 0n, second] = x;
  if (second === undefined) {
    const point = pointAtX(first, isLarger);
    return point && wordsOfG1(point);
  }
  const point = twistPointAtX([second, first], isLarger);
  return point && wordsOfG2(point);
}

/** Returns a length or count of four or eight bytes. */
export function countOf(bytes: Uint8Array, isLittleEndian: boolean): number {
  return Number(numberOf(isLittleEndian ? bytes.slice().reverse() : bytes));
}
