/** World ID 4.0 requests as IDKit puts them on a bridge, and what a relying party makes of the answers. */
import { randomBytes } from 'node:crypto';
import { encodeUtf8 } from '../../../src/bytes.ts';
import type { WalletAnswer4 } from '../../../src/development/worldid4/answer-proof-request.ts';
import type { JsonObject } from '../../../src/json.ts';
import { hashToField } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';

/** Members of a `proof_request`, as parsed JSON. */
export type ProofRequestJson = JsonObject & { readonly nonce: string };

/** Bytes of a signal as an item has them. */
export const hexOf = (text: string): string => toHex(encodeUtf8(text));

/** Returns an item for a credential. */
export function itemFor(identifier: string, issuerSchemaId: number, change: JsonObject = {}): JsonObject {
  return {
    identifier,
    issuer_schema_id: issuerSchemaId,
    genesis_issued_at_min: null,
    expires_at_min: null,
    ...change,
  };
}

/** Form of each kind of request; two for the creation of a session. */
export const FORMS = {
  uniqueness: { proof_type: 'uniqueness', session_id: null },
  bound: { proof_type: 'uniqueness', session_id: 'create' },
  'session create': { proof_type: 'session', session_id: 'create', action: null },
  create_session: { proof_type: 'create_session', session_id: null, action: null },
} as const;

/**
 * Returns a request for a proof of human by a new nonce, of uniqueness for `vote-2026` by default.
 *
 * @param now - Milliseconds since the epoch.
 */
export function proofRequest(rpId: string, now: number, change: JsonObject = {}): ProofRequestJson {
  const createdAt = Math.floor(now / 1000);
  return {
    id: '0b8d0c51-7a5e-4b4f-9d7e-5d1f0a6b7c8d',
    version: 1,
    ...FORMS.uniqueness,
    created_at: createdAt,
    expires_at: createdAt + 300,
    rp_id: rpId,
    oprf_key_id: `0x${BigInt(`0x${rpId.slice(3)}`).toString(16)}`,
    action: toHex(hashToField(encodeUtf8('vote-2026'))),
    signature: `0x${'ab'.repeat(64)}1b`,
    nonce: toHex(hashToField(randomBytes(32))),
    proof_requests: [itemFor('proof_of_human', 1)],
    ...change,
  };
}

/** Returns the plaintext of a request on a bridge. */
export function plaintextFor(request: JsonObject, change: JsonObject = {}): JsonObject {
  return {
    app_id: 'app_staging_45068dca85829d2fd90e2dd6f0bff997',
    package_name: 'idkit_js_core',
    package_version: '4.3.0',
    action: request.action === null ? '' : 'vote-2026',
    signal: toHex(hashToField(new Uint8Array())),
    verification_level: 'device',
    proof_request: request,
    allow_legacy_proofs: false,
    require_user_presence: false,
    environment: 'staging',
    ...change,
  };
}

/** Returns the body for `POST /api/v4/verify/{rp_id}` that IDKit and back end make of an answer to a request of one item. */
export function bodyOf(
  { proof_response: answer }: WalletAnswer4,
  { nonce, action }: JsonObject,
  signal?: string,
): JsonObject {
  const isBound = answer.session_id !== undefined && action !== null;
  return {
    protocol_version: '4.0',
    nonce,
    ...(isBound ? { proof_type: 'uniqueness' } : {}),
    ...(action === null ? {} : { action: 'vote-2026' }),
    ...(answer.session_id === undefined ? {} : { session_id: answer.session_id }),
    environment: 'staging',
    responses: answer.responses.map(
      ({ identifier, issuer_schema_id, expires_at_min, proof, nullifier, session_nullifier }) => ({
        identifier,
        issuer_schema_id,
        expires_at_min,
        proof: wordsIn(proof).map((word) => BigInt(word).toString()),
        ...(signal === undefined ? {} : { signal_hash: toHex(hashToField(encodeUtf8(signal))) }),
        ...(nullifier === undefined ? {} : { nullifier: `0x${nullifier.slice('nil_'.length)}` }),
        ...(session_nullifier === undefined
          ? {}
          : { session_nullifier: wordsIn(session_nullifier.slice('snil_'.length)) }),
      }),
    ),
  };
}

/** Splits hex digits into words of 32 bytes. */
export function wordsIn(digits: string): string[] {
  return (digits.match(/.{64}/g) ?? []).map((word) => `0x${word}`);
}
