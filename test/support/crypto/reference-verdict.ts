/**
 * Independent verdict on a proof: plain BigInt checks, then snarkjs for the equation
 * (spec/verification.md#order-of-refusals and spec/verification.md#reference-verifiers).
 */

import mcl from 'mcl-wasm';
import { groth16 } from 'snarkjs';
import { P, type ProofWords, R, wordsOf } from './bn254.ts';
import { decompress, isOnG1, isOnTwist } from './curve-reference.ts';
import type { VerdictByte } from './proof-cases.ts';
import { groups } from './trapdoor.ts';

const g1Json = ([x, y]: readonly bigint[]): string[] =>
  x === 0n && y === 0n ? ['0', '1', '0'] : [`${x}`, `${y}`, '1'];
const g2Json = ([x1, x0, y1, y0]: readonly bigint[]): string[][] => [
  [`${x0}`, `${x1}`],
  [`${y0}`, `${y1}`],
  ['1', '0'],
];

/** Converts a verifying key from engine bytes to snarkjs form. */
export function snarkjsKey(key: Uint8Array): Record<string, unknown> {
  const words = wordsOf(key);
  const ic = Array.from({ length: (words.length - 14) / 2 }, (_, index) =>
    g1Json(words.slice(14 + 2 * index, 16 + 2 * index)),
  );
  return {
    protocol: 'groth16',
    curve: 'bn128',
    nPublic: ic.length - 1,
    vk_alpha_1: g1Json(words.slice(0, 2)),
    vk_beta_2: g2Json(words.slice(2, 6)),
    vk_gamma_2: g2Json(words.slice(6, 10)),
    vk_delta_2: g2Json(words.slice(10, 14)),
    IC: ic,
  };
}

/** Verdict byte of a refusal before the equation, or undefined when the proof is well formed. */
export async function referenceRefusal(
  proof: Uint8Array,
  inputs: Uint8Array,
): Promise<VerdictByte | undefined> {
  await groups();
  let words: bigint[] | undefined = wordsOf(proof);
  if (words.slice(4).every((word) => word === 0n)) words = decompress(words);
  if (!words) return 3;
  if (words.some((word) => word >= P)) return 4;
  const [ax, ay, bx1, bx0, by1, by0, cx, cy] = words as ProofWords;
  const isG1 = (x: bigint, y: bigint): boolean => (x === 0n && y === 0n) || isOnG1(x, y);
  const isInfiniteB = bx1 === 0n && bx0 === 0n && by1 === 0n && by0 === 0n;
  if (!isG1(ax, ay) || !isG1(cx, cy) || !(isInfiniteB || isOnTwist([bx0, bx1], [by0, by1]))) return 5;
  if (!isInfiniteB) {
    mcl.verifyOrderG2(false);
    const point = new mcl.G2();
    point.setStr(`1 ${[bx0, bx1, by0, by1].map((word) => word.toString(16)).join(' ')}`, 16);
    if (!point.isValidOrder()) return 6;
  }
  return wordsOf(inputs).some((word) => word >= R) ? 7 : undefined;
}

/**
 * Verdict of a proof, or undefined for B at infinity, which snarkjs 0.7.6 always rejects.
 *
 * @param key - In snarkjs form, as `snarkjsKey` returns it.
 */
export async function referenceVerdict(
  key: Record<string, unknown>,
  proof: Uint8Array,
  inputs: Uint8Array,
): Promise<VerdictByte | undefined> {
  const refusal = await referenceRefusal(proof, inputs);
  if (refusal !== undefined) return refusal;
  let words = wordsOf(proof);
  if (words.slice(4).every((word) => word === 0n)) words = decompress(words) as bigint[];
  if (words.slice(2, 6).every((word) => word === 0n)) return undefined;
  const holds = await groth16.verify(
    key,
    wordsOf(inputs).map((word) => `${word}`),
    {
      protocol: 'groth16',
      curve: 'bn128',
      pi_a: g1Json(words.slice(0, 2)),
      pi_b: g2Json(words.slice(2, 6)),
      pi_c: g1Json(words.slice(6)),
    },
  );
  return holds ? 1 : 2;
}

/** Ends the worker threads that snarkjs keeps. */
export async function closeReference(): Promise<void> {
  const { curve_bn128: curve } = globalThis as {
    curve_bn128?: { terminate(): Promise<void> };
  };
  await curve?.terminate();
}
