/** Third-party proofs of `test/vectors/semaphore-proofs.json`, and request bodies made of them. */
import vectors from '../../vectors/semaphore-proofs.json' with { type: 'json' };

export interface ProofVector {
  readonly depth: number;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly signal_hash: string;
  readonly external_nullifier_hash: string;
  readonly proof: string;
  readonly proof_compressed: readonly string[];
  readonly app_id?: string;
  readonly rp_id?: string;
  readonly action?: string;
  readonly signal?: string;
}

export const VECTORS: readonly ProofVector[] = vectors;

/** Returns an entry of the data; throws if the index is out of range. */
export function vector(index: number): ProofVector {
  const entry = VECTORS[index];
  if (!entry) throw new Error(`no entry ${index}`);
  return entry;
}

export type Fields = Record<string, unknown>;

/** Makes the item of an entry, with changes; undefined removes a field. */
export function itemOf(entry: ProofVector, changes: Fields = {}): Fields {
  const { merkle_root, nullifier_hash: nullifier, proof, signal_hash } = entry;
  return { identifier: 'orb', merkle_root, nullifier, proof, signal_hash, ...changes };
}

/** Makes the request body of an entry, with changes. */
export function bodyOf(entry: ProofVector, changes: Fields = {}): Fields {
  const { action = 'test' } = entry;
  return { protocol_version: '3.0', nonce: '0x01', action, responses: [itemOf(entry)], ...changes };
}

export const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
