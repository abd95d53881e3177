import { isObject, type JsonObject } from '../../../json.ts';
import type { DevelopmentTree } from '../../../pages.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { FinishedProof } from '../prover/prover-protocol.ts';
import { call } from './call.ts';

/** A World ID 3.0 proof and its statement. */
export interface MembershipClaim {
  readonly action: string;
  readonly tree: DevelopmentTree;
  readonly proof: FinishedProof;
  /** Hash of the signal; absent for the default, the hash of the empty string. */
  readonly signalHash?: string | undefined;
}

/** Verdict of the verification interface. */
export interface Verdict {
  /** `session`: for a session proof, which has no uniqueness. */
  readonly outcome: 'new' | 'reuse' | 'session' | 'refused';
  readonly status: number;
  /** Message of a success; code and detail of a refusal, from the item if it has one. */
  readonly text: string;
  /** Set when an action was proved, like `createdAt`. */
  readonly nullifier?: string | undefined;
  readonly createdAt?: string | undefined;
  /** Body of the answer. */
  readonly body: unknown;
}

/**
 * Sends a request to `POST /api/v4/verify/{rp_id}`.
 *
 * @param verifyUrl - Part of the URL before `/api`.
 * @throws WalletError `network`
 */
export async function verify(verifyUrl: string, appId: string, request: JsonObject): Promise<Verdict> {
  const { status, body } = await call('POST', `${verifyUrl}/api/v4/verify/${appId}`, request);
  return readVerdict(status, body);
}

/** Returns the verification request of a proof in the environment `staging`, that of the development trees. */
export function membershipRequest({ action, tree, proof, signalHash }: MembershipClaim): JsonObject {
  return {
    protocol_version: '3.0',
    nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
    action,
    environment: 'staging',
    responses: [
      {
        identifier: tree,
        merkle_root: proof.merkleRoot,
        nullifier: proof.nullifierHash,
        proof: proof.proof,
        ...(signalHash === undefined ? {} : { signal_hash: signalHash }),
      },
    ],
  };
}

/** Reads the verdict from an answer of the verification interface. */
export function readVerdict(status: number, body: unknown): Verdict {
  const answer = isObject(body) ? body : {};
  const { message, nullifier, created_at } = answer;
  if (status !== 200 || typeof message !== 'string') {
    return { outcome: 'refused', status, text: reasonOf(answer) ?? 'The answer cannot be read.', body };
  }
  const isReuse = message.endsWith('(nullifier reuse)');
  return {
    outcome: typeof answer.session_id === 'string' ? 'session' : isReuse ? 'reuse' : 'new',
    status,
    text: message,
    nullifier: typeof nullifier === 'string' ? nullifier : undefined,
    createdAt: typeof created_at === 'string' ? created_at : undefined,
    body,
  };
}

// The item has the reason; the outer error only means that no item succeeded.
function reasonOf({ code, detail, results }: Readonly<Record<string, unknown>>): string | undefined {
  const item: unknown = Array.isArray(results) ? results[0] : undefined;
  if (isObject(item) && typeof item.code === 'string') return reasonOf(item);
  return typeof code === 'string' ? `${code}: ${String(detail ?? '')}` : undefined;
}
