import { be32, fromBe, P, R } from '../../test/support/crypto/bn254.ts';
import type { ProofMember } from './proof-set.ts';

/** Kind of the member with a coordinate that is not below p; snarkjs reduces such a coordinate silently. */
export const COORDINATE_ABOVE_P = 'coordinate above p';

// A point of the twist whose order is not r: x = (0, 1) (spec/verification.md#subgroup-check).
const OUTSIDE_SUBGROUP = [
  0n,
  1n,
  0x0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4n,
  0x2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bbn,
];

const wordAt = (bytes: Uint8Array, index: number): bigint =>
  fromBe(bytes.subarray(32 * index, 32 * index + 32));

function withWord(bytes: Uint8Array, index: number, value: bigint): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy.set(be32(value), 32 * index);
  return copy;
}

/** Makes members from a valid proof that break one check each; skipping the check changes the answer. */
export function refusedMembers({ proof, inputs }: ProofMember): ProofMember[] {
  const outside = Uint8Array.from(proof);
  OUTSIDE_SUBGROUP.forEach((word, index) => {
    outside.set(be32(word), 64 + 32 * index);
  });
  const changed = (index: number): Uint8Array => withWord(proof, index, wordAt(proof, index) ^ 1n);
  const rows: readonly (readonly [string, Uint8Array, Uint8Array])[] = [
    [COORDINATE_ABOVE_P, withWord(proof, 0, wordAt(proof, 0) + P), inputs],
    ['input above r', proof, withWord(inputs, 1, wordAt(inputs, 1) + R)],
    ['A off the curve', changed(1), inputs],
    ['B off the twist', changed(5), inputs],
    ['C off the curve', changed(7), inputs],
    ['B outside the subgroup', outside, inputs],
  ];
  return rows.map(([kind, bytes, words]) => ({
    proof: bytes,
    inputs: words,
    kind,
    expected: 'refused',
  }));
}
