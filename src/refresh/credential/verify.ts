import type { Engine } from '../../engine/index.ts';
import type { Bytes32 } from '../../storage/index.ts';
import { hashCredential } from './hash.ts';
import type { ParsedCredential } from './parse.ts';
import { compressKey } from './public-key.ts';

/** What a credential is checked with. */
export type VerifyEngine = Pick<Engine, 'poseidon2' | 'verifySignature'>;

/** What a credential says for itself; whose key it is, is not judged. */
export interface CredentialCheck {
  readonly hash: Bytes32;
  /** Whether the signature is that of its own `issuer.pk` over the hash. */
  readonly isSigned: boolean;
  /** The key compressed, 32 bytes; undefined when `issuer.pk` is no point of the curve. */
  readonly key: Bytes32 | undefined;
}

/**
 * Computes the hash of a credential again and checks its signature, as a wallet does
 * (spec/credential.md#wallet-checks): R and the key have to be of the prime subgroup, the key not the
 * identity.
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
