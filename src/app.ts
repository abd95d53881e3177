import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBridge } from './bridge/index.ts';
import type { BuildApp, BuildAppOptions, RunningApp } from './cli/index.ts';
import { refuseUnsafeStart } from './config/index.ts';
import type { Config } from './config/types.ts';
import { createDevelopmentTrees } from './development/index.ts';
import { createEngine, type Engine } from './engine/index.ts';
import { isServiceError, ServiceError } from './errors/index.ts';
import {
  bridgeFallback,
  bridgeRoutes,
  createHttpServer,
  createRateGuard,
  type HttpServer,
  healthzRoute,
  liveRoute,
  metricsRoute,
  PUBLIC_FALLBACKS,
  type Route,
  readyRoute,
  renderAdminError,
  renderSigninError,
  walletRoutes,
} from './http/index.ts';
import { verifyRoute } from './http/routes/public/verify.ts';
import {
  createHealth,
  createLog,
  createMetrics,
  type Health,
  type Log,
  type Metrics,
  observeRequest,
} from './observability/index.ts';
import { gatherStartFacts, stopSequence } from './start/index.ts';
import { acquireServeLock, openStore, type Store } from './storage/index.ts';
import {
  createVerification,
  currentRootAges,
  exampleCurl,
  seedDevelopment,
  type Verification,
} from './verification/index.ts';

/** Ends what was started, the last first, when a later part fails to start. */
type Undo = () => Promise<void> | void;

/** Composition root: builds every part, passes each what it needs, and listens when all of them are ready. */
export const buildApp: BuildApp = async (config, options) => {
  const undo: Undo[] = [];
  try {
    return await build(config, options, undo);
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
};

async function build(config: Config, options: BuildAppOptions, undo: Undo[]): Promise<RunningApp> {
  const now = options.now ?? Date.now;
  const { logDestination, origins, warnings } = options;
  // Production gives all its reasons at once, so where a store is named it waits for what the store has to say.
  const isProduction = config.profile === 'production';
  if (!isProduction || origins['storage.url'] === 'default') refuseUnsafeStart({ config, origins });
  const log = createLog({ ...config.log, ...(logDestination ? { destination: logDestination } : {}) });
  const metrics = createMetrics();
  undo.push(() => metrics.close());
  for (const warning of warnings) log.warn(warning, { event: 'config.warning' });

  const lock = await acquireServeLock(config.dataDir);
  undo.push(() => lock.release());
  const store = await openMigratedStore(config, options, log, metrics);
  undo.push(() => store.close());
  let onFailed: (cause: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => {
    onFailed = resolve;
  });
  const engine = await startEngine(config, log, onFailed);
  undo.push(() => engine.close());
  if (isProduction) refuseUnsafeStart({ config, origins }, await gatherStartFacts(config, store, engine));
  else await seedDevelopment(store, now());

  const verification = createVerification({
    config,
    engine,
    store,
    metrics,
    now,
    onFault: (fault, requestId) => log.error('an item met a fault of ours', { requestId, err: fault }),
  });
  const keyErrors = await prepareKeys(verification, store, log);
  const health = startHealth({ store, engine, keyErrors, log, now });
  const wallet = isProduction ? [] : await walletRoutesOf(config, store, engine, now);
  const publicServer = await openPublicListener({
    config,
    verification,
    store,
    health,
    log,
    metrics,
    now,
    wallet,
  });
  undo.push(() => publicServer.closeAll());
  const adminServer = await openAdminListener({ config, health, log, metrics });
  undo.push(() => adminServer.closeAll());
  metrics.setSources({
    engine: () => engine.stats(),
    storeRows: () => store.rowCounts(),
    rootAges: () => currentRootAges(store.roots, now()),
    openExchanges: () => ({ public: publicServer.openExchanges, admin: adminServer.openExchanges }),
  });
  const sweepTimer = startSweep(config, store, log, now);
  await health.start();

  const publicUrl = urlOf(publicServer);
  const adminUrl = urlOf(adminServer);
  announce(config, log, { publicUrl, adminUrl, origins });
  let stopping: Promise<boolean> | undefined;
  return {
    publicUrl,
    adminUrl,
    exampleCurl: isProduction || !config.verify.enabled ? undefined : await exampleCurl(publicUrl),
    failed,
    stop() {
      const parts = { health, publicServer, adminServer, sweepTimer, engine, store, lock, metrics, log };
      stopping ??= stopSequence(parts, config.shutdown);
      return stopping;
    },
  };
}

async function openMigratedStore(
  config: Config,
  options: BuildAppOptions,
  log: Log,
  metrics: Metrics,
): Promise<Store> {
  const store = await openStore(config.storage, {
    log: { warn: (fields, message) => log.warn(message, { ...fields }) },
    observer: {
      nullifierCommit(rows, seconds) {
        metrics.nullifierCommitRows.observe(rows);
        metrics.nullifierCommitSeconds.observe(seconds);
      },
      retry: (operation) => metrics.storeRetriesTotal.inc({ operation }),
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
    if (pending.length > 0) await store.migrate();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
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
  log[isFallback ? 'warn' : 'info'](`engine runs on ${backend}: ${reason}`, { backend, arithmetic, workers });
  return engine;
}

/** Brings the keys of bindings and current roots into the engine; those that cannot be used make readiness false. */
async function prepareKeys(verification: Verification, store: Store, log: Log): Promise<ServiceError[]> {
  const roots = await store.roots.listCurrent();
  const errors = await verification.keys.prepare(
    roots.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])),
  );
  for (const error of errors) log.error(error.message, { code: error.code });
  return errors;
}

function startHealth(parts: {
  store: Store;
  engine: Engine;
  keyErrors: readonly ServiceError[];
  log: Log;
  now: () => number;
}): Health {
  const { store, engine, keyErrors, log, now } = parts;
  return createHealth({
    now,
    checks: {
      async store() {
        const state = await store.probe();
        if (!state.isReachable || !state.isWritable) throw new Error(state.reason ?? 'not writable');
        return state.durability;
      },
      async migrations() {
        const pending = await pendingMigrations(store);
        if (pending > 0) throw new Error(`${pending} pending`);
        return undefined;
      },
      keys() {
        if (keyErrors.length > 0) throw new Error(keyErrors.map(({ message }) => message).join('; '));
        return undefined;
      },
      engine() {
        const { readyWorkers, workers, backend } = engine.stats();
        if (readyWorkers === 0 && workers > 0) throw new Error('no worker passed its self-test');
        return backend;
      },
    },
    onChange: (isReady) => log.info(isReady ? 'ready' : 'not ready', { event: 'service.readiness' }),
  });
}

/** A newer release may migrate the shared store while this one runs: its migrations work with the one before. */
async function pendingMigrations(store: Store): Promise<number> {
  try {
    return (await store.migrationStatus()).pending.length;
  } catch (error) {
    if (isServiceError(error, 'store.newer')) return 0;
    throw error;
  }
}

interface ListenerParts {
  readonly config: Config;
  readonly health: Health;
  readonly log: Log;
  readonly metrics: Metrics;
}

async function openPublicListener(
  parts: ListenerParts & {
    readonly verification: Verification;
    readonly store: Store;
    readonly now: () => number;
    readonly wallet: readonly Route[];
  },
): Promise<HttpServer> {
  const { config, health, verification, store, log, metrics } = parts;
  const routes: Route[] = [healthzRoute(() => health.isReady), ...parts.wallet];
  if (config.verify.enabled) {
    const { bodyLimitBytes, rateLimitPerSecond, rateLimitBurst } = config.verify;
    const rateGuard = createRateGuard({ perSecond: rateLimitPerSecond, burst: rateLimitBurst });
    routes.push(
      verifyRoute({
        verifyRequest: verification.verifyRequest,
        bodyLimitBytes,
        metrics,
        admit() {
          const { isReachable, isWritable } = store.health();
          if (!isReachable || !isWritable) throw new ServiceError('http.unavailable');
        },
        ...(rateGuard ? { rateGuard } : {}),
      }),
    );
  }
  if (config.bridge.enabled) routes.push(...bridgeRoutesOf(parts));
  return createHttpServer({
    listener: 'public',
    ...config.server,
    routes,
    fallbacks: [...(config.bridge.enabled ? [bridgeFallback(config.baseUrl)] : []), ...PUBLIC_FALLBACKS],
    renderUnknown: renderSigninError,
    baseUrl: config.baseUrl,
    limits: config.http,
    onEnd: observeRequest(log, metrics),
  });
}

type BridgeParts = Pick<ListenerParts, 'config' | 'metrics'> & {
  readonly store: Store;
  readonly now: () => number;
};

function bridgeRoutesOf({ config, store, metrics, now }: BridgeParts): Route[] {
  const { rootAlias, bodyLimitBytes } = config.bridge;
  const perMinute = config.rateLimits.bridge;
  const rateGuard = createRateGuard({ perSecond: perMinute / 60, burst: perMinute });
  return bridgeRoutes({
    bridge: createBridge({ store: store.bridge, limits: config.bridge, now }),
    baseUrl: config.baseUrl,
    hasRootAlias: rootAlias,
    canOverwrite: config.profile !== 'production',
    bodyLimitBytes,
    metrics,
    admit() {
      const { isReachable, isWritable, reason } = store.health();
      if (!isReachable || !isWritable) throw new ServiceError('store.unreachable', reason);
    },
    ...(rateGuard ? { rateGuard } : {}),
  });
}

/** The wallet page with its calls, over the development trees. */
function walletRoutesOf(config: Config, store: Store, engine: Engine, now: () => number): Promise<Route[]> {
  const trees = createDevelopmentTrees({ store, poseidon: (inputs) => engine.poseidon(inputs), now });
  return walletRoutes({ config, trees, apps: store.apps });
}

async function openAdminListener({ config, health, log, metrics }: ListenerParts): Promise<HttpServer> {
  const routes: Route[] = [liveRoute(), readyRoute(() => health.report())];
  if (config.metrics.enabled) {
    const failureGuard = createRateGuard({ perSecond: 10 / 60, burst: 10 });
    routes.push(
      metricsRoute({
        contentType: metrics.contentType,
        exposition: () => metrics.exposition(),
        requiredToken: config.metrics.requireToken ? adminToken(config) : undefined,
        failureGuard,
      }),
    );
  }
  return createHttpServer({
    listener: 'admin',
    ...config.admin,
    routes,
    fallbacks: [],
    renderUnknown: renderAdminError,
    baseUrl: config.baseUrl,
    limits: config.http,
    onEnd: observeRequest(log, metrics),
  });
}

/** The token of the admin listener; the development profile makes one up and keeps it in the data folder. */
function adminToken(config: Config): string {
  if (config.admin.token !== undefined) return config.admin.token;
  const file = join(config.dataDir, 'admin-token');
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8');
}

function startSweep(config: Config, store: Store, log: Log, now: () => number): NodeJS.Timeout | undefined {
  const { sweepIntervalSeconds, sweepBatchRows } = config.storage;
  if (sweepIntervalSeconds === 0) return undefined;
  const run = (): void => {
    store
      .sweep(now(), sweepBatchRows)
      .catch((fault: unknown) => log.error('the sweep failed', { err: fault }));
  };
  return setInterval(run, sweepIntervalSeconds * 1000).unref();
}

function announce(
  { profile }: Config,
  log: Log,
  {
    publicUrl,
    adminUrl,
    origins,
  }: { publicUrl: string; adminUrl: string; origins: BuildAppOptions['origins'] },
): void {
  log.info('public listener', { url: publicUrl, profile });
  log.info('admin listener', { url: adminUrl });
  if (profile === 'production') return;
  log.warn(`profile ${profile}: example app, example root and made-up values are in use`, {
    event: 'config.development',
  });
  for (const setting of ['baseUrl', 'storage.url', 'dataDir', 'admin.token']) {
    if (origins[setting] === 'default')
      log.info(`default in use: ${setting}`, { event: 'config.default', setting });
  }
}

function urlOf({ host, port }: HttpServer): string {
  const shown = host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host;
  return `http://${shown}:${port}`;
}
