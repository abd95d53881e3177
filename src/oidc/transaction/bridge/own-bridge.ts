import { randomUUID } from 'node:crypto';
import type { BridgeStore, TransactionStore } from '../../../storage/index.ts';
import type { WalletBridge } from './wallet-bridge.ts';

/** What the own bridge is reached by: its rows, not its HTTP calls. */
export interface OwnBridgeParts {
  readonly url: string;
  readonly bridge: Pick<BridgeStore, 'status'>;
  readonly transactions: Pick<TransactionStore, 'takeAnswer'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The own bridge. Its request row is written in the same store transaction as the attempt. */
export function createOwnBridge({ url, bridge, transactions, now }: OwnBridgeParts): WalletBridge {
  return {
    url,
    place(message) {
      const bridgeId = randomUUID();
      return Promise.resolve({ bridgeId, message: { bridgeId, message } });
    },
    async collect({ txn, attempt, bridgeId }) {
      // An id has a status until it is answered, so that a poll in vain costs one read and no write.
      const status = await bridge.status(bridgeId, now());
      if (status !== undefined) return status;
      return (await transactions.takeAnswer(txn, attempt, now())) ? 'answered' : 'gone';
    },
  };
}
