import type { AddressKeysOf, Clients } from '../../apps/index.ts';
import type { Engine } from '../../engine/index.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { Store } from '../../storage/index.ts';
import type { Responder } from '../authorize/index.ts';
import type { WalletBridge } from './bridge/wallet-bridge.ts';
import type { TransactionConfig } from './types.ts';

/** What sign-ins are made of. */
export interface TransactionsOptions {
  readonly config: TransactionConfig;
  readonly store: Pick<Store, 'transactions' | 'bridge'>;
  readonly engine: Pick<Engine, 'verify'>;
  readonly keys: KeyRegistry;
  readonly roots: RootRegistry;
  readonly clients: Pick<Clients, 'find'>;
  readonly responder: Responder;
  readonly addressKeys: AddressKeysOf;
  readonly metrics: Pick<Metrics, 'signinTransactionsTotal' | 'signinProofSeconds' | 'tokenIssuedTotal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of a fault of ours that a proof met: a root without a key that can be used. */
  readonly onFault: (fault: unknown) => void;
}

/** The same with the bridge that the configuration names. */
export interface TransactionParts extends TransactionsOptions {
  readonly bridge: WalletBridge;
}
