import { byteCount, isBytes } from '../bytes.ts';
import { writeDecimal } from '../semaphore/words.ts';
import { FormError, WORD_BYTES } from './layout.ts';

/** A non-negative number: decimal digits, a bigint, a safe integer, or 32 bytes, big-endian. */
export type NumberForm = string | bigint | number | Uint8Array;

/** Error codes for a malformed number, and for one that does not fit 256 bits. */
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
  // Refused digits have a leading zero or more than 256 bits.
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

/** Public signals in the order of the circuit, or all of them as n × 32 bytes, big-endian. */
export type SignalsForm = readonly NumberForm[] | Uint8Array;

const CODES: NumberCodes = { form: 'input.form', range: 'input.range' };

/**
 * Encodes public signals for the engine, which checks that each is below r.
 *
 * @param count - Number of public inputs of the verifying key.
 * @returns count × 32 bytes, a copy: each value is read once.
 * @throws FormError `input.form`, `input.count`, `input.range`
 */
export function signalBytesOf(signals: unknown, count: number): Uint8Array {
  if (isBytes(signals)) {
    if (byteCount(signals) === count * WORD_BYTES) return new Uint8Array(signals);
    throw new FormError('input.count', '', `expected ${count} × 32 bytes, got ${byteCount(signals)}`);
  }
  if (!Array.isArray(signals))
    throw new FormError(
      'input.form',
      '',
      `expected an array of public signals, got ${typeName(signals)}`,
      true,
    );
  const { length } = signals;
  if (length !== count)
    throw new FormError('input.count', '', `expected ${count} public signals, got ${length}`);
  const bytes = new Uint8Array(count * WORD_BYTES);
  for (let index = 0; index < count; index++) {
    const target = bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES);
    writeNumberForm(signals[index], target, `publicSignals[${index}]`, CODES);
  }
  return bytes;
}
