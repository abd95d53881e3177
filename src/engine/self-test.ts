import { randomBytes } from 'node:crypto';
import type { CryptoFunctions } from './backends/backend.ts';
import { EDDSA, INPUTS, KEY, POSEIDON2_OF_COUNTING, PROOF } from './self-test-vectors.ts';

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

function checkProofs(functions: CryptoFunctions): boolean {
  const falseInputs = INPUTS.slice();
  falseInputs[63] = (falseInputs[63] as number) ^ 1;
  const batch = new Uint8Array(Buffer.concat([PROOF, INPUTS, PROOF, falseInputs]));
  const handle = functions.prepareKey(KEY.slice());
  try {
    return isEqual(functions.verifyBatch(handle, batch, randomBytes(32)), Uint8Array.of(0, 1));
  } finally {
    functions.releaseKey(handle);
  }
}

function checkPoseidon2(functions: CryptoFunctions): boolean {
  const state = new Uint8Array(96);
  state[63] = 1;
  state[95] = 2;
  return isEqual(functions.poseidon2(3, state), POSEIDON2_OF_COUNTING);
}

function checkEddsa(functions: CryptoFunctions): boolean {
  const { seed, publicKey, message, signature } = EDDSA;
  const handle = functions.createSigningKey(seed.slice());
  try {
    return (
      isEqual(functions.publicKey(handle).subarray(64), publicKey) &&
      isEqual(functions.sign(handle, message), signature) &&
      functions.verifySignature(publicKey, message, signature)
    );
  } finally {
    functions.releaseSigningKey(handle);
  }
}

const CHECKS = { 'true and false proof': checkProofs, Poseidon2: checkPoseidon2, EdDSA: checkEddsa } as const;

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
