import type { Config } from '../../config/settings/types.ts';
import { addressFilter } from '../../config/values/address-block.ts';
import { ConnectionGate, type GateParts, type ListenerObserver } from './connection-gate.ts';
import { countPeers } from './connection-peers.ts';
import { hasDescriptors, readDescriptorBudget } from './descriptors.ts';
import type { Overload } from './overload.ts';

/** Dependencies of the gate of a listener. */
export interface ListenerGateParts
  extends Pick<GateParts, 'count' | 'maxOpen' | 'stopListening' | 'startListening' | 'onOverLimit'> {
  readonly limits: Pick<Config['http'], 'maxConnectionsPerAddress'>;
  /** Proxies, whose connections are not counted by address. */
  readonly trustedProxies: readonly string[];
  readonly overload: Pick<Overload, 'hold' | 'release'>;
  readonly observer: ListenerObserver;
  /** Returns the port on which it listens. */
  port(): number;
}

/** Creates the gate of a listener, which counts connections by their other ends. */
export function createListenerGate(parts: ListenerGateParts): ConnectionGate {
  const { limits, trustedProxies, overload, observer, port, maxOpen } = parts;
  const isProxy = addressFilter(trustedProxies);
  return new ConnectionGate({
    ...parts,
    maxOpenPerAddress: Math.min(limits.maxConnectionsPerAddress, Math.max(1, Math.floor(maxOpen / 8))),
    countPeers: () => countPeers(port(), (address) => !isProxy(address)),
    hasDescriptors,
    observer: {
      ...observer,
      paused(reason, open) {
        overload.hold('connections');
        observer.paused(reason, open);
      },
      resumed() {
        overload.release('connections');
      },
    },
    now: () => performance.now(),
  });
}

/**
 * Returns the number of connections allowed by the settings and by the descriptors of the process.
 *
 * @param usesReserve - Whether its connections may use the descriptors reserved by the public listener.
 */
export function maxOpenConnections(
  { maxConnections }: Pick<Config['http'], 'maxConnections'>,
  usesReserve = false,
): number {
  const { connections, reserve } = readDescriptorBudget();
  return Math.min(maxConnections, usesReserve ? Math.floor(reserve / 2) : connections);
}
