import { byteCount, isBytes } from '../../bytes.ts';
import { writeHex } from '../../semaphore/hex.ts';
import { isBelowScalarOrder, numberOf } from '../../semaphore/words.ts';
import { FormError, quoted, typeName, WORD_BYTES } from '../layout.ts';

/** Bytes, or `0x` and two hex digits per byte. */
export type BytesForm = string | Uint8Array;

/** Error codes for a value that is part of a proof, and for one that is part of its statement. */
type BytesCode = 'proof.form' | 'input.form';

/**
 * Returns a copy of bytes, or the bytes of a hex text; `0x` alone is no bytes.
 *
 * @param path - Name of the value in messages.
 * @throws FormError with the code
 */
export function bytesOfForm(value: unknown, path: string, code: BytesCode = 'input.form'): Uint8Array {
  if (isBytes(value)) return new Uint8Array(value);
  if (typeof value !== 'string')
    throw new FormError(code, path, `expected bytes or 0x and hex digits, got ${typeName(value)}`, true);
  if (!value.startsWith('0x'))
    throw new FormError(code, path, `expected 0x before the hex digits, got ${quoted(value)}`);
  if (value.length % 2 === 1)
    throw new FormError(code, path, 'expected two hex digits per byte, got an odd number');
  const bytes = new Uint8Array(value.length / 2 - 1);
  if (bytes.length > 0 && !writeHex(value, 2, value.length, bytes))
    throw new FormError(code, path, `expected only hex digits after 0x, got ${quoted(value)}`);
  return bytes;
}

/**
 * As `bytesOfForm`, for 32 bytes.
 *
 * @throws FormError `input.form`
 */
export function wordOfForm(value: unknown, path: string): Uint8Array {
  const word = bytesOfForm(value, path);
  if (byteCount(word) !== WORD_BYTES)
    throw new FormError('input.form', path, `expected 32 bytes, got ${byteCount(word)}`);
  return word;
}

/**
 * Returns the number of 32 bytes, big-endian, that is a public signal as it is.
 *
 * @param hint - Ends the message if the number is not below r.
 * @throws FormError `input.form`, `input.range`
 */
export function scalarOfForm(value: unknown, path: string, hint = ''): bigint {
  const word = wordOfForm(value, path);
  if (!isBelowScalarOrder(word))
    throw new FormError('input.range', path, `expected a number below the scalar order r${hint}`);
  return numberOf(word);
}

/**
 * Returns the members of an object that a caller passes.
 *
 * @throws FormError `input.form`
 */
export function membersOf(value: unknown, expected: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new FormError('input.form', '', `expected an object with ${expected}, got ${typeName(value)}`, true);
}
