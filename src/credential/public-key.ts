import { numberOf, SCALAR_ORDER, wordOf } from '../semaphore/decode-word.ts';
import { isOnBabyJubJub } from './babyjubjub.ts';

const DECIMAL = /^(?:0|[1-9][0-9]{0,76})$/;

/**
 * Parses a coordinate as written in credentials: decimal, no leading zero, below r; returns undefined for any
 * other text.
 */
export function parseCoordinate(text: string): Uint8Array | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = BigInt(text);
  return value < SCALAR_ORDER ? wordOf(value) : undefined;
}

/**
 * Compresses a public key to 32 bytes: y little-endian, with bit 0x80 of the last byte set if x is in the
 * upper half.
 *
 * @returns Undefined if the point is not on the curve: its bytes would then be those of another key. The
 *   engine checks that it is in the prime subgroup and not the identity.
 */
export function compressKey(x: Uint8Array, y: Uint8Array): Uint8Array | undefined {
  if (!isOnBabyJubJub(numberOf(x), numberOf(y))) return undefined;
  const bytes = Uint8Array.from(y).reverse();
  if (numberOf(x) > (SCALAR_ORDER - 1n) / 2n) bytes[31] = (bytes[31] ?? 0) | 0x80;
  return bytes;
}
