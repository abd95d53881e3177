import { writeHex } from '../semaphore/hex.ts';
import { writeDecimal } from '../semaphore/number-text.ts';
import { WORD_BYTES } from './layout.ts';

const DECIMAL = /^0*([0-9]{1,78})$/;
const HEX = /^0x0*([0-9a-fA-F]{1,64})$/;
const MAX_VALUE = (1n << 256n) - 1n;
/** Longer texts are no numbers; reading one takes time that is quadratic in its length. */
const MAX_TEXT = 1000;
/** Arrays within each other that are still read; snarkjs calls itself for each. */
const MAX_DEPTH = 1000;

/** A number that `groth16.verify` reads: digits, `0x` and hex digits, a bigint, or a whole number. */
export type SnarkjsNumber = string | bigint | number;

/**
 * Writes a number that snarkjs reads as what it says, as 32 bytes, big-endian: decimal digits, `0x` and hex digits,
 * both with any number of leading zeros, a bigint, or a whole number.
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
export function isShortNumber(value: unknown): value is SnarkjsNumber {
  if (typeof value === 'string') return value.length <= MAX_TEXT;
  if (typeof value === 'bigint') return value >= 0n && value <= MAX_VALUE;
  return typeof value === 'number';
}

/**
 * Whether `BigInt` takes a value, whatever it makes of it: a text with white space, a boolean, an array of one number.
 * snarkjs throws at a public signal that `BigInt` does not take. Answers without `BigInt` where that would take long, and
 * calls no method of the value.
 */
export function isTakenByBigint(value: unknown): boolean {
  let only = value;
  // An array has the text of its only element, and that of two elements has a comma.
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
      // snarkjs copies the members of an object before, so its value is lost.
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
