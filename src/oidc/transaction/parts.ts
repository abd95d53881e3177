import type { AddressKeysOf, BridgeIds, Clients } from '../../apps/index.ts';
import type { Engine } from '../../engine/index.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { Store } from '../../storage/index.ts';
import type { Responder } from '../authorize/index.ts';
import type { Sessions } from '../sessions/index.ts';
import type { WalletBridge } from './bridge/wallet-bridge.ts';
import type { TransactionConfig } from './types.ts';

/** Dependencies of `createTransactions`. */
export interface TransactionsOptions {
  readonly config: TransactionConfig;
  readonly store: Pick<Store, 'transactions' | 'bridge'>;
  readonly engine: Pick<Engine, 'verify'>;
  readonly keys: KeyRegistry;
  readonly roots: RootRegistry;
  readonly clients: Pick<Clients, 'find'>;
  readonly responder: Responder;
  readonly sessions: Pick<Sessions, 'isOn' | 'begin' | 'hashOf'>;
  readonly addressKeys: AddressKeysOf;
  readonly bridgeIds: Pick<BridgeIds, 'create'>;
  readonly metrics: Pick<Metrics, 'signinTransactionsTotal' | 'signinProofSeconds' | 'tokenIssuedTotal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives internal errors of a proof check: the root has no usable key. */
  readonly onFault: (fault: unknown) => void;
  /** Notified of the client of each completed sign-in. */
  readonly onSignedIn?: (clientId: string) => void;
}

/** The dependencies together with the configured bridge. */
export interface TransactionParts extends TransactionsOptions {
  readonly bridge: WalletBridge;
}
