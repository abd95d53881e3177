import { joinBytes } from '../../bytes.ts';
import { INPUTS, OUTSIDE_G2, PROOF, SECOND, THIRD } from './vectors.ts';

/** A proof of the vectors, original or altered, with its expected verdict. */
export interface Member {
  readonly proof: Uint8Array;
  readonly inputs: Uint8Array;
  /** The byte that a backend must return, see `verdictOfByte`. */
  readonly verdict: number;
}

const [VALID, FALSE, NOT_ON_CURVE, NOT_IN_SUBGROUP] = [1, 2, 5, 6];
// Where A, B and C begin in a proof, in bytes.
const [A_AT, B_AT, C_AT] = [0, 64, 192];

/** Returns a copy with `part` written at an offset. */
function replaced(bytes: Uint8Array, at: number, part: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy.set(part, at);
  return copy;
}

/** Returns a copy with the lowest bit of the byte at an offset flipped. */
const flipped = (bytes: Uint8Array, at: number): Uint8Array =>
  replaced(bytes, at, Uint8Array.of((bytes[at] ?? 0) ^ 1));

const first: Member = { proof: PROOF, inputs: INPUTS, verdict: VALID };
const second: Member = { ...SECOND, verdict: VALID };
const third: Member = { ...THIRD, proof: replaced(new Uint8Array(256), 0, THIRD.compressed), verdict: VALID };
const otherInput: Member = { ...first, inputs: flipped(INPUTS, 63), verdict: FALSE };
const otherC: Member = {
  ...second,
  proof: replaced(SECOND.proof, C_AT, SECOND.proof.subarray(A_AT, B_AT)),
  verdict: FALSE,
};
const outsider: Member = { ...first, proof: replaced(PROOF, B_AT, OUTSIDE_G2), verdict: NOT_IN_SUBGROUP };
const offCurve: Member = { ...second, proof: flipped(SECOND.proof, B_AT - 1), verdict: NOT_ON_CURVE };

/** One true proof and one false one. */
export const PAIR: readonly Member[] = [first, otherInput];

/** Enough members to fill 4 and 8 SIMD lanes twice; those that are not valid are in several lanes. */
export const MANY: readonly Member[] = [
  ...[first, second, third, otherInput],
  ...[second, outsider, first, third],
  ...[offCurve, first, second, otherC],
  ...[third, second, otherInput, first],
  ...[second, third],
];

/** Returns members as one batch for a backend. */
export function batchOf(members: readonly Member[]): Uint8Array {
  return joinBytes(members.flatMap(({ proof, inputs }) => [proof, inputs]));
}
