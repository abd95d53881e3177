import type { Engine } from '../../engine/index.ts';
import type { Bytes32 } from '../../storage/index.ts';
import { hashCredential } from './hash.ts';
import type { ParsedCredential } from './parse.ts';
import { compressKey } from './public-key.ts';

/** The part of the engine that checks credentials. */
export type VerifyEngine = Pick<Engine, 'poseidon2' | 'verifySignature'>;

/** Result of the check of a credential against its own key; whose key that is, is not checked. */
export interface CredentialCheck {
  readonly hash: Bytes32;
  /** Whether the signature over the hash is valid under the credential's own `issuer.pk`. */
  readonly isSigned: boolean;
  /** The compressed key, 32 bytes; undefined if `issuer.pk` is not a point of the curve. */
  readonly key: Bytes32 | undefined;
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
