import type { Config } from '../../config/settings/types.ts';
import type { CircuitMaker } from '../../development/index.ts';
import type { Engine } from '../../engine/index.ts';
import type { HttpServer } from '../../http/index.ts';
import type { Health, Log, Metrics, Tracing } from '../../observability/index.ts';
import type { SigningKeys } from '../../oidc/keys/signing-keys.ts';
import type { LogoutDeliverer } from '../../oidc/logout/deliverer.ts';
import type { ServeLock, Store } from '../../storage/index.ts';
import type { Webhooks } from '../../webhooks/index.ts';
import type { NodeRecord } from './node-record.ts';
import type { RootSources } from './root-sources.ts';
import type { Sweeper } from './sweeper.ts';
import type { UsageWriter } from './usage-writer.ts';

/** Parts that a shutdown ends. */
export interface Stoppable {
  readonly health: Health;
  readonly publicServer: HttpServer;
  readonly adminServer: HttpServer;
  readonly sweeper: Sweeper;
  readonly usageWriter: UsageWriter;
  readonly rootSources: Pick<RootSources, 'stop'>;
  /** Undefined while they are off. */
  readonly webhooks: Pick<Webhooks, 'stop'> | undefined;
  /** Undefined while sessions are off. */
  readonly logoutNotices: Pick<LogoutDeliverer, 'stop'> | undefined;
  /** Undefined in production. */
  readonly circuit: CircuitMaker | undefined;
  readonly signingKeys: SigningKeys | undefined;
  /** Undefined without a store that nodes share. */
  readonly node: NodeRecord | undefined;
  readonly engine: Engine;
  readonly store: Store;
  readonly lock: ServeLock;
  readonly metrics: Metrics;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
  readonly log: Log;
}

/**
 * Shuts the service down without losing an accepted request: reports unready, keeps serving for
 * `drainDelayMs`, stops listening, waits at most `timeoutMs` for open requests, then closes engine and store
 * and flushes the log.
 *
 * @returns Whether every open request was finished.
 */
export async function stopSequence(parts: Stoppable, shutdown: Config['shutdown']): Promise<boolean> {
  const { health, publicServer, adminServer, engine, store, lock, metrics, log } = parts;
  health.setDraining();
  log.info('stopping', { event: 'service.stopping', open: publicServer.openExchanges });
  if (shutdown.drainDelayMs > 0) {
    await new Promise((resolve) => setTimeout(resolve, shutdown.drainDelayMs));
  }
  publicServer.closeListening();
  publicServer.setDraining();
  const isIdle = await publicServer.whenIdle(shutdown.timeoutMs);
  const cut = publicServer.openExchanges;
  publicServer.closeAll();
  adminServer.closeAll();
  health.stop();
  await parts.sweeper.stop();
  await parts.usageWriter.stop();
  await parts.rootSources.stop();
  await parts.webhooks?.stop();
  await parts.logoutNotices?.stop();
  await parts.circuit?.stop();
  await parts.signingKeys?.stop();
  await parts.node?.leave();
  metrics.close();
  await parts.tracing?.close();
  await engine.close();
  await store.close();
  await lock.release();
  log.info('stopped', { event: 'service.stopped', open: cut });
  log.flush();
  return isIdle;
}
