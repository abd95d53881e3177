import { toHex, writeHex } from './hex.ts';

/** Scalar order r of BN254 (spec/verification.md#field-orders). */
export const SCALAR_ORDER = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
const SCALAR_ORDER_BYTES: Uint8Array = wordOf(SCALAR_ORDER);

function isAsciiSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

const WORD_BYTES = 32;

/**
 * Writes a `merkle_root`, `nullifier` or `signal_hash` as 32 bytes, big-endian, at `offset` of the target. ASCII white
 * space around the text and one `0x` are dropped; 1 to 64 hex digits of either case must remain. Digits are always
 * parsed as hex.
 *
 * @returns Whether the text is such a word; if false, the content of `target` is undefined.
 */
export function writeWord(text: string, target: Uint8Array, offset: number): boolean {
  let start = 0;
  let end = text.length;
  while (start < end && isAsciiSpace(text.charCodeAt(start))) start++;
  while (end > start && isAsciiSpace(text.charCodeAt(end - 1))) end--;
  if (text.charCodeAt(start) === 0x30 && (text.charCodeAt(start + 1) | 0x20) === 0x78) start += 2;
  const digits = end - start;
  if (digits > WORD_BYTES * 2) return false;
  if (digits < WORD_BYTES * 2) target.fill(0, offset, offset + WORD_BYTES);
  return writeHex(text, start, end, target, offset + WORD_BYTES);
}

/** Returns a word as `writeWord` writes it, or undefined if the text is not a word. */
export function decodeWord(text: string): Uint8Array | undefined {
  const word = new Uint8Array(WORD_BYTES);
  return writeWord(text, word, 0) ? word : undefined;
}

/** Whether a word is below the scalar order r, as every root and public input must be. */
export function isBelowScalarOrder(word: Uint8Array): boolean {
  for (const [index, limit] of SCALAR_ORDER_BYTES.entries()) {
    const byte = word[index] ?? 0;
    if (byte !== limit) return byte < limit;
  }
  return false;
}

/** Returns a number of at most 256 bits as 32 bytes, big-endian. */
export function wordOf(value: bigint): Uint8Array {
  const word = new Uint8Array(32);
  const digits = value.toString(16);
  writeHex(digits, 0, digits.length, word);
  return word;
}

/** Returns the number encoded by big-endian bytes. */
export function numberOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(toHex(bytes));
}

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
