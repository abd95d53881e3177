/**
 * Bytes that `CanonicalSerialize` of arkworks writes: little-endian, c0 before c1, flags in the highest bits of the last
 * byte of a point (ark-serialize/src/flags.rs, ark-ec/src/models/short_weierstrass/mod.rs,
 * ark-groth16/src/data_structures.rs).
 */
import { bytesOfPoint, type Parts } from '../found.ts';
import { FormError, G1_BYTES, G2_BYTES, MAX_INPUTS, PROOF_BYTES, WORD_BYTES } from '../layout.ts';
import { ByteCursor, countOf, KEY_CODES, type PointLayout, readPoint, readProofPoints } from './binary.ts';

const COUNT_BYTES = 8;
const LAYOUT: PointLayout = {
  isLittleEndian: true,
  flagsOf(bits) {
    return bits === 3 ? undefined : { isInfinity: bits === 1, isLarger: bits === 2 };
  },
};
/** Bytes of an element of Fp12, e(α, β) of a processed key. */
const GT_BYTES = 12 * WORD_BYTES;
/** Bytes of the coefficients of one line of a prepared point: three elements of Fp2. */
const LINE_BYTES = 6 * WORD_BYTES;

/**
 * Reads a proof: A, B, C.
 *
 * @param bytes - 128 bytes, compressed, or 256.
 * @returns 256 bytes for the engine.
 * @throws FormError `proof.*`
 */
export function arkworksProof(bytes: Uint8Array): Uint8Array {
  return readProofPoints(bytes, bytes.length < PROOF_BYTES, LAYOUT, ['a', 'b', 'c']);
}

/**
 * Reads a key: α, β, γ, δ, the number of the points for the inputs and these; or a processed key, which continues with
 * e(α, β) and the prepared points −γ and −δ. What follows from the rest is not read.
 *
 * @returns The key for the engine; undefined for bytes of another length.
 * @throws FormError `key.*`
 */
export function arkworksKey(bytes: Uint8Array, isCompressed: boolean): Uint8Array | undefined {
  const scale = isCompressed ? 2 : 1;
  const [g1, g2] = [G1_BYTES / scale, G2_BYTES / scale];
  const head = g1 + 3 * g2;
  if (bytes.length < head + COUNT_BYTES + g1) return undefined;
  const count = countOf(bytes.subarray(head, head + COUNT_BYTES), true);
  const end = head + COUNT_BYTES + count * g1;
  if (end > bytes.length || !(end === bytes.length || isProcessedTail(bytes.subarray(end)))) return undefined;
  if (count < 1 || count > MAX_INPUTS + 1)
    throw new FormError(
      'key.input_count',
      'gamma_abc_g1',
      `expected 1 to ${MAX_INPUTS + 1} points, got ${count}`,
    );
  const cursor = new ByteCursor(bytes);
  const key = new Uint8Array(G1_BYTES * (1 + count) + 3 * G2_BYTES);
  let offset = 0;
  const put = (parts: Parts, name: string): void => {
    key.set(readPoint(cursor.take(parts === 1 ? g1 : g2), parts, LAYOUT, name, KEY_CODES), offset);
    offset += bytesOfPoint(parts);
  };
  put(1, 'alpha_g1');
  for (const name of ['beta_g2', 'gamma_g2', 'delta_g2']) put(2, name);
  cursor.take(COUNT_BYTES);
  for (let index = 0; index < count; index++) put(1, `gamma_abc_g1[${index}]`);
  return key;
}

/** Whether bytes have the length of e(α, β) and two prepared points: lines, and whether the point is infinite. */
function isProcessedTail(bytes: Uint8Array): boolean {
  let at = GT_BYTES;
  for (let point = 0; point < 2; point++) {
    if (at + COUNT_BYTES > bytes.length) return false;
    at += COUNT_BYTES + countOf(bytes.subarray(at, at + COUNT_BYTES), true) * LINE_BYTES + 1;
  }
  return at === bytes.length;
}

/** Returns the words of a list of public inputs: their number, then each, little-endian. undefined for other bytes. */
export function arkworksInputs(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < COUNT_BYTES) return undefined;
  const count = (bytes.length - COUNT_BYTES) / WORD_BYTES;
  if (!Number.isInteger(count) || countOf(bytes.subarray(0, COUNT_BYTES), true) !== count) return undefined;
  const words = bytes.slice(COUNT_BYTES);
  for (let index = 0; index < count; index++)
    words.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES).reverse();
  return words;
}
