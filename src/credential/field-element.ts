import { isBelowScalarOrder } from '../semaphore/decode-word.ts';
import { writeHex } from '../semaphore/hex.ts';

const PREFIX = '0x';

/**
 * Parses a field element as requests write it (spec/credential.md#field-elements, request-form): `0x`, then 1
 * to 64 hex digits of either case.
 *
 * @returns 32 bytes, big-endian, below the scalar order r; undefined for any other text.
 */
export function parseFieldElement(text: string): Uint8Array | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const word = new Uint8Array(32);
  if (!writeHex(text, PREFIX.length, text.length, word)) return undefined;
  return isBelowScalarOrder(word) ? word : undefined;
}

/** Parses a field element that names a holder, which is not 0; otherwise as `parseFieldElement`. */
export function parseNonZeroElement(text: string): Uint8Array | undefined {
  const word = parseFieldElement(text);
  return word?.some((byte) => byte !== 0) ? word : undefined;
}
