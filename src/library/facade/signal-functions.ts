import { type Risc0Claim, type Risc0Release, risc0Signals as risc0 } from '../../groth16/zkvm/risc0.ts';
import {
  type Semaphore3Statement,
  type Semaphore4Statement,
  semaphoreSignals as semaphore,
} from '../../groth16/zkvm/semaphore4.ts';
import { type Sp1Statement, sp1Signals as sp1 } from '../../groth16/zkvm/sp1.ts';
import { publicError, reading } from './proofgate-error.ts';

/**
 * Builds the public signals of a Groth16 proof of SP1: of the program that must have run and of its public values.
 *
 * @throws ProofgateError `input.form`, `input.range`, `proof.form`, `proof.length`
 */
export function sp1Signals(statement: Sp1Statement): bigint[] {
  return withPublicErrors(() => sp1(statement));
}

/**
 * Builds the public signals of a Groth16 receipt of RISC Zero: of the program and its journal, or of a claim digest.
 *
 * @throws ProofgateError `input.form`, `input.range`, `proof.form`, `proof.length`
 */
export function risc0Signals(claim: Risc0Claim, release: Risc0Release): bigint[] {
  return withPublicErrors(() => risc0(claim, release));
}

/**
 * Builds the public signals of a proof of Semaphore v4 or v3: of root, nullifier, message and scope.
 *
 * @throws ProofgateError `input.form`, `input.range`
 */
export function semaphoreSignals(proof: Semaphore4Statement | Semaphore3Statement): bigint[] {
  return withPublicErrors(() => semaphore(proof));
}

function withPublicErrors<T>(step: () => T): T {
  try {
    return reading('input.form', step);
  } catch (error) {
    throw publicError(error);
  }
}
