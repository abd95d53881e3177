import { createHash } from 'node:crypto';
import { bn254, bn254_Fr as Fr } from '@noble/curves/bn254.js';
import { numberOf, wordOf } from '../../semaphore/index.ts';

const { Fp } = bn254.fields;
const { BASE: G1 } = bn254.G1.Point;
const { BASE: G2 } = bn254.G2.Point;
/** p ≡ 3 mod 4, so that squares have this power as a root. */
const ROOT_EXPONENT = (Fp.ORDER + 1n) / 4n;
// The constant 3/(9 + u) of the twist is 27/82 − (3/82)·u (EIP-197).
const TWIST_C0 = Fp.div(27n, 82n);
const TWIST_C1 = Fp.div(3n, 82n);

interface Fp2 {
  readonly c0: bigint;
  readonly c1: bigint;
}

/** Returns a secret scalar of the key by its name (spec/verification.md#known-trapdoor-key). */
function trapdoorScalar(name: string): bigint {
  return Fr.create(numberOf(createHash('sha256').update(`proofgate-test-trapdoor-v1:${name}`).digest()));
}

/**
 * Makes a proof of any public inputs in three scalar multiplications, since the scalars of the key are public.
 *
 * @param inputs - Each below the scalar order r.
 * @param a - Not 0 modulo r, as is `b`; other scalars make another proof of the same inputs.
 * @returns The four words of the compressed proof (spec/verification.md#compressed-proofs), 32 bytes each.
 */
export function proveByTrapdoor(inputs: readonly bigint[], a: bigint, b: bigint): Uint8Array[] {
  const inputSum = inputs.reduce(
    (sum, input, index) => sum + input * trapdoorScalar(`ic${index + 1}`),
    trapdoorScalar('ic0'),
  );
  const fixed = trapdoorScalar('alpha') * trapdoorScalar('beta') + trapdoorScalar('gamma') * inputSum;
  const c = Fr.div(Fr.create(a * b - fixed), trapdoorScalar('delta'));
  const pointB = G2.multiply(Fr.create(b)).toAffine();
  return [
    compressG1(G1.multiply(Fr.create(a)).toAffine()),
    ...compressG2(pointB.x, pointB.y),
    compressG1(G1.multiply(c).toAffine()),
  ].map(wordOf);
}

function compressG1({ x, y }: { readonly x: bigint; readonly y: bigint }): bigint {
  const root = squareRoot(Fp.add(Fp.pow(x, 3n), 3n));
  return (x << 1n) | (root === y ? 0n : 1n);
}

/** Returns the words of the imaginary and of the real part. */
function compressG2(x: Fp2, y: Fp2): [bigint, bigint] {
  const n = Fp.mul(Fp.mul(x.c0, x.c1), Fp.ORDER - 3n);
  const y0 = Fp.add(Fp.add(TWIST_C0, Fp.pow(x.c0, 3n)), Fp.mul(n, x.c1));
  const y1 = Fp.neg(Fp.add(Fp.add(TWIST_C1, Fp.pow(x.c1, 3n)), Fp.mul(n, x.c0)));
  const norm = squareRoot(Fp.add(Fp.sqr(y0), Fp.sqr(y1))) ?? 0n;
  const half = (d: bigint): bigint | undefined => squareRoot(Fp.div(Fp.add(y0, d), 2n));
  const unhinted = half(norm);
  const root = unhinted ?? half(Fp.neg(norm));
  const hint = unhinted === undefined ? 1n : 0n;
  return [x.c1, (x.c0 << 2n) | (hint << 1n) | (root === y.c0 ? 0n : 1n)];
}

function squareRoot(value: bigint): bigint | undefined {
  const root = Fp.pow(value, ROOT_EXPONENT);
  return Fp.eql(Fp.sqr(root), value) ? root : undefined;
}
