import mcl from 'mcl-wasm';
import { be32, fromBe } from '../../test/support/crypto/bn254.ts';

const WORD_BYTES = 32;

type Fp = InstanceType<typeof mcl.Fp>;

function fieldElement(word: bigint): Fp {
  const element = new mcl.Fp();
  element.setStr(word.toString(16), 16);
  return element;
}

/** 1 if the number is no square, else 0. Decompression takes the root that is a square itself. */
const flagOf = (element: Fp): bigint => (mcl.squareRoot(element)[0] ? 0n : 1n);

/**
 * Compresses a proof of finite points (spec/verification.md#compressed-proofs), about ten times faster than the plain
 * reference. The module of mcl must be loaded, see `groups`.
 *
 * @param proof - 256 bytes.
 * @returns [a, b_c1, b_c0, c], 32 bytes each.
 */
export function compressProof(proof: Uint8Array): Uint8Array[] {
  const [ax, ay, bx1, bx0, by1, by0, cx, cy] = Array.from({ length: 8 }, (_, index) =>
    fromBe(proof.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES)),
  ) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
  const [real, imaginary] = [fieldElement(by0), fieldElement(by1)];
  const hint = flagOf(mcl.add(mcl.sqr(real), mcl.sqr(imaginary)) as Fp);
  return [
    (ax << 1n) | flagOf(fieldElement(ay)),
    bx1,
    (bx0 << 2n) | (hint << 1n) | flagOf(real),
    (cx << 1n) | flagOf(fieldElement(cy)),
  ].map(be32);
}
