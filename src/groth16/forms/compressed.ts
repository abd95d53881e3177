/** The compressed form of the engine (spec/verification.md#compressed-proofs). */
import { wordOf } from '../../semaphore/words.ts';
import { type PointG1, type PointG2, pointOfRoot, twistPointOfRoot } from '../curve.ts';
import { wordsOf, wordsOfG1, wordsOfG2 } from '../found.ts';
import { FIELD_ORDER, FormError, G1_BYTES, G2_BYTES, PROOF_BYTES, WORD_BYTES } from '../layout.ts';

/**
 * Decompresses a proof: `a`, `b_c1`, `b_c0` and `c`.
 *
 * @param bytes - 128 bytes.
 * @returns 256 bytes for the engine.
 * @throws FormError `proof.decompression`, also if B and C are at infinity, which 256 bytes cannot tell from this form
 */
export function decompressedProof(bytes: Uint8Array): Uint8Array {
  const [a = 0n, b1 = 0n, b0 = 0n, c = 0n] = wordsOf(bytes);
  if (b1 === 0n && b0 === 0n && c === 0n)
    throw new FormError('proof.decompression', '', 'B and C are the point at infinity');
  const proof = new Uint8Array(PROOF_BYTES);
  const put = (words: readonly bigint[], offset: number): void => {
    for (const [index, word] of words.entries()) proof.set(wordOf(word), offset + index * WORD_BYTES);
  };
  put(pointInG1(a, 'A'), 0);
  put(pointInG2(b1, b0), G1_BYTES);
  put(pointInG1(c, 'C'), G1_BYTES + G2_BYTES);
  return proof;
}

function pointInG1(word: bigint, name: string): bigint[] {
  if (word === 0n) return [0n, 0n];
  const x = word >> 1n;
  checkBelowOrder(name, x);
  return wordsOfG1(found(name, pointOfRoot(x, (word & 1n) === 1n)));
}

function pointInG2(c1: bigint, word: bigint): bigint[] {
  if (c1 === 0n && word === 0n) return [0n, 0n, 0n, 0n];
  const c0 = word >> 2n;
  checkBelowOrder('B', c0, c1);
  const root = { hint: (word & 2n) === 2n, isNegated: (word & 1n) === 1n };
  return wordsOfG2(found('B', twistPointOfRoot([c0, c1], root)));
}

function checkBelowOrder(name: string, ...parts: readonly bigint[]): void {
  if (parts.some((part) => part >= FIELD_ORDER))
    throw new FormError('proof.decompression', name, 'expected an x below p');
}

function found<T extends PointG1 | PointG2>(name: string, point: T | undefined): T {
  if (point === undefined)
    throw new FormError('proof.decompression', name, 'no point of the curve has this x and these bits');
  return point;
}
