import { byteCount, isBytes } from '../bytes.ts';
import { writeHex } from '../semaphore/hex.ts';
import { writeDecimal } from '../semaphore/words.ts';
import { FormError, quoted, ValueError, WORD_BYTES } from './layout.ts';

/**
 * A non-negative number: decimal digits, `0x` and hex digits, both with any number of leading zeros, a bigint, a safe
 * integer, or 32 bytes, big-endian.
 */
export type NumberForm = string | bigint | number | Uint8Array;

/** Error codes for a malformed number, and for one that does not fit 256 bits. */
export interface NumberCodes {
  readonly form: 'proof.form' | 'input.form' | 'key.not_json';
  readonly range: 'proof.coordinate_range' | 'input.range' | 'key.coordinate_range';
}

// The captured digits begin where the zeros end: a match takes linear time.
const DECIMAL = /^0*([1-9][0-9]{0,77}|0)$/;
const HEX = /^0[xX]0*([1-9a-fA-F][0-9a-fA-F]{0,63}|0)$/;
const DIGITS = /^(?:[0-9]+|0[xX][0-9a-fA-F]+)$/;
const BARE_HEX = /^[0-9a-fA-F]+$/;
/** Texts of more characters are not numbers, whatever their leading zeros are. */
const MAX_TEXT = 1000;
const MAX_VALUE = (1n << 256n) - 1n;
const EXPECTED = 'expected decimal digits, or 0x and hex digits';

/**
 * Writes a number as 32 bytes, big-endian, into `target`, whose bytes must be zero. It need not be below a field order:
 * the engine checks that.
 *
 * @param target - 32 bytes; their content is undefined after an error.
 * @throws FormError with a code of `codes`
 */
export function writeNumber(value: unknown, target: Uint8Array, path: string, codes: NumberCodes): void {
  if (typeof value === 'string') {
    if (!writeDecimal(value, target)) writeText(value, target, path, codes);
  } else if (typeof value === 'bigint') {
    if (value < 0n) throw new ValueError(codes.range, path, 'expected a number from 0, got a negative one');
    if (value > MAX_VALUE) throw new ValueError(codes.range, path, 'expected at most 256 bits');
    writeDecimal(String(value), target);
  } else if (typeof value === 'number') {
    if (value < 0) throw new ValueError(codes.range, path, `expected a number from 0, got ${value}`);
    if (!Number.isInteger(value))
      throw new ValueError(codes.form, path, `expected a whole number, got ${value}`);
    if (!Number.isSafeInteger(value)) {
      const why = 'since a JSON number is not exact there';
      throw new ValueError(
        codes.form,
        path,
        `expected a number from 2⁵³ on as text in quotes, ${why}, got ${value}`,
      );
    }
    writeDecimal(String(value), target);
  } else if (isBytes(value)) {
    if (byteCount(value) !== WORD_BYTES)
      throw new ValueError(codes.form, path, `expected 32 bytes, got ${byteCount(value)}`);
    target.set(value);
  } else if (value === undefined || value === null)
    throw new FormError(codes.form, path, `${EXPECTED}, got ${quoted(value)}`, true);
  else throw new ValueError(codes.form, path, `${EXPECTED}, got ${quoted(value)}`, true);
}

/** Writes a text other than decimal digits without leading zeros. */
function writeText(text: string, target: Uint8Array, path: string, codes: NumberCodes): void {
  if (text.length <= MAX_TEXT) {
    const decimal = DECIMAL.exec(text)?.[1];
    if (decimal !== undefined && writeDecimal(decimal, target)) return;
    const hex = HEX.exec(text)?.[1];
    if (hex !== undefined && writeHex(hex, 0, hex.length, target)) return;
  }
  const found = quoted(text);
  if (DIGITS.test(text)) throw new ValueError(codes.range, path, `expected at most 256 bits, got ${found}`);
  if (/^-[0-9]/.test(text)) throw new ValueError(codes.range, path, `expected a number from 0, got ${found}`);
  const cure = BARE_HEX.test(text) ? ', which lacks 0x' : '';
  throw new ValueError(codes.form, path, `${EXPECTED}, got ${found}${cure}`);
}
