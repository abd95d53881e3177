import { randomBytes } from 'node:crypto';
import type { CryptoFunctions } from './backends/backend.ts';
import { batchOf, MANY, PAIR } from './self-test-batch.ts';
import { EDDSA, KEY, POSEIDON2_OF_COUNTING } from './self-test-vectors.ts';

// Eight lanes twice, and some that stay empty.
const LANES_FILLED = 18;

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

function checkProofs(functions: CryptoFunctions): boolean {
  const handle = functions.prepareKey(KEY.slice());
  try {
    return [PAIR, MANY].every((members) =>
      isEqual(
        functions.verifyBatch(handle, batchOf(members), randomBytes(32)),
        Uint8Array.from(members, ({ verdict }) => verdict),
      ),
    );
  } finally {
    functions.releaseKey(handle);
  }
}

function checkPoseidon2(functions: CryptoFunctions): boolean {
  const counting = new Uint8Array(96);
  counting[63] = 1;
  counting[95] = 2;
  const state = POSEIDON2_OF_COUNTING;
  const next = functions.poseidon2(3, state);
  const states = Array.from({ length: LANES_FILLED }, (_, index) => (index % 3 === 0 ? state : counting));
  const permuted = states.map((of) => (of === state ? next : POSEIDON2_OF_COUNTING));
  return (
    isEqual(functions.poseidon2(3, counting), POSEIDON2_OF_COUNTING) &&
    isEqual(functions.poseidon2(3, joined(states)), joined(permuted))
  );
}

function checkEddsa(functions: CryptoFunctions): boolean {
  const { seed, publicKey, message, signature } = EDDSA;
  const handle = functions.createSigningKey(seed.slice());
  try {
    const other = POSEIDON2_OF_COUNTING.subarray(0, 32);
    const ofOther = functions.sign(handle, other);
    const messages = Array.from({ length: LANES_FILLED }, (_, index) => (index % 3 === 0 ? other : message));
    const signatures = messages.map((of) => (of === other ? ofOther : signature));
    return (
      isEqual(functions.publicKey(handle).subarray(64), publicKey) &&
      isEqual(functions.sign(handle, message), signature) &&
      functions.verifySignature(publicKey, message, signature) &&
      functions.verifySignature(publicKey, other, ofOther) &&
      !functions.verifySignature(publicKey, other, signature) &&
      isEqual(functions.sign(handle, joined(messages)), joined(signatures))
    );
  } finally {
    functions.releaseSigningKey(handle);
  }
}

const CHECKS = { proofs: checkProofs, Poseidon2: checkPoseidon2, EdDSA: checkEddsa } as const;

/** Runs the known answers; gives the name and reason of the first that fails, or undefined when all hold. */
export function selfTest(functions: CryptoFunctions): string | undefined {
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      if (!check(functions)) return `${name}: the answer differs from the vector`;
    } catch (error) {
      return `${name}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return undefined;
}
