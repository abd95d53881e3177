import type { Engine } from '../../engine/index.ts';
import { hashToField } from '../../semaphore/index.ts';
import type { Bytes32 } from '../../storage/index.ts';

/** Statement of an authentication proof (spec/credential.md#authentication-proof). */
export interface AuthenticationStatement {
  readonly idCommitment: Bytes32;
  readonly nullifierHash: Bytes32;
  /** Bytes that the proof signs. */
  readonly signal: Uint8Array;
  /** Pre-image of the external nullifier. */
  readonly externalNullifier: Uint8Array;
}

/**
 * Computes the public inputs of an authentication proof, 128 bytes: the root of the tree that holds only
 * idCommitment, the nullifier hash, the hash of the signal, and the hash of the external nullifier.
 *
 * @param depth - Tree depth of the circuit.
 * @throws ServiceError `engine.busy`, `engine.draining`, `engine.worker_failed`
 */
export async function authenticationInputs(
  engine: Pick<Engine, 'oneLeafRoot'>,
  { idCommitment, nullifierHash, signal, externalNullifier }: AuthenticationStatement,
  depth: number,
): Promise<Uint8Array> {
  const root = await engine.oneLeafRoot(idCommitment, depth);
  return Buffer.concat([root, nullifierHash, hashToField(signal), hashToField(externalNullifier)]);
}
