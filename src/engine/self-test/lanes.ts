import { isEqual, joinBytes } from '../../bytes.ts';
import type { CryptoFunctions } from '../backends/backend.ts';
import { MANY } from './batch.ts';
import {
  type Checks,
  COUNTING,
  firstFault,
  hasExpectedVerdicts,
  selfTest,
  withSigningKey,
} from './self-test.ts';
import { EDDSA, POSEIDON2_OF_COUNTING } from './vectors.ts';

// Fills 4 and 8 SIMD lanes at least twice, the last time only in part.
const COUNT = 18;

/** Interleaves two items, so that a lane that returns the result of another lane is detected. */
function mixed<T>(one: T, other: T): T[] {
  return Array.from({ length: COUNT }, (_, index) => (index % 3 === 0 ? other : one));
}

function checkPoseidon2(functions: CryptoFunctions): boolean {
  const other = POSEIDON2_OF_COUNTING;
  const permuted = functions.poseidon2(3, joinBytes(mixed(COUNTING, other)));
  return isEqual(permuted, joinBytes(mixed(POSEIDON2_OF_COUNTING, functions.poseidon2(3, other))));
}

function checkEddsa(functions: CryptoFunctions): boolean {
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

const CHECKS: Checks = {
  'batch of proofs': (functions) => hasExpectedVerdicts(functions, MANY),
  'Poseidon2 in lanes': checkPoseidon2,
  'EdDSA in lanes': checkEddsa,
};

/**
 * Runs the self-test and then batches that fill SIMD lanes; returns as `selfTest` does. It runs once for an
 * arithmetic, on the main thread: threads that start later run the same machine code and must start quickly.
 */
export function selfTestInLanes(functions: CryptoFunctions): string | undefined {
  return selfTest(functions) ?? firstFault(CHECKS, functions);
}
