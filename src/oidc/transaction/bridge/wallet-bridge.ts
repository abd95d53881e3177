import type { AttemptMessage, BridgeMessage, BridgeStatus, TransactionRow } from '../../../storage/index.ts';

/** A request that was put on a bridge. */
export interface PlacedRequest {
  /** Null when the bridge could not be reached. */
  readonly bridgeId: string | null;
  /** To be stored together with the attempt; only for the own bridge. */
  readonly message: AttemptMessage | undefined;
}

/** What a bridge says of a request: its status, that the answer was moved into the sign-in, or that it is gone. */
export type Collected = BridgeStatus | 'answered' | 'gone' | 'unknown';

/** A sign-in whose attempt has a request on the bridge. */
export type WaitingRow = Pick<TransactionRow, 'txn' | 'attempt' | 'windowEndsAt'> & {
  readonly bridgeId: string;
};

/**
 * The bridge that sign-ins use: the own one in the store, or another one over HTTP
 * (spec/sign-in.md#wallet-bridge).
 */
export interface WalletBridge {
  /** Address for the connect URL. */
  readonly url: string;
  /** Puts a request on the bridge, or says what is to be stored for that. */
  place(message: BridgeMessage): Promise<PlacedRequest>;
  /** Moves the answer of the wallet into the sign-in, if it is there and came in time. */
  collect(row: WaitingRow): Promise<Collected>;
}
