import { toHex } from '../semaphore/hex.ts';
import { isOnTwist } from './curve.ts';
import { isGnarkCompressed } from './forms/gnark.ts';
import { wordsOf } from './found.ts';
import { FIELD_ORDER, G1_BYTES, G2_BYTES, WORD_BYTES } from './layout.ts';
import { selectorName } from './zkvm/versions.ts';

/** Whether the words of a point of G2 are one of the twist if c0 and c1 change places. */
export function looksSwapped(words: readonly bigint[]): boolean {
  const [x1, x0, y1, y0] = words;
  if (x1 === undefined || x0 === undefined || y1 === undefined || y0 === undefined) return false;
  return words.every((word) => word < FIELD_ORDER) && isOnTwist({ x: [x1, x0], y: [y1, y0] });
}

/** Returns a proof whose B has its parts in the other order, if B is then on the twist. */
export function swappedProof(proof: Uint8Array): Uint8Array | undefined {
  const words = wordsOf(proof.subarray(G1_BYTES, G1_BYTES + G2_BYTES));
  const [x1 = 0n, x0 = 0n, y1 = 0n, y0 = 0n] = words;
  if (words.some((word) => word >= FIELD_ORDER) || isOnTwist({ x: [x0, x1], y: [y0, y1] })) return undefined;
  if (!looksSwapped(words)) return undefined;
  const swapped = proof.slice();
  for (const one of [G1_BYTES, G1_BYTES + 2 * WORD_BYTES]) {
    const other = one + WORD_BYTES;
    swapped.set(proof.subarray(other, other + WORD_BYTES), one);
    swapped.set(proof.subarray(one, other), other);
  }
  return swapped;
}

/** Bytes of a Groth16 proof over BLS12-381, compressed or not. */
const BLS12_381_BYTES: readonly number[] = [192, 384];

/** Returns what bytes of another length than a proof has probably are, as the end of a message; empty if unknown. */
export function suspicionOfLength(bytes: Uint8Array): string {
  const name = selectorName(toHex(bytes.subarray(0, 4)));
  if (name !== undefined) return `, which begin with the selector of ${name}`;
  return BLS12_381_BYTES.includes(bytes.length)
    ? ', as many as a proof over BLS12-381 has: only BN254 is read'
    : '';
}

/**
 * Returns what is probably wrong with a proof that has a point outside its curve, as the end of a message; empty if
 * nothing is known.
 *
 * @param proof - 256 bytes, as read.
 */
export function suspicionOf(code: string, proof: Uint8Array): string {
  if (code === 'proof.decompression' && isGnarkCompressed(proof))
    return ': the first bits are flags of gnark, but the bytes are no points of it either';
  if (code !== 'proof.point_not_on_curve') return '';
  return swappedProof(proof) === undefined
    ? ''
    : ': B looks like the other order of the parts of G2 (Solidity has c1 before c0, snarkjs c0 before c1); swap the parts of each coordinate';
}
