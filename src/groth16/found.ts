import { numberOf, wordOf, writeDecimal } from '../semaphore/words.ts';
import {
  affineReadings,
  affineTwistReadings,
  isOnCurve,
  isOnTwist,
  type Pair,
  type PointG1,
  type PointG2,
} from './curve.ts';
import { FIELD_ORDER, FormError, G1_BYTES, quoted, ValueError, WORD_BYTES } from './layout.ts';
import { type NumberCodes, writeNumber } from './numbers.ts';

/** Parts of a coordinate: one in G1; two in G2, c0 before c1. */
export type Parts = 1 | 2;

/** Names a point for messages, such as `pi_b`, or a part of a coordinate, such as `pi_b[1][0]`. */
export type NameOf = (point: number, coordinate?: number, part?: number) => string;

/**
 * Points as found, in the order of the engine: of each, the parts of three coordinates, not yet read as numbers. A point
 * that was found without third coordinate has 1, or 1 and 0.
 */
export interface FoundPoints {
  /** Parts of the coordinates of each point. */
  readonly parts: readonly Parts[];
  readonly values: readonly unknown[];
  readonly nameOf: NameOf;
}

const COORDINATES = 3;
/** The third coordinate of an affine point. */
const AFFINE: readonly unknown[] = [1, 0];

/**
 * Collects the parts of points from nested arrays, each read once by index: holes count, own iterators do not.
 */
export class PointCollector implements FoundPoints {
  readonly parts: Parts[] = [];
  readonly values: unknown[] = [];
  readonly nameOf: NameOf;
  readonly code: NumberCodes['form'];
  readonly #isLax: boolean;

  /** @param isLax - Whether a point may have more than three coordinates, and then is affine, as for snarkjs. */
  constructor(code: NumberCodes['form'], nameOf: NameOf, isLax = false) {
    this.code = code;
    this.nameOf = nameOf;
    this.#isLax = isLax;
  }

  /** Adds `[x, y]` or `[x, y, z]`. @throws FormError */
  g1(point: unknown, name: string): void {
    const { list, isAffine } = this.#point(point, name);
    this.parts.push(1);
    this.values.push(list[0], list[1], isAffine ? 1 : list[2]);
  }

  /**
   * Adds `[x, y]` or `[x, y, z]`, each of two parts.
   *
   * @param first - The part that comes first: c0, or c1 as in Solidity.
   * @throws FormError
   */
  g2(point: unknown, name: string, first: 'c0' | 'c1' = 'c0'): void {
    const { list, isAffine } = this.#point(point, name);
    this.parts.push(2);
    for (let coordinate = 0; coordinate < (isAffine ? 2 : COORDINATES); coordinate++) {
      const pair = list[coordinate];
      const length = Array.isArray(pair) ? pair.length : undefined;
      if (!Array.isArray(pair) || length !== 2)
        throw this.#malformed(`${name}[${coordinate}]`, '2', pair, length);
      if (first === 'c0') this.values.push(pair[0], pair[1]);
      else this.values.push(pair[1], pair[0]);
    }
    if (isAffine) this.values.push(1, 0);
  }

  /** Returns the array of a point, and whether it has no third coordinate; its length is read once. */
  #point(point: unknown, name: string): { readonly list: readonly unknown[]; readonly isAffine: boolean } {
    const length = Array.isArray(point) ? point.length : undefined;
    if (!Array.isArray(point) || length === undefined || length < 2 || (length > COORDINATES && !this.#isLax))
      throw this.#malformed(name, '2 or 3', point, length);
    return { list: point, isAffine: length !== COORDINATES };
  }

  #malformed(name: string, lengths: string, found: unknown, length: number | undefined): FormError {
    const what = length === undefined ? quoted(found) : `an array of ${length}`;
    const isType = length === undefined;
    return new FormError(this.code, name, `expected an array of ${lengths} elements, got ${what}`, isType);
  }

  /** Adds an affine point. */
  affine(...values: readonly unknown[]): void {
    const parts = values.length === 2 ? 1 : 2;
    this.parts.push(parts);
    this.values.push(...values, ...AFFINE.slice(0, parts));
  }
}

/** Bytes of a point of this many parts, x then y. */
export function bytesOfPoint(parts: Parts): number {
  return parts * G1_BYTES;
}

/**
 * Writes points as the engine takes them: x, y of each, big-endian, of G2 c1 before c0; the point at infinity, whose third
 * coordinate is 0, as zeros. Coordinates of affine points need not be below p, nor points on their curves.
 *
 * @param onFault - Receives what is wrong with a point and goes on; if absent, the first fault is thrown.
 * @throws FormError with a code of `codes`
 */
export function pointBytes(
  found: FoundPoints,
  codes: NumberCodes,
  onFault?: (fault: FormError, point: number) => void,
): Uint8Array {
  const bytes = new Uint8Array(found.parts.reduce((sum, parts) => sum + bytesOfPoint(parts), 0));
  let [first, offset] = [0, 0];
  for (let point = 0; point < found.parts.length; point++) {
    const parts = found.parts[point] ?? 1;
    const size = bytesOfPoint(parts);
    try {
      writePoint(found, { point, parts, first }, bytes.subarray(offset, offset + size), codes);
    } catch (fault) {
      if (!(onFault && fault instanceof FormError)) throw fault;
      onFault(fault, point);
    }
    first += COORDINATES * parts;
    offset += size;
  }
  return bytes;
}

interface Place {
  readonly point: number;
  readonly parts: Parts;
  /** Index of the first of its values. */
  readonly first: number;
}

function writePoint(found: FoundPoints, place: Place, target: Uint8Array, codes: NumberCodes): void {
  const { point, parts, first } = place;
  const write = (coordinate: number, part: number, word: Uint8Array): void => {
    const value = found.values[first + coordinate * parts + part];
    // The usual case, without making a name.
    if (typeof value === 'string' && writeDecimal(value, word)) return;
    writeNumber(value, word, found.nameOf(point, coordinate, part), codes);
  };
  for (let coordinate = 0; coordinate < 2; coordinate++) {
    for (let part = 0; part < parts; part++) {
      const at = (coordinate * parts + parts - 1 - part) * WORD_BYTES;
      write(coordinate, part, target.subarray(at, at + WORD_BYTES));
    }
  }
  const [z0, z1] = [found.values[first + 2 * parts], parts === 2 ? found.values[first + 5] : 0];
  if ((z0 === 1 || z0 === '1') && (z1 === 0 || z1 === '0')) return;
  const z = Array.from({ length: parts }, (_, part) => {
    const word = new Uint8Array(WORD_BYTES);
    write(2, part, word);
    return numberOf(word);
  });
  if (z.every((value) => value === 0n)) target.fill(0);
  else if (z[0] !== 1n || (z[1] ?? 0n) !== 0n) writeProjective(target, z, found.nameOf(point), codes);
}

/**
 * Replaces x and y of a point whose third coordinate z is neither 0 nor 1. There are two conventions, x/z and y/z, and
 * x/z² and y/z³ as in snarkjs: the curve decides.
 */
function writeProjective(target: Uint8Array, z: readonly bigint[], name: string, codes: NumberCodes): void {
  const words = [...wordsOf(target)];
  if ([...words, ...z].some((value) => value >= FIELD_ORDER))
    throw new ValueError(
      codes.range,
      name,
      'expected coordinates below p of a point with a third coordinate',
    );
  const readings =
    z.length === 1
      ? affineReadings(words[0] ?? 0n, words[1] ?? 0n, z[0] ?? 0n)
          .filter(isOnCurve)
          .map(wordsOfG1)
      : affineTwistReadings(pair(words[1], words[0]), pair(words[3], words[2]), pair(z[0], z[1]))
          .filter(isOnTwist)
          .map(wordsOfG2);
  const [only, another] = readings;
  if (only === undefined)
    throw new ValueError(
      codes.form,
      name,
      isSwapped(words, z)
        ? 'not a point of its curve: it looks like the other order of the parts of G2, c1 before c0'
        : 'expected a point of the curve: neither (x/z, y/z) nor (x/z², y/z³) is one',
    );
  if (another !== undefined)
    throw new ValueError(
      codes.form,
      name,
      'ambiguous: both (x/z, y/z) and (x/z², y/z³) are points of the curve',
    );
  for (const [index, word] of only.entries()) target.set(wordOf(word), index * WORD_BYTES);
}

/** Whether an affine point of G2, also its third coordinate 1, is one of the twist if c0 and c1 change places. */
function isSwapped([x1, x0, y1, y0]: readonly bigint[], z: readonly bigint[]): boolean {
  return z[0] === 0n && z[1] === 1n && isOnTwist({ x: pair(x1, x0), y: pair(y1, y0) });
}

/** Returns the numbers of consecutive words. */
export function wordsOf(bytes: Uint8Array): bigint[] {
  return Array.from({ length: bytes.length / WORD_BYTES }, (_, index) =>
    numberOf(bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES)),
  );
}

function pair(c0 = 0n, c1 = 0n): Pair {
  return [c0, c1];
}

/** Words of a point of G1 as the engine takes them. */
export function wordsOfG1({ x, y }: PointG1): bigint[] {
  return [x, y];
}

/** Words of a point of G2 as the engine takes them, c1 before c0. */
export function wordsOfG2({ x, y }: PointG2): bigint[] {
  return [x[1], x[0], y[1], y[0]];
}
