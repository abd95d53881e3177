import type { AttemptMessage, BridgeMessage, BridgeStatus, TransactionRow } from '../../../storage/index.ts';

/** A request that was put on a bridge. */
export interface PlacedRequest {
  /** Null if the bridge could not be reached. */
  readonly bridgeId: string | null;
  /** To be stored together with the attempt; only for the own bridge. */
  readonly message: AttemptMessage | undefined;
}

/**
 * State of a request at the bridge: its status, or that its answer was moved into the sign-in, that it is
 * gone, or that the bridge did not say.
 */
export type Collected = BridgeStatus | 'answered' | 'gone' | 'unknown';

/** A sign-in whose attempt has a request on the bridge. */
export type WaitingRow = Pick<TransactionRow, 'txn' | 'attempt' | 'windowEndsAt'> & {
  readonly bridgeId: string;
};

/**
 * The bridge that sign-ins use: this service's own in the store, or an external one over HTTP
 * (spec/sign-in.md#wallet-bridge).
 */
export interface WalletBridge {
  /** Address for the connect URL. */
  readonly url: string;
  /** Places a request on the bridge, or returns the message to be stored for it. */
  place(message: BridgeMessage): Promise<PlacedRequest>;
  /** Moves the answer of the wallet into the sign-in, if it has arrived in time. */
  collect(row: WaitingRow): Promise<Collected>;
}
