import { encodeUtf8 } from '../bytes.ts';
import { numberOf, wordOf } from '../semaphore/decode-word.ts';
import { CLAIM_COUNT, claimWords, type SignedFields } from './fields.ts';

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
