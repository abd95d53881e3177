import { byteCount, isBytes } from '../bytes.ts';
import { writeDecimal } from '../semaphore/number-text.ts';
import { FormError } from './form-error.ts';
import { WORD_BYTES } from './layout.ts';

/** A number from 0: decimal digits, a bigint, a safe integer, or 32 bytes, big-endian. */
export type NumberForm = string | bigint | number | Uint8Array;

/** Codes for a number in no form, and for one that does not fit 256 bits. */
export interface NumberCodes {
  readonly form: 'proof.form' | 'input.form';
  readonly range: 'proof.coordinate_range' | 'input.range';
}

const DECIMAL = /^[0-9]+$/;
const EXPECTED = 'expected decimal digits, a bigint, a safe integer, or 32 bytes';
const MAX_VALUE = (1n << 256n) - 1n;

/**
 * Writes a number as 32 bytes, big-endian, into `target`, whose bytes must be zero. It need not be below a field order:
 * the engine checks that.
 *
 * @param target - 32 bytes.
 * @throws FormError with a code of `codes`
 */
export function writeNumberForm(value: unknown, target: Uint8Array, path: string, codes: NumberCodes): void {
  if (typeof value === 'string') writeText(value, target, path, codes);
  else if (typeof value === 'bigint') writeBigint(value, target, path, codes);
  else if (typeof value === 'number') {
    if (!Number.isSafeInteger(value))
      throw new FormError(codes.form, path, `${EXPECTED}, got an unsafe number`);
    writeBigint(BigInt(value), target, path, codes);
  } else if (isBytes(value)) {
    if (byteCount(value) !== WORD_BYTES)
      throw new FormError(codes.form, path, `expected 32 bytes, got ${byteCount(value)}`);
    target.set(value);
  } else throw new FormError(codes.form, path, `${EXPECTED}, got ${typeName(value)}`, true);
}

function writeText(text: string, target: Uint8Array, path: string, codes: NumberCodes): void {
  if (writeDecimal(text, target)) return;
  // Digits that are refused have a leading zero or more than 256 bits.
  if (DECIMAL.test(text) && !text.startsWith('0'))
    throw new FormError(codes.range, path, 'expected at most 256 bits');
  throw new FormError(codes.form, path, 'expected decimal digits without leading zeros');
}

function writeBigint(value: bigint, target: Uint8Array, path: string, codes: NumberCodes): void {
  if (value < 0n) throw new FormError(codes.range, path, 'expected a number from 0');
  if (value > MAX_VALUE) throw new FormError(codes.range, path, 'expected at most 256 bits');
  writeDecimal(String(value), target);
}

/** Names the type of a value for messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}
