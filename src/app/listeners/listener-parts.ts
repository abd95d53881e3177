import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/settings/types.ts';
import type { HttpServer } from '../../http/server.ts';
import type { Log } from '../../observability/log/log.ts';
import { type MetricReader, setOrRemove } from '../../observability/metrics/instruments.ts';
import type { Part } from '../lifecycle.ts';

/** The public listener. */
export interface PublicListenerPart extends Part {
  /** Number of requests still open at the end of the drain, which are cut off. */
  readonly cut: number;
}

/**
 * Returns the public listener as a part. Its drain loses no accepted request: it keeps serving for `drainDelayMs` while
 * readiness is already false, stops listening, and waits at most `timeoutMs` for open requests. Half of the delay is for
 * balancers to notice; in the other half answers end their connections, so that few are left to be closed.
 */
export function publicListenerPart(
  server: HttpServer,
  { drainDelayMs, timeoutMs }: Config['shutdown'],
  log: Pick<Log, 'info'>,
): PublicListenerPart {
  let cut = 0;
  return {
    name: 'public listener',
    get cut() {
      return cut;
    },
    async drain() {
      log.info('stopping', { event: 'service.stopping', open: server.openExchanges });
      if (drainDelayMs > 0) await delay(drainDelayMs / 2);
      server.setDraining();
      if (drainDelayMs > 0) await delay(drainDelayMs / 2);
      server.closeListening();
      await server.whenIdle(timeoutMs);
      cut = server.openExchanges;
    },
    stop: () => server.closeAll(),
    metrics(metrics) {
      const { certificateExpiresAt, library } = server;
      metrics.httpLibraryInfo.set(
        { library: library.kind, package: library.package, version: library.version },
        1,
      );
      setOrRemove(
        metrics.tlsCertificateExpiryTimestampSeconds,
        certificateExpiresAt === undefined ? undefined : certificateExpiresAt / 1000,
      );
      readLoad('public', server)(metrics);
    },
  };
}

/** Returns the admin listener as a part. */
export function adminListenerPart(server: HttpServer): Part {
  return { name: 'admin listener', stop: () => server.closeAll(), metrics: readLoad('admin', server) };
}

function readLoad(listener: string, server: Pick<HttpServer, 'load'>): MetricReader {
  return (metrics) => {
    const { serving, unfinished, bodyBytes, connections } = server.load();
    metrics.httpOpenExchanges.set({ listener }, serving);
    metrics.httpUnfinishedExchanges.set({ listener }, unfinished);
    metrics.httpBodyBytes.set({ listener }, bodyBytes);
    metrics.httpConnections.set({ listener }, connections);
  };
}
