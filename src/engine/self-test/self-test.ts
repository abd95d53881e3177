import { isEqual, joinBytes } from '../../bytes.ts';
import { messageOf } from '../../text.ts';
import type { CryptoFunctions } from '../backends/backend.ts';
import { EDDSA, INPUTS, KEY, OUTSIDE_G2, POSEIDON2_OF_COUNTING, PROOF, SECOND, THIRD } from './vectors.ts';

/** A proof of the vectors, original or altered, with its expected verdict. */
export interface Member {
  readonly proof: Uint8Array;
  readonly inputs: Uint8Array;
  /** The byte that a backend must return, see `verdictOfByte`. */
  readonly verdict: number;
}

const [VALID, FALSE, NOT_ON_CURVE, NOT_IN_SUBGROUP] = [1, 2, 5, 6];
// Byte offsets of A, B and C in a proof.
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

/** A valid proof and a false one. */
const PAIR: readonly Member[] = [first, otherInput];

/** Enough members to fill 4 and 8 SIMD lanes twice; invalid ones are in several lanes. */
export const MANY: readonly Member[] = [
  first,
  second,
  third,
  otherInput,
  second,
  outsider,
  first,
  third,
  offCurve,
  first,
  second,
  otherC,
  third,
  second,
  otherInput,
  first,
  second,
  third,
];

/** Returns members as one batch for a backend. */
export function batchOf(members: readonly Member[]): Uint8Array {
  return joinBytes(members.flatMap(({ proof, inputs }) => [proof, inputs]));
}

type Check = (functions: CryptoFunctions) => boolean;

/** Checks by name, in their order. */
export type Checks = Readonly<Record<string, Check>>;

/** The elements 0, 1 and 2. */
const COUNTING: Uint8Array = Uint8Array.from({ length: 96 }, (_, at) => (at % 32 === 31 ? at >> 5 : 0));

/** Whether a batch of the vectors gets its expected verdicts, both combined and proof by proof. */
function hasExpectedVerdicts(functions: CryptoFunctions, members: readonly Member[]): boolean {
  const handle = functions.prepareKey(KEY.slice());
  try {
    const batch = batchOf(members);
    const expected = Uint8Array.from(members, ({ verdict }) => verdict);
    return (
      isEqual(functions.verifyBatch(handle, batch, crypto.getRandomValues(new Uint8Array(32))), expected) &&
      isEqual(functions.verifyEach(handle, batch), expected)
    );
  } finally {
    functions.releaseKey(handle);
  }
}

/** Calls `use` with the handle of the signing key of the vectors, and releases the key afterwards. */
function withSigningKey<T>(functions: CryptoFunctions, use: (handle: number) => T): T {
  const handle = functions.createSigningKey(EDDSA.seed.slice());
  try {
    return use(handle);
  } finally {
    functions.releaseSigningKey(handle);
  }
}

/** Returns the name and reason of the first check that fails, or undefined if all pass. */
function firstFault(checks: Checks, functions: CryptoFunctions): string | undefined {
  for (const [name, check] of Object.entries(checks)) {
    try {
      if (!check(functions)) return `${name}: the answer differs from the vector`;
    } catch (error) {
      return `${name}: ${messageOf(error)}`;
    }
  }
  return undefined;
}

function checkEddsa(functions: CryptoFunctions): boolean {
  const { publicKey, message, signature } = EDDSA;
  return withSigningKey(
    functions,
    (handle) =>
      isEqual(functions.publicKey(handle).subarray(64), publicKey) &&
      isEqual(functions.sign(handle, message), signature) &&
      functions.verifySignature(publicKey, message, signature),
  );
}

const CHECKS: Checks = {
  'true and false proof': (functions) => hasExpectedVerdicts(functions, PAIR),
  Poseidon2: (functions) => isEqual(functions.poseidon2(3, COUNTING), POSEIDON2_OF_COUNTING),
  EdDSA: checkEddsa,
};

/**
 * Runs the known-answer tests that every thread must pass before it takes work; returns name and reason of the first
 * failure, or undefined if all pass.
 */
export function selfTest(functions: CryptoFunctions): string | undefined {
  return firstFault(CHECKS, functions);
}

// Fills 4 and 8 SIMD lanes at least twice, the last time partially.
const COUNT = 18;

/** Interleaves two items, so that a lane that returns the result of another lane is detected. */
function mixed<T>(one: T, other: T): T[] {
  return Array.from({ length: COUNT }, (_, index) => (index % 3 === 0 ? other : one));
}

function checkPoseidon2InLanes(functions: CryptoFunctions): boolean {
  const other = POSEIDON2_OF_COUNTING;
  const permuted = functions.poseidon2(3, joinBytes(mixed(COUNTING, other)));
  return isEqual(permuted, joinBytes(mixed(POSEIDON2_OF_COUNTING, functions.poseidon2(3, other))));
}

function checkEddsaInLanes(functions: CryptoFunctions): boolean {
  const { publicKey, message, signature } = EDDSA;
  const other = POSEIDON2_OF_COUNTING.subarray(0, 32);
  return withSigningKey(functions, (handle) => {
    const ofOther = functions.sign(handle, other);
    return (
      functions.verifySignature(publicKey, other, ofOther) &&
      !functions.verifySignature(publicKey, other, signature) &&
      isEqual(functions.sign(handle, joinBytes(mixed(message, other))), joinBytes(mixed(signature, ofOther)))
    );
  });
}

const LANE_CHECKS: Checks = {
  'batch of proofs': (functions) => hasExpectedVerdicts(functions, MANY),
  'Poseidon2 in lanes': checkPoseidon2InLanes,
  'EdDSA in lanes': checkEddsaInLanes,
};

/**
 * Runs the self-test and then batches that fill SIMD lanes; returns as `selfTest` does. It runs once for an
 * arithmetic, on the main thread: threads that start later run the same machine code and must start quickly.
 */
export function selfTestInLanes(functions: CryptoFunctions): string | undefined {
  return selfTest(functions) ?? firstFault(LANE_CHECKS, functions);
}
