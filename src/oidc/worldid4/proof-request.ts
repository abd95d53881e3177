import { randomUUID } from 'node:crypto';
import type { Credential4 } from '../../apps/signin-policy.ts';
import { encodeUtf8 } from '../../bytes.ts';
import type { JsonObject } from '../../json.ts';
import { hashToField } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';
import { actionOf, type Plan } from './plan.ts';
import { NODES_ACCEPT_SECONDS, type SignRequest } from './request-signer.ts';

/** A request to a wallet of World ID 4.0: the plan, and what an answer must agree with. Plain JSON. */
export interface Ask extends Plan {
  /** A UUID, which the answer repeats. */
  readonly id: string;
  readonly nonce: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Empty for sessions. */
  readonly action: string;
  readonly credentials: readonly Credential4[];
}

/** An ask, and the member `proof_request` of its plaintext. */
export interface ProofRequest {
  readonly ask: Ask;
  readonly json: JsonObject;
}

/** What a request is made of. */
export interface ProofRequestInput {
  readonly plan: Plan;
  readonly clientId: string;
  /** Relying party of the service. */
  readonly rpId: string;
  readonly credentials: readonly Credential4[];
  /** The signal, not hashed: UTF-8 bytes in every item. */
  readonly signal: string;
}

/**
 * Builds and signs a request. Members that are absent are null or left out as IDKit 4 does, since older wallets refuse
 * unknown ones.
 */
export function proofRequestOf(
  { plan, clientId, rpId, credentials, signal }: ProofRequestInput,
  sign: SignRequest,
): ProofRequest {
  const isAboutSession = plan.kind === 'create' || plan.kind === 'prove';
  const action = isAboutSession ? undefined : actionOf(clientId, plan.beginning);
  const { nonce, createdAt, expiresAt, signature } = sign(action, NODES_ACCEPT_SECONDS);
  const id = randomUUID();
  const identifiers = credentials.map(({ identifier }) => identifier);
  const json = {
    id,
    version: 1,
    ...flowOf(plan),
    created_at: createdAt,
    expires_at: expiresAt,
    rp_id: rpId,
    oprf_key_id: `0x${BigInt(`0x${rpId.slice('rp_'.length)}`).toString(16)}`,
    action: action === undefined ? null : toHex(hashToField(encodeUtf8(action))),
    signature,
    nonce,
    proof_requests: credentials.map(({ identifier, issuerSchemaId }) => ({
      identifier,
      issuer_schema_id: Number(issuerSchemaId),
      signal: toHex(encodeUtf8(signal)),
      genesis_issued_at_min: null,
      expires_at_min: null,
    })),
    ...(credentials.length === 1 ? {} : { constraints: { any: identifiers } }),
  };
  return { ask: { ...plan, id, nonce, createdAt, action: action ?? '', credentials }, json };
}

/** Returns the members that name the flow, in the forms that wallets know. */
function flowOf({ kind, form, sessionId }: Plan): JsonObject {
  if (kind === 'prove') return { proof_type: 'session', session_id: sessionId ?? null };
  if (kind === 'pair') return { proof_type: 'uniqueness', session_id: null };
  if (kind === 'bound') return { proof_type: 'uniqueness', session_id: 'create' };
  return form === 'session'
    ? { proof_type: 'session', session_id: 'create' }
    : { proof_type: 'create_session', session_id: null };
}
