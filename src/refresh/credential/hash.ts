import type { Engine } from '../../engine/index.ts';
import { wordOf } from '../../semaphore/index.ts';
import type { Bytes32 } from '../../storage/index.ts';
import { CLAIM_COUNT, claimWords, type SignedFields } from './fields.ts';

/** The part of the engine that hashes credentials. */
export type HashEngine = Pick<Engine, 'poseidon2'>;

// The ASCII bytes of the text as a big-endian number (spec/credential.md#domain-separators); test:
// vectors.test.ts.
const SEPARATOR = new Uint8Array(32);
SEPARATOR.set(Buffer.from('POSEIDON2+EDDSA-BJJ', 'latin1'), 32 - 'POSEIDON2+EDDSA-BJJ'.length);

/** Returns the output of both hashes, which is the second element of the state. */
function secondOf(state: Uint8Array): Bytes32 {
  return state.slice(32, 64);
}

/**
 * Computes the credential hash (spec/credential.md#credential-hashes, credential-hash), which is the message
 * of the signature. The issuer version in its last input is 0, so the input equals the id.
 *
 * @throws ServiceError `input.range` for a field element not below r, `engine.busy`, `engine.draining`
 */
export async function hashCredential(engine: HashEngine, fields: SignedFields): Promise<Bytes32> {
  const claimsHash = secondOf(await engine.poseidon2(CLAIM_COUNT, claimWords(fields.claims)));
  const state = Buffer.concat([
    SEPARATOR,
    wordOf(fields.issuerSchemaId),
    fields.sub,
    wordOf(BigInt(fields.genesisIssuedAt)),
    wordOf(BigInt(fields.expiresAt)),
    claimsHash,
    fields.associatedDataHash,
    wordOf(fields.id),
  ]);
  return secondOf(await engine.poseidon2(8, new Uint8Array(state)));
}
