import type { Bytes32 } from '../storage/index.ts';
import { writeHex } from './hex.ts';

/** Scalar order r of BN254 (verify.md section 1), 32 bytes big-endian. */
const SCALAR_ORDER = Uint8Array.from(
  Buffer.from('30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001', 'hex'),
);

function isAsciiSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/**
 * A `merkle_root`, `nullifier` or `signal_hash` as 32 bytes: ASCII white space around it and one `0x` are dropped,
 * then 1 to 64 hex digits of either case, padded on the left. A decimal text is read as hex.
 *
 * @returns undefined when there are no digits, other characters or more than 64 digits.
 */
export function decodeWord(text: string): Bytes32 | undefined {
  let start = 0;
  let end = text.length;
  while (start < end && isAsciiSpace(text.charCodeAt(start))) start++;
  while (end > start && isAsciiSpace(text.charCodeAt(end - 1))) end--;
  if (text.charCodeAt(start) === 0x30 && (text.charCodeAt(start + 1) | 0x20) === 0x78) start += 2;
  const word = new Uint8Array(32);
  return writeHex(text, start, end, word) ? word : undefined;
}

/** Whether a word is below the scalar order r, as every root and public input must be. */
export function isBelowScalarOrder(word: Uint8Array): boolean {
  return Buffer.compare(word, SCALAR_ORDER) < 0;
}
