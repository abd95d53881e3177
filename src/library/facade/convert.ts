import {
  CONVERSION_TARGETS,
  type ConversionTarget,
  type ConvertedKey,
  type ConvertedProof,
  type ConvertProofOptions,
  convertKey as toKey,
  convertProof as toProof,
} from '../../groth16/convert.ts';
import type { KeyForm } from '../../groth16/key.ts';
import type { ProofForm } from '../../groth16/proof.ts';
import { ProofgateError, publicError, reading } from './proofgate-error.ts';

/** Options of `convertKey`. */
export interface ConvertKeyOptions {
  /** Depth of the tree whose key is taken from a file with the keys of several, as that of Semaphore. */
  readonly depth?: number | undefined;
}

/**
 * Converts a verifying key in any form of src/docs/proofs-from-other-tools.md: `snarkjs` is the object of
 * `verification_key.json`, `solidity` an object of points with G2 as c1 then c0, `bytes` those that `addKey` takes.
 * Neither the subgroup of its points nor their relations are checked.
 *
 * @throws ProofgateError `key.*`; `engine.option` for another `to`
 */
export function convertKey<T extends ConversionTarget>(
  key: KeyForm,
  to: T,
  options: ConvertKeyOptions = {},
): ConvertedKey[T] {
  checkTarget(to);
  return converting('key.not_json', () => toKey(key, to, options));
}

/**
 * Converts a proof in any form of src/docs/proofs-from-other-tools.md: `snarkjs` is `{ proof, publicSignals }` as
 * `fullProve` returns it, `solidity` the text of the arguments of `verifyProof`, `bytes` the 256 bytes of the proof. A
 * compressed proof is decompressed. The points must be on their curves; whether the proof holds is not checked.
 *
 * @throws ProofgateError `proof.*`, `input.*`; `engine.option` for another `to`
 */
export function convertProof<T extends ConversionTarget>(
  proof: ProofForm,
  to: T,
  options: ConvertProofOptions = {},
): ConvertedProof[T] {
  checkTarget(to);
  return converting('proof.form', () => toProof(proof, to, options));
}

function checkTarget(to: unknown): void {
  if (!CONVERSION_TARGETS.some((target) => target === to))
    throw new ProofgateError('engine.option', `to: expected one of ${CONVERSION_TARGETS.join(', ')}`);
}

function converting<T>(code: string, step: () => T): T {
  try {
    return reading(code, step);
  } catch (error) {
    throw publicError(error);
  }
}
