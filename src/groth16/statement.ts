import { isBytes, isEqual, joinBytes } from '../bytes.ts';
import { isObject } from '../json.ts';
import { FormError } from './layout.ts';
import { type ProofFormName, type ReadProof, readProof } from './proof.ts';
import { readSignals } from './signals.ts';
import { type Risc0Claim, type Risc0Release, risc0Signals } from './zkvm/risc0.ts';
import { type Semaphore4Statement, semaphoreSignals } from './zkvm/semaphore4.ts';
import { type Sp1Statement, sp1Signals } from './zkvm/sp1.ts';

/** A proof with its public signals, as the engine takes them. */
export interface ReadStatement {
  readonly form: ProofFormName;
  /** 256 bytes of the proof, then 32 of each signal. */
  readonly bytes: Uint8Array;
}

/**
 * Reads a proof and its public signals, in any of their forms.
 *
 * @throws FormError `proof.*`, and those of `withSignals`
 */
export function readStatement(proof: unknown, publicSignals: unknown, count: number): ReadStatement {
  return withSignals(readProof(proof), publicSignals, count);
}

/**
 * Reads the public signals of a proof.
 *
 * @param publicSignals - May be undefined if they came with the proof; else both must be equal.
 * @param count - Number of public inputs of the verifying key.
 * @throws FormError `input.*`
 */
export function withSignals(proof: ReadProof, publicSignals: unknown, count: number): ReadStatement {
  const { form, bytes, signals: own, seal } = proof;
  const read = (source: unknown): Uint8Array => readSignals(signalsOfClaim(source, seal) ?? source, count);
  const signals = read(publicSignals === undefined ? own : publicSignals);
  if (publicSignals !== undefined && own !== undefined && !isEqual(read(own), signals))
    throw new FormError('input.form', '', 'other public signals came with the proof');
  return { form, bytes: joinBytes([bytes, signals]) };
}

/**
 * Computes the public signals from what the users of a system have in their place: of SP1 `vkeyHash` and `publicValues`,
 * of RISC Zero `imageId` and `journal`, or `claimDigest`; of Semaphore root, nullifier, message and scope.
 *
 * @param seal - The proof with its selector, which tells the release.
 * @returns undefined for anything else.
 * @throws FormError `input.*`, `proof.*`
 */
function signalsOfClaim(source: unknown, seal: Uint8Array | undefined): readonly bigint[] | undefined {
  if (!isObject(source) || isBytes(source)) return undefined;
  const { vkeyHash, imageId, claimDigest, merkleTreeRoot } = source;
  if (merkleTreeRoot !== undefined) return semaphoreSignals(source as unknown as Semaphore4Statement);
  if (vkeyHash !== undefined) return sp1Signals({ ...source, proof: sealOf(seal) } as Sp1Statement);
  if (imageId === undefined && claimDigest === undefined) return undefined;
  const { controlRoot, bn254ControlId } = source;
  const release = controlRoot === undefined ? { seal: sealOf(seal) } : { controlRoot, bn254ControlId };
  try {
    return risc0Signals(source as unknown as Risc0Claim, release as Risc0Release);
  } catch (error) {
    // The caller gave the seal as the proof.
    if (error instanceof FormError && error.path === 'seal')
      throw new FormError(error.code, 'proof', error.expected, error.isType);
    throw error;
  }
}

function sealOf(seal: Uint8Array | undefined): Uint8Array {
  if (seal !== undefined) return seal;
  throw new FormError(
    'proof.form',
    '',
    'expected a proof that begins with its selector (proof.bytes() of SP1, encode_seal of RISC Zero), which tells the release',
  );
}

/** The forms that the documents of the engine name first; an answer names any other. */
const USUAL: readonly string[] = ['snarkjs', 'bytes', 'compressed-bytes'] satisfies ProofFormName[];

/** Returns the form as a member of an answer; nothing for the usual ones. */
export function shownForm<F extends string>(form: F): { readonly form?: F } {
  return USUAL.includes(form) ? {} : { form };
}
