import { createHash } from 'node:crypto';
import mcl from 'mcl-wasm';
import { be32, fromBe, inverse, modulo, R } from './bn254.ts';

/** Returns a secret scalar of the key by its name (spec/verification.md#known-trapdoor-key). */
export function trapdoorScalar(name: string): bigint {
  return fromBe(createHash('sha256').update(`proofgate-test-trapdoor-v1:${name}`).digest()) % R;
}

/** Deterministic scalars in 1..r-1 from a seed, so that a failing case can be reproduced. */
export function scalarStream(seed: string): () => bigint {
  let counter = 0;
  return () => (fromBe(createHash('sha512').update(`${seed}:${counter++}`).digest()) % (R - 1n)) + 1n;
}

const mod = (value: bigint): bigint => modulo(value, R);

/** Arithmetic of the two groups by mcl, which shares no code with either backend. */
export interface Groups {
  /** k·G1 in 64 bytes; 64 zero bytes for zero. */
  g1(scalar: bigint): Uint8Array;
  /** k·G2 in 128 bytes, c1 before c0; 128 zero bytes for zero. */
  g2(scalar: bigint): Uint8Array;
}

const G2_GENERATOR = [
  '1',
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
  '90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
].join(' ');

let ready: Promise<Groups> | undefined;

/** Loads mcl once for BN254, which mcl calls BN_SNARK1. */
export function groups(): Promise<Groups> {
  ready ??= load();
  return ready;
}

async function load(): Promise<Groups> {
  await mcl.init(mcl.BN_SNARK1);
  const base1 = new mcl.G1();
  base1.setStr('1 1 2', 16);
  const base2 = new mcl.G2();
  base2.setStr(G2_GENERATOR, 16);
  const scalar = (value: bigint): InstanceType<typeof mcl.Fr> => {
    const fr = new mcl.Fr();
    fr.setStr(value.toString(16), 16);
    return fr;
  };
  const words = (text: string): Uint8Array[] =>
    text
      .split(' ')
      .slice(1)
      .map((word) => be32(BigInt(`0x${word}`)));
  return {
    g1(k) {
      if (mod(k) === 0n) return new Uint8Array(64);
      const [x, y] = words((mcl.mul(base1, scalar(mod(k))) as InstanceType<typeof mcl.G1>).getStr(16));
      return Buffer.concat([x as Uint8Array, y as Uint8Array]);
    },
    g2(k) {
      if (mod(k) === 0n) return new Uint8Array(128);
      const [x0, x1, y0, y1] = words(
        (mcl.mul(base2, scalar(mod(k))) as InstanceType<typeof mcl.G2>).getStr(16),
      );
      return Buffer.concat([x1, x0, y1, y0] as Uint8Array[]);
    },
  };
}

/**
 * A key whose discrete logarithms are known, with n public inputs (spec/verification.md#known-trapdoor-key
 * has n = 4).
 */
export interface Trapdoor {
  readonly inputCount: number;
  /** α ‖ β ‖ γ ‖ δ ‖ IC, as `Engine.registerKey` takes it. */
  readonly key: Uint8Array;
  /**
   * A proof of `inputs` from the nonzero scalars a and b, 256 bytes; with `isFalse` a well-formed proof that
   * does not verify.
   */
  prove(inputs: readonly bigint[], a: bigint, b: bigint, isFalse?: boolean): Uint8Array;
  /** The scalar c of the valid proof. */
  solve(inputs: readonly bigint[], a: bigint, b: bigint): bigint;
}

/**
 * The key trapdoor-4 of spec/verification.md#known-trapdoor-key, or the same construction with another number
 * of inputs.
 */
export async function trapdoor(inputCount = 4): Promise<Trapdoor> {
  const { g1, g2 } = await groups();
  const [alpha, beta, gamma, delta] = ['alpha', 'beta', 'gamma', 'delta'].map(trapdoorScalar) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const ic = Array.from({ length: inputCount + 1 }, (_, index) => trapdoorScalar(`ic${index}`));
  const deltaInverse = inverse(delta, R);
  const solve = (inputs: readonly bigint[], a: bigint, b: bigint): bigint => {
    const l = inputs.reduce((sum, x, index) => sum + x * (ic[index + 1] as bigint), ic[0] as bigint);
    return mod((a * b - alpha * beta - gamma * l) * deltaInverse);
  };
  return {
    inputCount,
    key: Buffer.concat([g1(alpha), g2(beta), g2(gamma), g2(delta), ...ic.map(g1)]),
    solve,
    prove: (inputs, a, b, isFalse = false) =>
      Buffer.concat([g1(a), g2(b), g1(solve(inputs, a, b) + (isFalse ? 1n : 0n))]),
  };
}
