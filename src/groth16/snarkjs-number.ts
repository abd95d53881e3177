import { writeHex } from '../semaphore/hex.ts';
import { writeDecimal } from '../semaphore/number-text.ts';
import { WORD_BYTES } from './layout.ts';

const DECIMAL = /^0*([0-9]{1,78})$/;
const HEX = /^0x0*([0-9a-fA-F]{1,64})$/;
/** Longer texts are no numbers; reading one takes time that is quadratic in its length. */
const MAX_TEXT = 1000;

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
      return value >> 256n === 0n && writeDecimal(value.toString(), target);
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

/**
 * Whether `BigInt` takes a value, whatever it makes of it: a text with white space, a boolean, an array of one number.
 * snarkjs throws at a public signal that `BigInt` does not take.
 */
export function isTakenByBigint(value: unknown): boolean {
  if (typeof value === 'string' && value.length > MAX_TEXT) return true;
  // snarkjs copies the members of an object before, so its value is lost.
  if (typeof value === 'object' && !Array.isArray(value)) return false;
  try {
    BigInt(value as string);
    return true;
  } catch {
    return false;
  }
}
