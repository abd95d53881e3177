import type { RpcFailure } from './rpc/rpc-failure.ts';

/** Why a fact could not be established; `range_too_small` if providers refuse the logs of a single block. */
export type NoQuorumReason = 'quorum_missing' | 'disagreement' | 'range_too_small';

/** A fact that too few providers confirmed. */
export class NoQuorum extends Error {
  override readonly name = 'NoQuorum';
  readonly reason: NoQuorumReason;
  /** Last failure of a provider, if one failed or is paused for it. */
  readonly failure: RpcFailure | undefined;

  constructor(reason: NoQuorumReason, message: string, failure?: RpcFailure) {
    super(message);
    this.reason = reason;
    this.failure = failure;
  }
}
