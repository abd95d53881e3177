import { FormError, PROOF_BYTES, proofBytesOf, signalBytesOf, WORD_BYTES } from '../../groth16/index.ts';
import { writeHex } from '../../semaphore/hex.ts';

const COMPRESSED_BYTES = PROOF_BYTES / 2;
const HEX_MARK = /^0[xX]/;

/**
 * Decodes a proof of a request (spec/verification.md#forms-of-proofs): an object of snarkjs, or `0x` and the hex digits of
 * 256 bytes or, compressed, of 128.
 *
 * @returns 256 bytes, as the engine takes them.
 * @throws FormError `proof.*`
 */
export function proofOf(value: unknown): Uint8Array {
  return proofBytesOf(typeof value === 'string' ? bytesOf(value) : value);
}

/**
 * Decodes the public signals of a request: numbers in decimal, safe integers, or `0x` and 1 to 64 hex digits. Nothing is
 * reduced: the engine refuses values from r on.
 *
 * @param count - Number of public inputs of the key.
 * @returns count × 32 bytes.
 * @throws FormError `input.*`
 */
export function signalsOf(value: unknown, count: number): Uint8Array {
  const isComplete = Array.isArray(value) && value.length === count;
  return signalBytesOf(isComplete ? value.map(wordOf) : value, count);
}

function bytesOf(text: string): Uint8Array {
  const length = (text.length - 2) / 2;
  const hasForm = HEX_MARK.test(text);
  if (hasForm && length !== PROOF_BYTES && length !== COMPRESSED_BYTES) {
    const expected = `expected ${PROOF_BYTES} or ${COMPRESSED_BYTES} bytes in hex`;
    throw new FormError('proof.length', '', `${expected}, got ${text.length - 2} digits`);
  }
  const bytes = new Uint8Array(hasForm ? length : 0);
  if (writeHex(text, 2, text.length, bytes)) return bytes;
  throw new FormError('proof.form', '', 'expected 0x and hex digits, or an object of snarkjs');
}

/** Returns the word of a number in hex, and any other value as it is. */
function wordOf(value: unknown, index: number): unknown {
  if (typeof value !== 'string' || !HEX_MARK.test(value)) return value;
  const word = new Uint8Array(WORD_BYTES);
  if (writeHex(value, 2, value.length, word)) return word;
  throw new FormError('input.form', `publicSignals[${index}]`, 'expected 1 to 64 hex digits after 0x');
}
