import { writeHex } from './hex.ts';

const WORD_BYTES = 32;
/** 2²⁵⁶ has 78 decimal digits. */
const MAX_DECIMAL_DIGITS = 78;
const DECIMAL = /^(0|[1-9][0-9]*)$/;

/**
 * Writes a number as 32 bytes, big-endian, at `offset` of the target, whose bytes there must be zero. The text is `0x`
 * or `0X` and 1 to 64 hex digits of either case, or decimal digits of a number below 2²⁵⁶ without leading zeros
 * (spec/worldid4.md#numbers).
 *
 * @returns Whether the text is such a number; if false, the content of `target` is undefined.
 */
export function writeNumber(text: string, target: Uint8Array, offset: number): boolean {
  const end = offset + WORD_BYTES;
  if (text.charCodeAt(0) !== 0x30 || (text.charCodeAt(1) | 0x20) !== 0x78) {
    return writeDecimal(text, target, end);
  }
  return text.length <= 2 + WORD_BYTES * 2 && writeHex(text, 2, text.length, target, end);
}

/**
 * Writes a decimal text below 2²⁵⁶ without leading zeros, big-endian, into the bytes of `target` that end before `to`,
 * which must be zero. Its length is checked first, since parsing long decimals takes quadratic time.
 *
 * @returns Whether the text is such a number; if false, the content of `target` is undefined.
 */
export function writeDecimal(text: string, target: Uint8Array, to: number = target.length): boolean {
  if (text.length > MAX_DECIMAL_DIGITS || !DECIMAL.test(text)) return false;
  const digits = BigInt(text).toString(16);
  return digits.length <= WORD_BYTES * 2 && writeHex(digits, 0, digits.length, target, to);
}
