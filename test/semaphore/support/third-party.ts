/** Identities and statements of other projects, from test/vectors/credential-vectors.json. */
import { readFileSync } from 'node:fs';

/** An identity with its secret. */
export interface ThirdPartyIdentity {
  readonly secret_ascii: string;
  readonly label?: string;
  readonly trapdoor?: string;
  readonly nullifier?: string;
  readonly commitment: string;
  readonly external_nullifier_ascii?: string;
  readonly nullifier_hash?: string;
}

/** A one-leaf proof with all inputs of its statement; preimages are hex digits without prefix. */
export interface AuthenticationProof {
  readonly origin: string;
  readonly verifying_key: string;
  readonly secret?: string;
  readonly secret_ascii?: string;
  readonly external_nullifier_preimage?: string;
  readonly external_nullifier_ascii?: string;
  readonly signal_preimage: string;
  readonly id_commitment: string;
  /** Root, nullifier hash, signal hash, external nullifier hash. */
  readonly public_inputs: readonly [string, string, string, string];
  readonly proof: string;
}

const VECTORS = JSON.parse(
  readFileSync(new URL('../../vectors/credential-vectors.json', import.meta.url), 'utf8'),
) as {
  readonly semaphore: { readonly identities: readonly ThirdPartyIdentity[] };
  readonly authentication_proofs: readonly AuthenticationProof[];
};

export const IDENTITIES: readonly ThirdPartyIdentity[] = VECTORS.semaphore.identities;
export const AUTHENTICATION_PROOFS: readonly AuthenticationProof[] = VECTORS.authentication_proofs;
