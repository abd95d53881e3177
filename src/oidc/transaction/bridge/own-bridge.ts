import type { BridgeIds } from '../../../apps/index.ts';
import type { BridgeStore, TransactionStore } from '../../../storage/index.ts';
import type { WalletBridge } from './wallet-bridge.ts';

/** Dependencies of `createOwnBridge`: rows of the store, since no HTTP is needed. */
export interface OwnBridgeParts {
  readonly url: string;
  readonly bridge: Pick<BridgeStore, 'status'>;
  readonly transactions: Pick<TransactionStore, 'takeAnswer'>;
  readonly bridgeIds: Pick<BridgeIds, 'create'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Creates the access to this service's own bridge. Its request row is written in the same store transaction
 * as the attempt.
 */
export function createOwnBridge(parts: OwnBridgeParts): WalletBridge {
  const { url, bridge, transactions, bridgeIds, now } = parts;
  return {
    url,
    place(message) {
      const bridgeId = bridgeIds.create();
      return Promise.resolve({ bridgeId, message: { bridgeId, message } });
    },
    async collect({ txn, attempt, bridgeId }) {
      // An id has a status until it is answered, so a poll before the answer costs one read and no write.
      const status = await bridge.status(bridgeId, now());
      if (status !== undefined) return status;
      return (await transactions.takeAnswer(txn, attempt, now())) ? 'answered' : 'gone';
    },
  };
}
