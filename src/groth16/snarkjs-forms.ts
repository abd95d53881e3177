/**
 * Keys, proofs and public signals as accepted by `groth16.verify` of snarkjs 0.7.6, a superset of the forms of
 * `verifyingKeyOf`, `proofBytesOf` and `signalBytesOf`: numbers in any spelling, points without third coordinate, no
 * `protocol`, an ignored `nPublic`. src/docs/library.md#differences-from-snarkjs lists the cases in which these
 * functions are stricter.
 */

import { isObject } from '../json.ts';
import { writeHex } from '../semaphore/hex.ts';
import { isBelowScalarOrder, writeDecimal } from '../semaphore/words.ts';
import {
  type DecodedKey,
  FormError,
  G1_BYTES,
  G2_BYTES,
  HEAD_BYTES,
  MAX_INPUTS,
  PROOF_BYTES,
  WORD_BYTES,
} from './layout.ts';
import { typeName } from './number-form.ts';

const DECIMAL = /^0*([0-9]{1,78})$/;
const HEX = /^0x0*([0-9a-fA-F]{1,64})$/;
const MAX_VALUE = (1n << 256n) - 1n;
/** Longer texts are not accepted as numbers: conversion takes time quadratic in the length. */
const MAX_TEXT = 1000;
/** Maximum nesting of arrays that is read; snarkjs recurses for each level. */
const MAX_DEPTH = 1000;

/** A number accepted by `groth16.verify`: digits, `0x` and hex digits, a bigint, or a whole number. */
export type SnarkjsNumber = string | bigint | number;

/**
 * Writes a number that snarkjs reads at face value as 32 bytes, big-endian: decimal digits, `0x` and hex digits, both
 * with any number of leading zeros, a bigint, or a whole number.
 *
 * @param target - 32 bytes, all zero.
 * @returns Whether the value is such a number from 0 to 2²⁵⁶ − 1; if false, the content of `target` is undefined.
 */
export function writeSnarkjsNumber(value: unknown, target: Uint8Array): boolean {
  switch (typeof value) {
    case 'string':
      return writeDecimal(value, target) || (value.length <= MAX_TEXT && writeText(value, target));
    case 'bigint':
      return value >= 0n && value <= MAX_VALUE && writeDecimal(value.toString(), target);
    case 'number':
      return Number.isInteger(value) && writeSnarkjsNumber(BigInt(value), target);
    default:
      return false;
  }
}

function writeText(text: string, target: Uint8Array): boolean {
  const decimal = DECIMAL.exec(text)?.[1];
  if (decimal !== undefined) return writeDecimal(decimal, target);
  const hex = HEX.exec(text)?.[1];
  return hex !== undefined && writeHex(hex, 0, hex.length, target, WORD_BYTES);
}

/** Whether a value may be a number below 2²⁵⁶; unlike a longer one, it costs little to write or to compare. */
function isShortNumber(value: unknown): value is SnarkjsNumber {
  if (typeof value === 'string') return value.length <= MAX_TEXT;
  if (typeof value === 'bigint') return value >= 0n && value <= MAX_VALUE;
  return typeof value === 'number';
}

/**
 * Whether `BigInt` accepts a value, such as a text with white space, a boolean, or an array of one number. snarkjs
 * throws for a public signal that `BigInt` does not accept. Does not call `BigInt` if that would take long, nor any
 * method of the value.
 */
export function isTakenByBigint(value: unknown): boolean {
  let only = value;
  // The text of an array is that of its only element; with more elements it contains a comma.
  for (let depth = 0; Array.isArray(only); depth++) {
    const { length } = only;
    if (length === 0) return true;
    if (length > 1 || depth === MAX_DEPTH) return false;
    only = (only[0] as unknown) ?? '';
  }
  const isElement = only !== value;
  switch (typeof only) {
    case 'bigint':
      return true;
    case 'boolean':
      return !isElement;
    case 'number':
      return isNumeric(isElement ? String(only) : only);
    case 'string':
      return only.length > MAX_TEXT || isNumeric(only);
    default:
      // snarkjs copies the members of an object first, so its value is lost.
      return false;
  }
}

function isNumeric(value: string | number): boolean {
  try {
    BigInt(value);
    return true;
  } catch {
    return false;
  }
}

/** The parts of a proof; `protocol` and `curve` are not read; the key determines them. */
export interface SnarkjsProof {
  readonly pi_a: readonly SnarkjsNumber[];
  readonly pi_b: readonly (readonly SnarkjsNumber[])[];
  readonly pi_c: readonly SnarkjsNumber[];
}

type Part = 'vk_alpha_1' | (typeof G2_MEMBERS)[number] | 'IC' | 'pi_a' | 'pi_b' | 'pi_c';

/** Coordinates of a key, in order: three per point of G1 and six per point of G2. */
export type KeyCoordinates = readonly SnarkjsNumber[];

const G1_COORDINATES = 3;
const G2_COORDINATES = 6;
const HEAD_COORDINATES = G1_COORDINATES + 3 * G2_COORDINATES;
const G2_MEMBERS = ['vk_beta_2', 'vk_gamma_2', 'vk_delta_2'] as const;
// Positions of the coordinates among the words of the engine, where c1 precedes c0; the words of z come last.
const G1_ORDER = [0, 1, 2] as const;
const G2_ORDER = [1, 0, 3, 2, 5, 4] as const;
const MAX_CURVE_NAME = 64;
const CURVES: readonly string[] = ['BN128', 'BN254', 'ALTBN128'];

/**
 * Lists the coordinates of a key. Cheap, since it runs for each proof to look up the key.
 *
 * @throws FormError `key.not_json` for an absent member, `key.protocol` for another curve, `key.input_count`
 */
export function keyCoordinatesOf(key: unknown): KeyCoordinates {
  if (!isObject(key))
    throw new FormError('key.not_json', '', `expected an object, got ${typeName(key)}`, true);
  checkCurve(key.curve);
  const coordinates: SnarkjsNumber[] = [];
  pushG1(coordinates, key.vk_alpha_1, 'vk_alpha_1');
  for (const member of G2_MEMBERS) pushG2(coordinates, key[member], member);
  const points = key.IC;
  if (!Array.isArray(points)) throw malformed('IC', 'an array of points', points);
  const { length } = points;
  if (length < 1 || length > MAX_INPUTS + 1)
    throw new FormError('key.input_count', 'IC', `expected 1 to ${MAX_INPUTS + 1} points, got ${length}`);
  for (let index = 0; index < length; index++) pushG1(coordinates, points[index], 'IC', index);
  return coordinates;
}

/** Number of public inputs of a key with these coordinates. */
export function inputCountOf(coordinates: KeyCoordinates): number {
  return (coordinates.length - HEAD_COORDINATES) / G1_COORDINATES - 1;
}

/**
 * Encodes a key for the engine, which checks that its points are on their curves.
 *
 * @throws FormError `key.not_json` for a coordinate that is not a number, or a point that is neither affine nor at
 *   infinity
 */
export function keyBytesOf(coordinates: KeyCoordinates): DecodedKey {
  const inputCount = inputCountOf(coordinates);
  const key = new Uint8Array(HEAD_BYTES + G1_BYTES * (inputCount + 1));
  let offset = 0;
  for (let at = 0; at < coordinates.length; ) {
    const isG2 = at >= G1_COORDINATES && at < HEAD_COORDINATES;
    const size = isG2 ? G2_BYTES : G1_BYTES;
    const point = coordinates.slice(at, at + (isG2 ? G2_COORDINATES : G1_COORDINATES));
    if (!writePoint(point, key.subarray(offset, offset + size)))
      throw new FormError('key.not_json', memberAt(at), 'expected numbers below 2²⁵⁶ of an affine point');
    at += point.length;
    offset += size;
  }
  return { key, inputCount };
}

/** Names the point of a key to which a coordinate belongs. */
function memberAt(coordinate: number): string {
  if (coordinate >= HEAD_COORDINATES) return `IC[${(coordinate - HEAD_COORDINATES) / G1_COORDINATES}]`;
  return G2_MEMBERS[(coordinate - G1_COORDINATES) / G2_COORDINATES] ?? 'vk_alpha_1';
}

/**
 * Encodes a proof for the engine, which checks that its coordinates are below p and its points on their curves.
 *
 * @returns 256 bytes, or undefined if a coordinate is not a number, or a point is neither affine nor at infinity.
 * @throws FormError `proof.form` for an absent member
 */
export function snarkjsProofBytes(proof: unknown): Uint8Array | undefined {
  if (!isObject(proof))
    throw new FormError('proof.form', '', `expected a proof object, got ${typeName(proof)}`, true);
  const [a, b, c]: [SnarkjsNumber[], SnarkjsNumber[], SnarkjsNumber[]] = [[], [], []];
  pushG1(a, proof.pi_a, 'pi_a');
  pushG2(b, proof.pi_b, 'pi_b');
  pushG1(c, proof.pi_c, 'pi_c');
  const bytes = new Uint8Array(PROOF_BYTES);
  const isWhole =
    writePoint(a, bytes.subarray(0, G1_BYTES)) &&
    writePoint(b, bytes.subarray(G1_BYTES, G1_BYTES + G2_BYTES)) &&
    writePoint(c, bytes.subarray(G1_BYTES + G2_BYTES));
  return isWhole ? bytes : undefined;
}

/**
 * Encodes public signals for the engine.
 *
 * @param count - Number of public inputs of the key.
 * @returns count × 32 bytes, each below r, or undefined for a signal out of range or too few signals.
 * @throws FormError `input.form` for a value that `BigInt` does not accept, `input.count` for too many signals, which
 *   are not read if no key has that many
 */
export function snarkjsSignalBytes(signals: unknown, count: number): Uint8Array | undefined {
  if (!Array.isArray(signals))
    throw new FormError(
      'input.form',
      '',
      `expected an array of public signals, got ${typeName(signals)}`,
      true,
    );
  const { length } = signals;
  if (length > MAX_INPUTS) throw tooMany(count, length);
  const bytes = new Uint8Array(count * WORD_BYTES);
  for (let index = 0; index < length; index++) {
    const signal: unknown = signals[index];
    // One excess element is still read, for the fault that snarkjs reports first.
    const word =
      index < count
        ? bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES)
        : new Uint8Array(WORD_BYTES);
    if (writeSnarkjsNumber(signal, word) && isBelowScalarOrder(word)) continue;
    if (isTakenByBigint(signal)) return undefined;
    throw new FormError(
      'input.form',
      `publicSignals[${index}]`,
      `expected a number, got ${typeName(signal)}`,
    );
  }
  if (length > count) throw tooMany(count, length);
  return length === count ? bytes : undefined;
}

function tooMany(count: number, found: number): FormError {
  return new FormError('input.count', '', `expected ${count} public signals, got ${found}`);
}

function checkCurve(curve: unknown): void {
  const name =
    typeof curve === 'string'
      ? curve
          .slice(0, MAX_CURVE_NAME)
          .toUpperCase()
          .replace(/[^A-Z0-9]/g, '')
      : typeName(curve);
  if (!CURVES.includes(name))
    throw new FormError('key.protocol', 'curve', `expected "bn128", got ${name.slice(0, 32)}`);
}

function pushG1(coordinates: SnarkjsNumber[], point: unknown, part: Part, index?: number): void {
  const words = arrayIn(point, part, index);
  const isAffine = words.length !== G1_COORDINATES;
  coordinates.push(
    numberIn(words[0], part, index),
    numberIn(words[1], part, index),
    isAffine ? 1 : numberIn(words[2], part, index),
  );
}

function pushG2(coordinates: SnarkjsNumber[], point: unknown, part: Part): void {
  const pairs = arrayIn(point, part);
  const isAffine = pairs.length !== G1_COORDINATES;
  for (const pair of [pairs[0], pairs[1], isAffine ? [1, 0] : pairs[2]]) {
    const words = arrayIn(pair, part);
    coordinates.push(numberIn(words[0], part), numberIn(words[1], part));
  }
}

/** Returns an array whose elements are read once, by index, without its own iterator. */
function arrayIn(value: unknown, part: Part, index?: number): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed(part, 'an array of coordinates', value, index);
}

/** Returns a coordinate that may be a number below 2²⁵⁶; any other value becomes a text that is not a number. */
function numberIn(value: unknown, part: Part, index?: number): SnarkjsNumber {
  if (isShortNumber(value)) return value;
  if (value === undefined || value === null) throw malformed(part, 'a number', value, index);
  return '';
}

function malformed(part: Part, expected: string, found: unknown, index?: number): FormError {
  const path = index === undefined ? part : `${part}[${index}]`;
  const code = part.startsWith('pi_') ? 'proof.form' : 'key.not_json';
  return new FormError(code, path, `expected ${expected}, got ${typeName(found)}`, true);
}

/**
 * Writes an affine point, or zeros for infinity; false if a coordinate is not a number, or the third is neither 1 nor
 * 0.
 */
function writePoint(coordinates: readonly SnarkjsNumber[], target: Uint8Array): boolean {
  const order = target.length === G1_BYTES ? G1_ORDER : G2_ORDER;
  const words = new Uint8Array(order.length * WORD_BYTES);
  for (const [at, place] of order.entries()) {
    const word = words.subarray(place * WORD_BYTES, (place + 1) * WORD_BYTES);
    if (!writeSnarkjsNumber(coordinates[at], word)) return false;
  }
  const third = words.subarray(target.length);
  const last = third.length - 1;
  if (third.some((byte, index) => byte > (index === last ? 1 : 0))) return false;
  if (third[last] === 1) target.set(words.subarray(0, target.length));
  return true;
}
