import type { Config } from '../../config/settings/types.ts';
import type { ListenerObserver } from '../../http/limits/connection-gate.ts';
import type { Health } from '../../observability/health.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';

/** Dependencies of both listeners. */
export interface ListenerParts {
  readonly config: Config;
  readonly health: Pick<Health, 'isReady'>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Records in metrics and log the requests and connections that a listener ends or refuses at its limits. Clients
 * control the frequency, so such log lines are limited to one per ten seconds.
 */
export function observeListener(listener: string, log: Log, metrics: Metrics): ListenerObserver {
  /** Number of pauses since the last log line that connections are accepted again. */
  let pauses = 0;
  return {
    endedEarly(bound) {
      metrics.httpUnfinishedEndedTotal.at(listener, bound).add();
      log.repeated(`${listener} ${bound}`, 'requests that waited for their client were ended', {
        event: 'http.unfinished_ended',
        listener,
        reason: bound,
      });
    },
    paused(reason, open) {
      metrics.httpAcceptPausesTotal.at(listener, reason).add();
      pauses++;
      if (pauses > 1) return;
      const cause = reason === 'connections' ? 'too many are open' : 'the process has no free descriptors';
      log.warn(`connections are not accepted: ${cause}`, {
        event: 'http.accept_paused',
        listener,
        reason,
        open,
      });
    },
    calmed() {
      log.info('connections are accepted again', {
        event: 'http.accept_resumed',
        listener,
        count: pauses,
      });
      pauses = 0;
    },
    refused() {
      metrics.httpConnectionsRefusedTotal.at(listener).add();
      log.repeated(`${listener} connections`, 'connections of addresses that have too many were refused', {
        event: 'http.connections_refused',
        listener,
      });
    },
  };
}
