import { type HashEngine, hashCredential } from './hash.ts';
import type { ParsedCredential } from './parse.ts';
import { compressKey } from './public-key.ts';

/** Checks signatures, too (spec/credential.md#eddsa-poseidon2). */
export interface VerifyEngine extends HashEngine {
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

/** Result of the check of a credential against its own key; whose key that is, is not checked. */
export interface CredentialCheck {
  readonly hash: Uint8Array;
  /** Whether the signature over the hash is valid under the credential's own `issuer.pk`. */
  readonly isSigned: boolean;
  /** The compressed key, 32 bytes; undefined if `issuer.pk` is not a point of the curve. */
  readonly key: Uint8Array | undefined;
}

/**
 * Recomputes the hash of a credential and checks its signature, as a wallet does
 * (spec/credential.md#wallet-checks): R and the key must be in the prime subgroup, and the key must not be
 * the identity.
 */
export async function verifyCredential(
  engine: VerifyEngine,
  { fields, signature, x, y }: ParsedCredential,
): Promise<CredentialCheck> {
  const hash = await hashCredential(engine, fields);
  const key = compressKey(x, y);
  const isSigned = key !== undefined && (await engine.verifySignature(key, hash, signature));
  return { hash, isSigned, key };
}
