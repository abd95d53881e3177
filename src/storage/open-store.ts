import { createAdminAnswerStore } from './admin-answers.ts';
import { createAdminTokenStore } from './admin-tokens.ts';
import { createAppStore } from './apps/apps.ts';
import type { AuditRow, ChangeAuthor } from './audit/audit-log.ts';
import { createAuditStore } from './audit/audit-log.ts';
import { createAuditWriter } from './audit/audit-writer.ts';
import { createBackupStore } from './backups.ts';
import { createBridgeStore } from './bridge/bridge.ts';
import { refuseClosed } from './copy/copy-marks.ts';
import { createDevelopmentStore } from './development.ts';
import type { Driver } from './drivers/driver.ts';
import { openLibsqlDriver } from './drivers/libsql.ts';
import type { StartWorker } from './drivers/libsql-thread.ts';
import type { PostgresAddress } from './drivers/postgres/postgres-address.ts';
import { parseStoreUrl } from './files/store-url.ts';
import { createIntegrityUseStore } from './integrity-uses.ts';
import { createLeaseStore } from './leases.ts';
import { migrate, migrationStatus } from './migrations/migrate.ts';
import { readMigrations } from './migrations/migration-files.ts';
import { planMigrations } from './migrations/plan.ts';
import type { ServerSettings, Store, StoreObserver, StoreSettings } from './model/store.ts';
import { createNodeStore } from './nodes.ts';
import { type ClosableNullifierStore, createNullifierStore } from './nullifiers/nullifier-store.ts';
import { createOutboxStore } from './outbox.ts';
import { createEnrolmentStore } from './refresh/enrolments.ts';
import { createRefreshGuardStore } from './refresh/guards.ts';
import { createIssuanceStore } from './refresh/issuance.ts';
import { createIssuerKeyStore } from './refresh/issuer-keys.ts';
import { createOrbKeyStore } from './refresh/orb-keys.ts';
import { createRootSourceStore } from './root-sources.ts';
import { createRootStore } from './roots.ts';
import { createGrantStore } from './signin/grants.ts';
import { createLogoutNoticeStore } from './signin/logout-notices.ts';
import { createPushedRequestStore } from './signin/pushed-requests.ts';
import { createRefreshTokenStore } from './signin/refresh-families.ts';
import { createSessionStore } from './signin/sessions.ts';
import { createSigningKeyStore } from './signin/signing-keys.ts';
import { createTransactionStore } from './signin/transactions.ts';
import { COUNTED_TABLES } from './statements/tables.ts';
import { sweep, sweepBridge } from './sweep.ts';
import { createUsageStore } from './usage.ts';
import { createVerifyingKeyStore } from './verifying-keys.ts';
import { createWorldId4KeyStore } from './worldid4-keys.ts';

/** The part of a pino logger that the store needs. */
export interface StoreLog {
  warn(fields: object, message: string): void;
}

const SERVER_DEFAULTS: ServerSettings = {
  password: undefined,
  poolSize: 10,
  prepare: true,
  timeoutMs: 4000,
};

const SERVICE: ChangeAuthor = { actor: 'system' };

/** Options of a store in addition to its settings. */
export interface OpenStoreOptions {
  readonly observer?: StoreObserver;
  readonly log?: StoreLog;
  /** Author of the changes that the store records; the service itself if absent. */
  readonly author?: ChangeAuthor;
  /** Adds an event to the outbox for each change that webhooks report. */
  readonly sendsEvents?: boolean;
  /** Opens an existing store for reading: creates nothing and refuses `migrate` and every write. */
  readonly readOnly?: boolean;
  /** Refuses an address without a store instead of creating one. */
  readonly mustExist?: boolean;
  /** Clock for migrations, their leases and the audit log, in milliseconds since the epoch. */
  readonly now?: () => number;
  /** How long to wait for a database that another process has locked; default 5000. */
  readonly busyTimeoutMs?: number;
  /**
   * Writes and counts rows in the calling thread, which waits for each commit, instead of threads of the database: for a
   * process that runs one command, which the start of a thread would delay.
   */
  readonly writesInline?: boolean;
  /** Starts the threads of the database; tests pass their own to end one. */
  readonly startWorker?: StartWorker;
}

/**
 * Opens the store at `settings.url`; the scheme selects the engine. Does not touch the tables: call
 * `migrate`, or check `migrationStatus`.
 *
 * @throws ServiceError `config.invalid` for an address of unknown form, `store.absent`, `store.unreachable`
 */
export async function openStore(settings: StoreSettings, options: OpenStoreOptions = {}): Promise<Store> {
  return storeOver(await openDriver(settings, options), settings, options);
}

/** Opens the engine at `settings.url`. @throws ServiceError like `openStore` */
export async function openDriver(settings: StoreSettings, options: OpenStoreOptions): Promise<Driver> {
  const address = parseStoreUrl(settings.url);
  if (address.engine === 'postgres') return openPostgres(address, settings, options);
  const { log } = options;
  return openLibsqlDriver({
    path: address.path,
    ...(options.readOnly === undefined ? {} : { readOnly: options.readOnly }),
    ...(options.mustExist === undefined ? {} : { mustExist: options.mustExist }),
    ...(options.busyTimeoutMs === undefined ? {} : { busyTimeoutMs: options.busyTimeoutMs }),
    ...(options.writesInline === undefined ? {} : { writesInline: options.writesInline }),
    ...(options.startWorker === undefined ? {} : { startWorker: options.startWorker }),
    onThreadDeath: (reason) => log?.warn({ reason }, 'a database thread ended; the next call starts another'),
  });
}

async function openPostgres(
  address: PostgresAddress,
  settings: StoreSettings,
  { readOnly }: OpenStoreOptions,
): Promise<Driver> {
  const server = { ...SERVER_DEFAULTS, ...settings };
  // Loaded only where it is used: half of a command's start would be spent on it.
  const { openPostgresDriver } = await import('./drivers/postgres/postgres-driver.ts');
  return openPostgresDriver({
    address: { ...address, password: address.password ?? server.password },
    poolSize: server.poolSize,
    prepares: server.prepare,
    timeoutMs: server.timeoutMs,
    ...(readOnly === undefined ? {} : { readOnly }),
  });
}

/** Creates the store over a driver. */
export function storeOver(
  driver: Driver,
  settings: Pick<StoreSettings, 'groupMaxRows' | 'groupMaxDelayMs'>,
  options: Pick<OpenStoreOptions, 'observer' | 'now' | 'author' | 'sendsEvents'> = {},
): Store {
  const nullifiers = createNullifierStore(driver, settings, options.observer);
  const migrations = readMigrations();
  return storeBy(options.author ?? SERVICE, { driver, nullifiers, migrations, ...options });
}

interface StoreParts extends Pick<OpenStoreOptions, 'observer' | 'now' | 'sendsEvents'> {
  readonly driver: Driver;
  readonly nullifiers: ClosableNullifierStore;
  readonly migrations: ReturnType<typeof readMigrations>;
}

/** Creates the store of one author; the stores of all authors share driver and nullifiers. */
function storeBy(author: ChangeAuthor, parts: StoreParts): Store {
  const { driver, nullifiers, migrations, observer, sendsEvents, now = Date.now } = parts;
  const onAppended = (row: AuditRow): void => observer?.audited(row);
  const audit = createAuditWriter(driver, { author, now, sendsEvents, onAppended });
  return {
    by: (other) => storeBy(other, parts),
    audit: createAuditStore(driver, audit),
    adminTokens: createAdminTokenStore(driver, audit),
    adminAnswers: createAdminAnswerStore(driver),
    apps: createAppStore(driver, audit),
    roots: createRootStore(driver, audit),
    verifyingKeys: createVerifyingKeyStore(driver, audit),
    nullifiers,
    bridge: createBridgeStore(driver, observer),
    development: createDevelopmentStore(driver),
    signingKeys: createSigningKeyStore(driver, audit),
    transactions: createTransactionStore(driver),
    pushedRequests: createPushedRequestStore(driver),
    grants: createGrantStore(driver, audit),
    sessions: createSessionStore(driver, audit),
    logoutNotices: createLogoutNoticeStore(driver),
    refreshTokens: createRefreshTokenStore(driver, audit),
    enrolments: createEnrolmentStore(driver, audit),
    orbKeys: createOrbKeyStore(driver, audit),
    issuance: createIssuanceStore(driver),
    refreshGuards: createRefreshGuardStore(driver, audit),
    issuerKeys: createIssuerKeyStore(driver, audit),
    nodes: createNodeStore(driver),
    worldId4Keys: createWorldId4KeyStore(driver, audit),
    rootSources: createRootSourceStore(driver, audit),
    leases: createLeaseStore(driver),
    integrityUses: createIntegrityUseStore(driver),
    usage: createUsageStore(driver, audit),
    backups: createBackupStore(driver),
    outbox: createOutboxStore(driver, audit),
    migrationStatus: async () => {
      await refuseClosed(driver);
      return migrationStatus(driver, migrations);
    },
    migrationPlan: async () => {
      await refuseClosed(driver);
      return planMigrations(driver, migrations, await migrationStatus(driver, migrations));
    },
    migrate: () => migrate(driver, migrations, now),
    health: () => driver.health(),
    probe: () => driver.probe(),
    sweep: async (now, batchRows, signal) => ({
      bridge_messages: await sweepBridge(driver, now, batchRows, signal),
      ...(await sweep(driver, now, batchRows, signal)),
    }),
    rowCounts: () => rowCounts(driver),
    size: () => driver.size(),
    close: async () => {
      await nullifiers.close();
      await driver.close();
    },
  };
}

async function rowCounts(driver: Driver): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of COUNTED_TABLES) counts[table] = await driver.countRows(table);
  return counts;
}
