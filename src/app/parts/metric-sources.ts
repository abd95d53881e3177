import type { Config } from '../../config/settings/types.ts';
import type { Engine } from '../../engine/index.ts';
import type { HttpServer } from '../../http/index.ts';
import { currentRootAges } from '../../membership/index.ts';
import type {
  Health,
  MetricSources,
  StoreSizeSample,
  UnsentEventsSample,
} from '../../observability/index.ts';
import type { SigningKeys } from '../../oidc/keys/signing-keys.ts';
import type { CredentialKeys } from '../../refresh/keys/credential-keys.ts';
import type { Store } from '../../storage/index.ts';
import { buildVersion } from '../../version.ts';
import type { RootSources } from './root-sources.ts';

/** Parts whose state the metrics show. */
export interface MetricParts {
  readonly config: Config;
  readonly store: Store;
  /** Whether the store is a database server, which several nodes use. */
  readonly isShared: boolean;
  readonly engine: Engine;
  readonly health: Health;
  readonly rootSources: RootSources;
  /** Undefined if sign-in is disabled. */
  readonly signingKeys: SigningKeys | undefined;
  readonly credentialKeys: CredentialKeys;
  readonly publicServer: HttpServer;
  readonly adminServer: HttpServer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Returns the sources of the metrics that are read when `/metrics` is called. */
export function metricSources(parts: MetricParts): MetricSources {
  const { config, store, isShared, engine, health, rootSources, publicServer, adminServer, now } = parts;
  return {
    build: { version: buildVersion(), node: process.versions.node, profile: config.profile },
    limits: {
      'engine.maxQueue': config.engine.maxQueue,
      'http.maxOpenExchanges': config.http.maxOpenExchanges,
      'http.maxUnfinished': config.http.maxUnfinished,
      'http.maxBodyBytes': config.http.maxBodyBytes,
    },
    readiness: () => readinessOf(health),
    engine: () => engine.stats(),
    storeRows: () => store.rowCounts(),
    storeSize: () => sizeOf(store),
    // A database server has backups of its own, which the store knows nothing of.
    ...(isShared ? {} : { lastBackupAt: async () => (await store.backups.last())?.finishedAt ?? 0 }),
    certificateExpiresAt: publicServer.certificateExpiresAt,
    rootAges: () => currentRootAges(store.roots, now()),
    worldId4Keys: () => store.worldId4Keys.countKeys(),
    rootSources: () => rootSources.states.list().map(({ id, ...state }) => ({ source: id, ...state })),
    providers: () => rootSources.providers(),
    keyAges: async () => [
      ...((await parts.signingKeys?.ages()) ?? []),
      ...(await parts.credentialKeys.ages()),
    ],
    ...(config.webhooks.url === undefined ? {} : { webhooks: () => unsentEvents(store, now()) }),
    listeners: () => ({ public: publicServer.load(), admin: adminServer.load() }),
  };
}

function readinessOf(health: Health): { isReady: boolean; checks: Record<string, boolean> } {
  const { status, checks } = health.report();
  const states = Object.entries(checks).filter(([, check]) => 'ageMs' in check);
  return {
    isReady: status === 'ok',
    checks: Object.fromEntries(states.map(([name, check]) => [name, check.status === 'ok'])),
  };
}

async function unsentEvents({ outbox }: Pick<Store, 'outbox'>, now: number): Promise<UnsentEventsSample> {
  const { pending, dead, oldestPendingAt } = await outbox.counts(now);
  const oldestSeconds = oldestPendingAt === null ? 0 : Math.max(0, (now - oldestPendingAt) / 1000);
  return { pending, dead, oldestSeconds };
}

async function sizeOf(store: Store): Promise<StoreSizeSample> {
  const { databaseBytes, logBytes, freeBytes } = await store.size();
  return {
    parts: { database: databaseBytes, ...(logBytes === undefined ? {} : { log: logBytes }) },
    freeBytes,
  };
}
