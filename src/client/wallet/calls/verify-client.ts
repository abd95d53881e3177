import { isObject } from '../../../json.ts';
import type { DevelopmentTree } from '../../../pages.ts';
import { toHex } from '../../../semaphore/index.ts';
import type { FinishedProof } from '../prover/prover-protocol.ts';
import { call } from './call.ts';

/** A proof and its subject. */
export interface VerifyJob {
  readonly appId: string;
  readonly action: string;
  readonly tree: DevelopmentTree;
  readonly proof: FinishedProof;
  /** Hash of the signal; absent for the default, the hash of the empty string. */
  readonly signalHash?: string | undefined;
}

/** Verdict of the verification interface. */
export interface Verdict {
  readonly outcome: 'new' | 'reuse' | 'refused';
  readonly status: number;
  /** Message of a success; code and detail of a refusal, taken from the item if it has its own. */
  readonly text: string;
  /** Set on success, like `createdAt`. */
  readonly nullifier?: string | undefined;
  readonly createdAt?: string | undefined;
  /** Body of the answer. */
  readonly body: unknown;
}

/**
 * Sends a proof to `POST /api/v4/verify/{rp_id}` for the environment `staging`, where the development trees
 * are.
 *
 * @param verifyUrl - Part of the URL before `/api`.
 * @throws WalletError `network`
 */
export async function verify(verifyUrl: string, job: VerifyJob): Promise<Verdict> {
  const { appId, action, tree, proof, signalHash } = job;
  const { status, body } = await call('POST', `${verifyUrl}/api/v4/verify/${appId}`, {
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
  });
  return readVerdict(status, body);
}

/** Reads the verdict from an answer of the verification interface. */
export function readVerdict(status: number, body: unknown): Verdict {
  const answer = isObject(body) ? body : {};
  const { message, nullifier, created_at } = answer;
  if (status !== 200 || typeof message !== 'string') {
    return { outcome: 'refused', status, text: reasonOf(answer) ?? 'The answer cannot be read.', body };
  }
  return {
    outcome: message.endsWith('(nullifier reuse)') ? 'reuse' : 'new',
    status,
    text: message,
    nullifier: typeof nullifier === 'string' ? nullifier : undefined,
    createdAt: typeof created_at === 'string' ? created_at : undefined,
    body,
  };
}

// The item names the reason; the error around it only says that no item succeeded.
function reasonOf({ code, detail, results }: Readonly<Record<string, unknown>>): string | undefined {
  const item: unknown = Array.isArray(results) ? results[0] : undefined;
  if (isObject(item) && typeof item.code === 'string') return reasonOf(item);
  return typeof code === 'string' ? `${code}: ${String(detail ?? '')}` : undefined;
}
