/** Identities and statements of other projects, from test/vectors/credential-vectors.json. */
import vectors from '../../vectors/credential-vectors.json' with { type: 'json' };

/** An identity with its secret. */
export type ThirdPartyIdentity = (typeof vectors.semaphore.identities)[number];

/** A one-leaf proof with all inputs of its statement; preimages are hex digits without prefix. */
export type AuthenticationProof = (typeof vectors.authentication_proofs)[number];

export const IDENTITIES: readonly ThirdPartyIdentity[] = vectors.semaphore.identities;
export const AUTHENTICATION_PROOFS: readonly AuthenticationProof[] = vectors.authentication_proofs;
