import { isEqual } from '../../bytes.ts';
import { messageOf } from '../../text.ts';
import type { CryptoFunctions } from '../backends/backend.ts';
import { batchOf, type Member, PAIR } from './batch.ts';
import { EDDSA, KEY, POSEIDON2_OF_COUNTING } from './vectors.ts';

type Check = (functions: CryptoFunctions) => boolean;

/** Checks by name, in their order. */
export type Checks = Readonly<Record<string, Check>>;

/** The elements 0, 1 and 2. */
export const COUNTING: Uint8Array = Uint8Array.from({ length: 96 }, (_, at) =>
  at % 32 === 31 ? at >> 5 : 0,
);

/** Whether a batch of the vectors gets its expected verdicts, both combined and proof by proof. */
export function hasExpectedVerdicts(functions: CryptoFunctions, members: readonly Member[]): boolean {
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
export function withSigningKey<T>(functions: CryptoFunctions, use: (handle: number) => T): T {
  const handle = functions.createSigningKey(EDDSA.seed.slice());
  try {
    return use(handle);
  } finally {
    functions.releaseSigningKey(handle);
  }
}

/** Returns the name and reason of the first check that fails, or undefined if all pass. */
export function firstFault(checks: Checks, functions: CryptoFunctions): string | undefined {
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
 * Runs the known-answer tests that every thread must pass before it takes work; returns the name and reason
 * of the first that fails, or undefined if all pass.
 */
export function selfTest(functions: CryptoFunctions): string | undefined {
  return firstFault(CHECKS, functions);
}
