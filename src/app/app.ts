import { hostname } from 'node:os';
import { addConfiguredApps, openApps } from '../apps/configured-apps.ts';
import type { BuildApp, BuildAppOptions, RunningApp } from '../cli/program/command.ts';
import { refuseUnsafeStart } from '../config/production/production-refusals.ts';
import type { Config } from '../config/settings/types.ts';
import { LiveConfig } from '../config/sources/changed-settings.ts';
import { explainConfig } from '../config/sources/explain.ts';
import { basePathOf } from '../config/values/public-address.ts';
import { seedDemoClient, seedDemoClients } from '../development/demo-client.ts';
import { refreshCurl, seedDemoHolder } from '../development/demo-holder.ts';
import { seedWorldId4AtStart } from '../development/worldid4/seed.ts';
import { choiceOf } from '../engine/backends/backend.ts';
import { Limits } from '../http/limits/limits.ts';
import { Overload } from '../http/limits/overload.ts';
import type { HttpServer } from '../http/server.ts';
import { createLog } from '../observability/log/log.ts';
import { createMetrics } from '../observability/metrics/metrics.ts';
import { ThreadMetrics } from '../observability/metrics/thread-metrics.ts';
import { UsageTally } from '../observability/usage.ts';
import type { AdminServices } from '../operations/operation.ts';
import { isSharedStore } from '../storage/files/store-url.ts';
import type { NodeState } from '../storage/nodes.ts';
import { createStoreChangeCells, createStoreChanges } from '../storage/store-changes.ts';
import {
  exampleCurl,
  exampleCurl4,
  groth16Curl,
  seedDevelopment,
} from '../verification/offline/development-seed.ts';
import { announceStart } from './announce.ts';
import { refuseUnsafeProduction } from './checks/production.ts';
import { gatherStoreFacts } from './checks/start-facts.ts';
import { askableTrees, frontEndCalls } from './front-ends/calls.ts';
import { type FrontEnds, openFrontEnds } from './front-ends/front-ends.ts';
import { usableFrontEnds } from './front-ends/usable-front-ends.ts';
import { Lifecycle, shutDown } from './lifecycle.ts';
import { openAdminListener } from './listeners/admin-listener.ts';
import { adminListenerPart, publicListenerPart } from './listeners/listener-parts.ts';
import { observeListener } from './listeners/observe-listener.ts';
import { openPublicListener } from './listeners/public-listener.ts';
import { createCircuit } from './parts/circuit.ts';
import { enginePart, startEngine } from './parts/engine.ts';
import { createFrontEndStates } from './parts/front-end-state.ts';
import { createServiceHealth, healthPart } from './parts/health.ts';
import { keysPart, prepareKeys } from './parts/keys.ts';
import { metricsPart } from './parts/metrics.ts';
import { identifyNode, joinNodes } from './parts/node-record.ts';
import { recordSettings } from './parts/record-settings.ts';
import { createReload } from './parts/reload.ts';
import { createRootSources } from './parts/root-sources.ts';
import { selfCheckPart } from './parts/self-check.ts';
import { logoutNoticesPart } from './parts/signin.ts';
import { lockStore, openMigratedStore, storePart } from './parts/store.ts';
import { createSweeper } from './parts/sweeper.ts';
import { startServiceTracing, tracedEngine, tracedStore, tracingPart } from './parts/tracing.ts';
import { createUsageWriter } from './parts/usage-writer.ts';
import { createWebhooksPart } from './parts/webhooks.ts';
import { createService } from './service.ts';

/**
 * Composition root: creates every part of the service in the order of dependencies and starts all of them once the
 * service listens. A part with a life cycle is one `life.add`: start, stop, readiness checks and metrics follow from
 * the list (`lifecycle.ts`). Rules: spec/operations.md#process-model and spec/operations.md#shutdown.
 */
export const buildApp: BuildApp = async (asked, options) => {
  const life = new Lifecycle();
  try {
    const { config, warnings } = usableFrontEnds(asked, options);
    return await build(config, { ...options, warnings: [...options.warnings, ...warnings] }, life);
  } catch (error) {
    // A fault at this stop is a consequence of the original error, or would hide it.
    await life.stop();
    throw error;
  }
};

async function build(config: Config, options: BuildAppOptions, life: Lifecycle): Promise<RunningApp> {
  const now = options.now ?? Date.now;
  const { logDestination, origins, warnings, faults = [], faultyKeys = new Set() } = options;
  const isProduction = config.profile === 'production';
  const isShared = isSharedStore(config.storage.url);
  const settings = { config, origins, faults, faultyKeys };
  const live = new LiveConfig(config);
  if (isProduction) await refuseUnsafeProduction({ settings, isMigrating: options.migrate, now: now() });
  else refuseUnsafeStart(settings);
  const log = createLog({ ...config.log, ...(logDestination ? { destination: logDestination } : {}) });
  const hasFrontEnds = config.server.frontEnds > 1;
  const metrics = createMetrics(hasFrontEnds ? 'main' : undefined);
  const threadMetrics = new ThreadMetrics();
  life.add(metricsPart(metrics, config));
  for (const warning of warnings) log.warn(warning, { event: 'config.warning' });

  life.add(await lockStore(config));
  const tracing = await startServiceTracing(config, log);
  life.add(tracingPart(tracing));
  const storeChanges = createStoreChangeCells();
  const changes = createStoreChanges(storeChanges);
  const opened = await openMigratedStore(config, { ...options, now, changes }, log, metrics);
  const store = tracedStore(opened, tracing);
  life.add(storePart({ config, store, now }));
  const self = identifyNode(now());
  const node = life.add(
    isShared ? await joinNodes({ node: self, config, nodes: store.nodes, log, now }) : undefined,
  );
  // A copy of the store that took it out of service since the first check has not seen this node.
  if (node !== undefined) await store.migrationStatus();
  let onFailed: (cause: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    onFailed = resolve;
  });
  // Front ends have engines of their own: this one serves commands and the start.
  const ownEngine = hasFrontEnds ? { engine: { ...config.engine, workers: 0 } } : config;
  const engine = tracedEngine(await startEngine(ownEngine, log, onFailed), tracing);
  life.add(enginePart(engine));
  const apps = await openApps(config, store.apps);
  if (isProduction) {
    // Checked again: before its migrations, the store of an older release cannot report every fact.
    refuseUnsafeStart(settings, await gatherStoreFacts(config, store, engine, now()));
  } else {
    await seedDevelopment({ apps, roots: store.roots }, now());
    if (config.signin.enabled) {
      const seed = config.signin.worldid4.rpId === undefined ? seedDemoClient : seedDemoClients;
      await seed(apps, config.baseUrl, now());
    }
    if (config.refresh.enabled) await seedDemoHolder(store, now());
    await seedWorldId4AtStart(config, { ...store, apps }, now());
  }

  const webhooks = life.add(
    createWebhooksPart({
      get config() {
        return live.current.webhooks;
      },
      outbox: store.outbox,
      log,
      metrics,
      now,
    }),
  );
  const rootSources = life.add(
    createRootSources({
      config,
      store,
      apps,
      isShared,
      log,
      metrics,
      now,
      onStale: (source, lagSeconds) => void webhooks?.reportStaleSource(source, lagSeconds),
    }),
  );
  const usage = new UsageTally(now);
  const limits = new Limits();
  const service = await createService({
    config,
    store,
    apps,
    engine,
    rootSources: rootSources.lookup,
    log,
    metrics,
    usage,
    now,
  });
  const { keys, signin, refresh } = service;
  life.add(logoutNoticesPart(signin));
  const keyErrors = await prepareKeys(keys, config, store, log);
  life.add(keysPart({ signingKeys: signin?.signingKeys, credentialKeys: refresh.credentialKeys, keyErrors }));
  const usageWriter = life.add(
    createUsageWriter(
      usage,
      store.usage,
      log,
      ({ refusals }) => webhooks?.countRefusals(refusals),
      () => frontEnds?.gatherUsage(),
    ),
  );
  life.add(createSweeper(config.storage, store, log, now));
  const circuit = life.add(createCircuit(config, log, now));

  const overload = new Overload();
  const states = hasFrontEnds ? life.add(createFrontEndStates(config.server.frontEnds, overload)) : undefined;
  let frontEnds: FrontEnds | undefined;
  const health = createServiceHealth({
    checks: life.health,
    overload,
    log,
    onChange: (isReady) => frontEnds?.showReady(isReady),
  });
  const state = (): NodeState => {
    const { workers, readyWorkers, arithmetic } = (frontEnds?.engine ?? engine).stats();
    return { workers, readyWorkers, backend: choiceOf(arithmetic), isReady: health.isReady };
  };
  node?.watch(state);
  if (states !== undefined) {
    frontEnds = await openFrontEnds({
      config,
      engine,
      calls: frontEndCalls({ store, roots: service.roots, circuit, log }),
      observer: observeListener('public', log, metrics),
      overload,
      askableTrees: askableTrees(service.roots),
      confirmedRoots: () => rootSources.states.targetTimes,
      isReady: () => health.isReady,
      limits: limits.handle,
      storeChanges,
      states,
      metrics: threadMetrics,
      usage,
      log,
      onFailed,
    });
  }
  const publicServer =
    frontEnds ??
    (await openPublicListener({ ...service, limits, health, overload, circuit: circuit?.state, tracing }));
  const shownSettings = explainConfig({ ...options, config });
  const services: AdminServices = {
    get config() {
      return live.current;
    },
    store,
    now,
    engine: async () => engine,
    runningEngine: frontEnds?.engine ?? engine,
    settings: shownSettings,
    appsOf: (other) => addConfiguredApps(config, other.apps),
    health: () => health.report(),
    flushUsage: () => usageWriter.write(),
    node: { ...self, state },
  };
  const listener = life.add(publicListenerPart(publicServer, config.shutdown, log));
  const adminServer = await openAdminListener({
    config,
    limits,
    health,
    log,
    metrics,
    exposition: async () => metrics.exposition(hasFrontEnds ? await threadMetrics.snapshots() : []),
    services,
    usage,
  });
  life.add(adminListenerPart(adminServer));
  life.add(healthPart(health));
  const reload = life.add(
    createReload({
      loaded: { config, origins, values: options.values },
      live,
      files: options.files ?? [],
      examine: options.examine,
      servers: [publicServer, adminServer],
      log,
    }),
  );
  life.add(selfCheckPart({ config, log }));
  // Recorded last: a start that is refused for its port applies no settings.
  await recordSettings(store, shownSettings, hostname());
  metrics.setReaders(life.metrics);
  await life.start();

  const addresses = shownAddresses(config, publicServer, adminServer);
  announceStart(config, origins, addresses, publicServer, log);
  let stopping: Promise<boolean> | undefined;
  return {
    ...addresses,
    circuit: (await circuit?.state())?.status,
    failed,
    onReload: (signal) => void reload.onSignal(signal),
    logIgnoredSignal: (signal) => log.warn(`${signal} is ignored`, { event: 'signal.ignored', signal }),
    stop() {
      stopping ??= shutDown(life, log, listener);
      return stopping;
    },
  };
}

/** Returns the addresses of the listeners as they were bound, and the commands of the development profile. */
function shownAddresses(
  config: Config,
  publicServer: HttpServer,
  adminServer: HttpServer,
): Omit<RunningApp, 'circuit' | 'failed' | 'onReload' | 'logIgnoredSignal' | 'stop'> {
  const { verify, groth16 } = config;
  const isProduction = config.profile === 'production';
  const publicUrl = urlOf(publicServer);
  const boundUrlOf = (address: string): string => `${publicUrl}${basePathOf(address)}`;
  const [verifyUrl, issuerUrl] = [boundUrlOf(config.verifyUrl), boundUrlOf(config.issuerUrl)];
  const hasExample = !isProduction && verify.enabled;
  const hasGroth16 = !isProduction && groth16.enabled && !groth16.requireToken;
  return {
    publicUrl,
    adminUrl: urlOf(adminServer),
    verifyUrl,
    issuerUrl,
    exampleCurl: hasExample ? exampleCurl(verifyUrl) : undefined,
    exampleCurl4: hasExample && verify.worldid4.enabled ? exampleCurl4(verifyUrl) : undefined,
    groth16Curl: hasGroth16 ? groth16Curl(verifyUrl) : undefined,
    refreshCurl: isProduction ? undefined : refreshCurl(issuerUrl, config),
    demoUrl: isProduction ? undefined : demoUrlOf(config),
    walletUrl: isProduction ? undefined : walletUrlOf(config, publicUrl),
    docsUrl: config.docs.enabled ? `${boundUrlOf(config.baseUrl)}/docs` : undefined,
  };
}

/**
 * Returns the address of the wallet page: at `baseUrl`, since a browser stores identities per origin. If `server.port`
 * is 0, `baseUrl` does not contain the port, so the address of the listener is returned.
 */
function walletUrlOf({ baseUrl, server }: Config, publicUrl: string): string {
  return server.port === 0 ? `${publicUrl}${basePathOf(baseUrl)}/wallet` : `${baseUrl}/wallet`;
}

/**
 * Returns the address of the demo: at the issuer, to which its redirect URI belongs. Undefined if `server.port` is 0,
 * since the issuer does not contain the chosen port.
 */
function demoUrlOf({ baseUrl, server, signin }: Config): string | undefined {
  return signin.enabled && server.port !== 0 ? `${baseUrl}/demo` : undefined;
}

function urlOf({ scheme, host, port }: HttpServer): string {
  const shown = host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host;
  return `${scheme}://${shown}:${port}`;
}
