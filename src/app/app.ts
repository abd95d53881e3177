import { hostname } from 'node:os';
import { addConfiguredApps, createAddressKeys, createBridgeIds, openApps } from '../apps/index.ts';
import type { BuildApp, BuildAppOptions, RunningApp } from '../cli/index.ts';
import { DEFAULT_CLIENT, namesResponseTypes, PRODUCTION_CLIENT } from '../config/apps/client-of.ts';
import { explainConfig, refuseUnsafeStart } from '../config/index.ts';
import type { Config } from '../config/settings/types.ts';
import { refreshCurl, seedDemoClient, seedDemoHolder, seedWorldId4AtStart } from '../development/index.ts';
import { choiceOf, createEngine, type Engine } from '../engine/index.ts';
import { ServiceError } from '../errors/index.ts';
import { basePathOf, type HttpServer, Overload } from '../http/index.ts';
import {
  createKeyRegistry,
  createRootRegistry,
  type KeyBindings,
  type KeyRegistry,
  WORLDID4_BINDING,
} from '../membership/index.ts';
import { createLog, createMetrics, type Log, type Metrics, UsageTally } from '../observability/index.ts';
import type { AdminServices } from '../operations/index.ts';
import {
  acquireServeLock,
  describePlan,
  isSharedStore,
  type MigrationPlan,
  type NodeState,
  openStore,
  type ServeLock,
  type Store,
} from '../storage/index.ts';
import {
  createGroth16Verifier,
  createVerification,
  exampleCurl,
  exampleCurl4,
  groth16Curl,
  seedDevelopment,
} from '../verification/index.ts';
import { buildVersion } from '../version.ts';
import { createWebhooks } from '../webhooks/index.ts';
import {
  createCircuit,
  createRefreshParts,
  createRootSources,
  createServiceHealth,
  createSignin,
  gatherStoreFacts,
  identifyNode,
  joinNodes,
  metricSources,
  openAdminListener,
  openPublicListener,
  recordSettings,
  refreshKeyIds,
  refuseUnsafeProduction,
  runSelfCheck,
  startServiceTracing,
  startSweeper,
  startUsageWriter,
  stopSequence,
  tracedEngine,
  tracedStore,
  type Undo,
  undoAll,
} from './index.ts';

/**
 * Composition root: builds every part, passes each its dependencies, and listens when all of them are ready.
 */
export const buildApp: BuildApp = async (config, options) => {
  const undo: Undo[] = [];
  try {
    return await build(config, options, undo);
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
};

async function build(config: Config, options: BuildAppOptions, undo: Undo[]): Promise<RunningApp> {
  const now = options.now ?? Date.now;
  const { logDestination, origins, warnings, faults = [], faultyKeys = new Set() } = options;
  const isProduction = config.profile === 'production';
  const settings = { config, origins, faults, faultyKeys };
  if (isProduction) await refuseUnsafeProduction({ settings, isMigrating: options.migrate, now: now() });
  else refuseUnsafeStart(settings);
  const log = createLog({ ...config.log, ...(logDestination ? { destination: logDestination } : {}) });
  const metrics = createMetrics();
  undo.push(() => metrics.close());
  for (const warning of warnings) log.warn(warning, { event: 'config.warning' });

  const lock = await lockStore(config);
  undo.push(() => lock.release());
  const tracing = await startServiceTracing(config, buildVersion(), log);
  undo.push(() => tracing?.close());
  const store = tracedStore(await openMigratedStore(config, options, log, metrics), tracing);
  undo.push(() => store.close());
  const self = identifyNode(now());
  const node = isSharedStore(config.storage.url)
    ? await joinNodes({ node: self, config, nodes: store.nodes, log, now })
    : undefined;
  undo.push(() => node?.leave());
  // A copy that has taken the store out of service since the first check has not seen this node.
  if (node !== undefined) await store.migrationStatus();
  let onFailed: (cause: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    onFailed = resolve;
  });
  const engine = tracedEngine(await startEngine(config, log, onFailed), tracing);
  undo.push(() => engine.close());
  const apps = await openApps(config, store.apps);
  if (isProduction) {
    // Checked again: before its migrations, the store of an older release cannot report every fact.
    refuseUnsafeStart(settings, await gatherStoreFacts(config, store, engine, now()));
  } else {
    await seedDevelopment({ apps, roots: store.roots }, now());
    if (config.signin.enabled) await seedDemoClient(apps, config.baseUrl, now());
    if (config.refresh.enabled) await seedDemoHolder(store, now());
    await seedWorldId4AtStart(config, { ...store, apps }, now());
  }

  const cacheMs = config.storage.cacheSeconds * 1000;
  const webhooks = createWebhooks({ config: config.webhooks, outbox: store.outbox, log, metrics, now });
  undo.push(() => webhooks?.stop());
  const rootSources = createRootSources({
    config,
    store,
    apps,
    isShared: isSharedStore(config.storage.url),
    log,
    metrics,
    now,
    onStale: (source, lagSeconds) => void webhooks?.reportStaleSource(source, lagSeconds),
  });
  undo.push(() => rootSources.stop());
  const roots = createRootRegistry(store.roots, cacheMs, now, rootSources.lookup);
  const keys = createKeyRegistry({
    ...{ engine, store, profile: config.profile, bindings: usedBindings(config) },
    onWarning: (text) => log.warn(text, { event: 'key.degenerate_inputs' }),
  });
  const addressKeys = createAddressKeys(config);
  const bridgeIds = createBridgeIds(config);
  const usage = new UsageTally(now);
  const shared = {
    config,
    store,
    apps,
    engine,
    keys,
    roots,
    log,
    metrics,
    usage,
    addressKeys,
    bridgeIds,
    now,
  };
  const signin = config.signin.enabled ? await createSignin(shared) : undefined;
  const logoutNotices = signin?.logoutNotices;
  undo.push(() => logoutNotices?.stop());
  const refresh = await createRefreshParts(shared);
  const { credentialKeys } = refresh;
  const onFault = (fault: unknown, requestId: string): void =>
    log.error('an item failed with an internal error', { requestId, err: fault });
  const verification = createVerification({
    config,
    engine,
    store: { ...store, apps },
    keys,
    roots,
    metrics,
    now,
    onAccepted: (appId, environment, action) => usage.accept(appId, environment, action),
    onFault,
    onKeysUnreadable: (environment, err) =>
      log.warn('the keys of the attestation issuer cannot be read', { environment, err }),
  });
  const groth16 = config.groth16.enabled
    ? createGroth16Verifier({
        ...{ engine, keys, metrics, onFault },
        maxProofs: config.groth16.maxProofs,
        deadlineMs: config.verify.deadlineMs,
      })
    : undefined;
  const keyErrors = await prepareKeys(keys, refreshKeyIds(config), store, log);
  const signingKeys = signin?.signingKeys;
  const overload = new Overload();
  const health = createServiceHealth({
    ...{ store, engine, signingKeys, credentialKeys, keyErrors, overload, node, log },
    rootStates: rootSources.states,
  });
  const usageWriter = startUsageWriter(usage, store.usage, log, ({ refusals }) =>
    webhooks?.countRefusals(refusals),
  );
  undo.push(() => usageWriter.stop());
  undo.push(() => health.stop());
  const state = (): NodeState => {
    const { workers, readyWorkers, arithmetic } = engine.stats();
    return { workers, readyWorkers, backend: choiceOf(arithmetic), isReady: health.isReady };
  };
  node?.watch(state);
  const shownSettings = explainConfig({ ...options, config, file: undefined });
  const services: AdminServices = {
    ...{ config, store, now },
    engine: async () => engine,
    runningEngine: engine,
    settings: shownSettings,
    appsOf: (other) => addConfiguredApps(config, other.apps),
    health: () => health.report(),
    flushUsage: () => usageWriter.write(),
    node: { ...self, state },
  };
  const listener = { config, health, log, metrics, services, usage };
  const circuit = isProduction ? undefined : createCircuit(config, log, now);
  undo.push(() => circuit?.stop());
  const publicServer = await openPublicListener({
    ...shared,
    health,
    overload,
    verification,
    groth16,
    signin,
    refresh,
    circuit,
    tracing,
  });
  undo.push(() => publicServer.closeAll());
  const adminServer = await openAdminListener(listener);
  undo.push(() => adminServer.closeAll());
  // Not before: a start that is refused for its port applies nothing.
  await recordSettings(store, shownSettings, hostname());
  metrics.setSources(
    metricSources({
      ...{
        config,
        store,
        engine,
        health,
        rootSources,
        signingKeys,
        credentialKeys,
        publicServer,
        adminServer,
        now,
      },
      isShared: isSharedStore(config.storage.url),
    }),
  );
  const sweeper = startSweeper(config.storage, store, log, now);
  undo.push(() => sweeper.stop());
  signingKeys?.start();
  undo.push(() => signingKeys?.stop());
  await rootSources.start();
  await health.start();
  webhooks?.start();
  logoutNotices?.start();

  if (config.development.makeCircuit) await circuit?.start();

  const stopped = new AbortController();
  void runSelfCheck({ config, log, signal: stopped.signal });
  const publicUrl = urlOf(publicServer);
  const adminUrl = urlOf(adminServer);
  const boundUrlOf = (address: string): string => `${publicUrl}${basePathOf(address)}`;
  const hasExample = !isProduction && config.verify.enabled;
  announce(config, log, { publicUrl, adminUrl, origins });
  if (config.signin.enabled && !publicServer.keepsHeaderBytes) warnOfHeaderBytes(log);
  let stopping: Promise<boolean> | undefined;
  return {
    publicUrl,
    adminUrl,
    verifyUrl: boundUrlOf(config.verifyUrl),
    issuerUrl: boundUrlOf(config.issuerUrl),
    exampleCurl: hasExample ? exampleCurl(boundUrlOf(config.verifyUrl)) : undefined,
    exampleCurl4:
      hasExample && config.verify.worldid4.enabled ? exampleCurl4(boundUrlOf(config.verifyUrl)) : undefined,
    groth16Curl:
      isProduction || groth16 === undefined || config.groth16.requireToken
        ? undefined
        : groth16Curl(boundUrlOf(config.verifyUrl)),
    refreshCurl: isProduction ? undefined : refreshCurl(boundUrlOf(config.issuerUrl), config),
    demoUrl: isProduction ? undefined : demoUrlOf(config),
    walletUrl: isProduction ? undefined : walletUrlOf(config, publicUrl),
    docsUrl: config.docs.enabled ? `${boundUrlOf(config.baseUrl)}/docs` : undefined,
    circuit: (await circuit?.state())?.status,
    failed,
    logIgnoredSignal: (signal) =>
      log.warn(`${signal} is ignored; settings are read at the start`, { event: 'signal.ignored', signal }),
    stop() {
      const parts = {
        ...{
          health,
          publicServer,
          adminServer,
          sweeper,
          usageWriter,
          rootSources,
          webhooks,
          logoutNotices,
          circuit,
          signingKeys,
          node,
        },
        ...{ engine, store, lock, metrics, tracing, log },
      };
      stopped.abort();
      stopping ??= stopSequence(parts, config.shutdown);
      return stopping;
    },
  };
}

/** Returns the keys that requests can need: none of World ID 4.0 while it is switched off. */
function usedBindings({ verify: { keys, worldid4 } }: Config): KeyBindings {
  if (worldid4.enabled) return keys;
  return Object.fromEntries(
    Object.entries(keys).filter(([setting]) => !setting.startsWith(WORLDID4_BINDING)),
  );
}

/**
 * Takes the lock of the data folder and of the store in it. Nodes that share a database server lock nothing. Tests run
 * several servers on one database file.
 */
async function lockStore({ dataDir, storage }: Config): Promise<ServeLock> {
  if (isSharedStore(storage.url)) return { release: async () => undefined };
  return acquireServeLock(dataDir, storage.allowSharedFile ? {} : { storageUrl: storage.url });
}

async function openMigratedStore(
  config: Config,
  options: BuildAppOptions,
  log: Log,
  metrics: Metrics,
): Promise<Store> {
  const store = await openStore(config.storage, {
    log: { warn: (fields, message) => log.warn(message, { ...fields }) },
    now: options.now ?? Date.now,
    sendsEvents: config.webhooks.url !== undefined,
    observer: {
      nullifierCommit(rows, seconds) {
        metrics.nullifierCommitRows.observe(rows);
        metrics.nullifierCommitSeconds.observe(seconds);
      },
      retry: (operation) => metrics.storeRetriesTotal.inc({ operation }),
      bridgeEviction: (messages) => metrics.bridgeEvictionsTotal.inc({}, messages),
      // With seq and hash, a log that is kept elsewhere shows whether the end of the audit log was cut off.
      audited: ({ seq, hash, actor, action, target }) =>
        log.info('audit', { event: 'audit.recorded', seq, hash, actor, action, target }),
    },
  });
  try {
    const { pending } = await store.migrationStatus();
    if (pending.length > 0 && config.profile === 'production' && !options.migrate) {
      refuseUnsafeStart(
        { config, origins: options.origins },
        { pendingMigrations: pending.map((migration) => migration.name) },
      );
    }
    if (pending.length > 0) {
      announceMigrations(await store.migrationPlan(), log);
      await store.migrate();
    }
    announceDurability(store, log);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Says what the migrations of an existing store will do, before they begin. */
function announceMigrations(plan: MigrationPlan, log: Log): void {
  if (plan.isNew) return;
  const fields = { event: 'store.migrating', plan: describePlan(plan) };
  const summary = `pending migrations begin: ${plan.migrations.length}; estimated time ${Math.ceil(plan.seconds)} s`;
  if (plan.formerCanStart) log.info(summary, fields);
  else log.warn(`${summary}; the former release cannot start on the store afterwards`, fields);
}

/** Says what acknowledged writes survive, where that depends on a database server. */
function announceDurability(store: Store, log: Log): void {
  const { text, faults, failover } = store.health().durability;
  if (failover === undefined) return;
  const fields = { event: 'store.durability', reason: text };
  if (failover.isSafe) log.info(failover.text, fields);
  else log.warn(failover.text, fields);
  for (const fault of faults) log.warn(`the store: ${fault}`, fields);
}

async function startEngine(config: Config, log: Log, onFailed: (cause: unknown) => void): Promise<Engine> {
  const engine = await createEngine(config.engine, {
    log({ event, ...fields }) {
      if (event === 'engine.failed') onFailed(new ServiceError('engine.worker_failed'));
      const isRoutine = event === 'engine.started' || event === 'engine.worker_ready';
      log[isRoutine ? 'debug' : 'error']('engine', { event, ...fields });
    },
  });
  const { backend, arithmetic, reason, workers } = engine.stats();
  const isFallback = backend === 'wasm' && config.engine.backend === 'auto';
  const fields = { backend, arithmetic, workers };
  log[isFallback ? 'warn' : 'info'](`engine runs on ${choiceOf(arithmetic)}: ${reason}`, fields);
  return engine;
}

/**
 * Registers the keys of bindings, of current roots and of `keyIds` with the engine.
 *
 * @returns The errors of keys that cannot be used; they make the service unready.
 */
async function prepareKeys(
  keys: KeyRegistry,
  keyIds: readonly string[],
  store: Store,
  log: Log,
): Promise<ServiceError[]> {
  const roots = await store.roots.listCurrent();
  const errors = await keys.prepare(keyIds, roots);
  for (const error of errors) log.error(error.message, { code: error.code });
  return errors;
}

function announce(
  { profile, signin, apps }: Config,
  log: Log,
  {
    publicUrl,
    adminUrl,
    origins,
  }: { publicUrl: string; adminUrl: string; origins: BuildAppOptions['origins'] },
): void {
  log.info('public listener', { url: publicUrl, profile });
  log.info('admin listener', { url: adminUrl });
  if (signin.enabled) announceDefaults(profile, apps.list, log);
  if (profile === 'production') return;
  log.warn(`profile ${profile}: example app, example root and generated values are in use`, {
    event: 'config.development',
  });
  for (const setting of ['baseUrl', 'storage.url', 'dataDir', 'admin.token']) {
    if (origins[setting] === 'default')
      log.info(`default in use: ${setting}`, { event: 'config.default', setting });
  }
}

/** Says that the first cookie of a header may have had other bytes before its name (spec/operations.md#dependencies). */
function warnOfHeaderBytes(log: Log): void {
  log.warn(
    'the HTTP library is used as it is, and strips bytes from 0x80 off header values: a host of the same domain could plant the first cookie of a header; on Linux for x86-64, let TMPDIR or dataDir name a folder that can be written and allows programs',
    { event: 'http.header_bytes' },
  );
}

/** Says what a new app is registered for if its options do not, and which apps of the configuration rely on more. */
function announceDefaults(profile: Config['profile'], listed: Config['apps']['list'], log: Log): void {
  const isProduction = profile === 'production';
  const { responseTypes, requirePkce } = isProduction ? PRODUCTION_CLIENT : DEFAULT_CLIENT;
  log.info(
    isProduction
      ? 'new apps are registered for the response type code alone and with PKCE required, unless their options say otherwise'
      : 'new apps are registered for all response types and without PKCE required, unless their options say otherwise',
    { event: 'app.defaults', profile, responseTypes, requirePkce },
  );
  if (!isProduction) return;
  const wide = listed.filter(({ client }) => client.redirectUris.length > 0 && !namesResponseTypes(client));
  if (wide.length === 0) return;
  const ids = wide.map(({ clientId }) => clientId).join(', ');
  log.warn(
    `apps.list: ${ids}: all six response types, since the entry names none; name response_types, such as ["code"], and require_pkce`,
    { event: 'config.warning' },
  );
}

/**
 * Returns the address of the wallet page: at `baseUrl`, since a browser stores identities per origin. If
 * `server.port` is 0, `baseUrl` does not have the port, so the address is that of the listener.
 */
function walletUrlOf({ baseUrl, server }: Config, publicUrl: string): string {
  return server.port === 0 ? `${publicUrl}${basePathOf(baseUrl)}/wallet` : `${baseUrl}/wallet`;
}

/**
 * Returns the address of the demo: at the issuer, to which its redirect URI belongs. Undefined if `server.port`
 * is 0, since the issuer does not have the port that was chosen.
 */
function demoUrlOf({ baseUrl, server, signin }: Config): string | undefined {
  return signin.enabled && server.port !== 0 ? `${baseUrl}/demo` : undefined;
}

function urlOf({ scheme, host, port }: HttpServer): string {
  const shown = host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host;
  return `${scheme}://${shown}:${port}`;
}
