import { encodeUtf8 } from '../bytes.ts';
import { numberOf, wordOf } from '../semaphore/words.ts';
import { CLAIM_COUNT, claimWords, type SignedFields } from './credential.ts';
import type { ParsedCredential } from './parse.ts';
import { compressKey } from './public-key.ts';

/** Computes permutations (spec/credential.md#poseidon2). */
export interface HashEngine {
  /** @param states - k × width elements. */
  poseidon2(width: number, states: Uint8Array): Promise<Uint8Array>;
}

// The ASCII bytes of the text as a big-endian number (spec/credential.md#domain-separators); test:
// vectors.test.ts.
const SEPARATOR: Uint8Array = wordOf(numberOf(encodeUtf8('POSEIDON2+EDDSA-BJJ')));

/** Returns the output of both hashes, which is the second element of the state. */
function secondOf(state: Uint8Array): Uint8Array {
  return state.slice(32, 64);
}

/**
 * Computes the credential hash (spec/credential.md#credential-hashes, credential-hash), which is the message
 * of the signature. The issuer version in its last input is 0, so the input equals the id.
 *
 * @throws ServiceError `input.range` for a field element not below r, `engine.busy`, `engine.draining`
 */
export async function hashCredential(engine: HashEngine, fields: SignedFields): Promise<Uint8Array> {
  const claimsHash = secondOf(await engine.poseidon2(CLAIM_COUNT, claimWords(fields.claims)));
  const state = [
    SEPARATOR,
    wordOf(fields.issuerSchemaId),
    fields.sub,
    wordOf(BigInt(fields.genesisIssuedAt)),
    wordOf(BigInt(fields.expiresAt)),
    claimsHash,
    fields.associatedDataHash,
    wordOf(fields.id),
  ];
  const words = new Uint8Array(32 * state.length);
  for (const [index, word] of state.entries()) words.set(word, 32 * index);
  return secondOf(await engine.poseidon2(state.length, words));
}

/** Computes permutations and checks signatures (spec/credential.md#eddsa-poseidon2). */
export interface VerifyEngine extends HashEngine {
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

/** Result of the check of a credential against its own key; the owner of the key is not checked. */
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
