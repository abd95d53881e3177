import type { DevelopmentTree } from '../pages.ts';
import { toHex } from '../semaphore/index.ts';

/** A proof with the action that it is for. */
export interface ProvenAction {
  /** App id of the relying party. */
  readonly appId: string;
  readonly action: string;
  readonly tree: DevelopmentTree;
  /** 256 bytes. */
  readonly proof: Uint8Array;
  /** 128 bytes: root, nullifier hash, signal hash, external nullifier. */
  readonly inputs: Uint8Array;
  /** Whether the signal is the default of a request without one; the body then needs none. */
  readonly isDefaultSignal: boolean;
}

/**
 * A body for `POST /api/v4/verify/{rp_id}` (spec/verification.md#request-fields), of the environment
 * `staging`.
 */
export interface VerifyBody {
  readonly protocol_version: '3.0';
  readonly nonce: string;
  readonly action: string;
  readonly environment: 'staging';
  /** For `proof verify`; the interface ignores it, and takes the app from the path. */
  readonly app_id: string;
  readonly responses: readonly VerifyBodyItem[];
}

/** One proof of a body. */
export interface VerifyBodyItem {
  readonly identifier: DevelopmentTree;
  readonly merkle_root: string;
  readonly nullifier: string;
  readonly proof: string;
  readonly signal_hash?: string;
}

/** Builds the body of a verification request with one proof. */
export function verifyBody(proven: ProvenAction): VerifyBody {
  const { appId, action, tree, proof, inputs, isDefaultSignal } = proven;
  const input = (index: number): string => toHex(inputs.subarray(32 * index, 32 * index + 32));
  return {
    protocol_version: '3.0',
    nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
    action,
    environment: 'staging',
    app_id: appId,
    responses: [
      {
        identifier: tree,
        merkle_root: input(0),
        nullifier: input(1),
        proof: toHex(proof),
        ...(isDefaultSignal ? {} : { signal_hash: input(2) }),
      },
    ],
  };
}
