import { createAdminAnswerStore } from './admin-answers.ts';
import { createAdminTokenStore } from './admin-tokens.ts';
import { createAppStore } from './apps/apps.ts';
import { type AuditRow, type AuditWriter, type ChangeAuthor, createAuditStore } from './audit/audit-log.ts';
import { createAuditWriter } from './audit/audit-writer.ts';
import { createBackupStore } from './backups.ts';
import { type BridgeObserver, createBridgeStore } from './bridge/bridge.ts';
import { refuseClosed } from './copy/copy-marks.ts';
import { createDevelopmentStore } from './development.ts';
import type { Driver, StoreHealth, StoreSize } from './drivers/driver.ts';
import { createLeaseStore } from './leases.ts';
import { type MigrationStatus, migrate, migrationStatus } from './migrations/migrate.ts';
import { readMigrations } from './migrations/migration-files.ts';
import { type MigrationPlan, planMigrations } from './migrations/plan.ts';
import { createNodeStore } from './nodes.ts';
import {
  type ClosableNullifierStore,
  createNullifierStore,
  type GroupSettings,
  type NullifierObserver,
  type NullifierStore,
} from './nullifiers/nullifier-store.ts';
import { createOutboxStore } from './outbox.ts';
import { createEnrolmentStore } from './refresh/enrolments.ts';
import { createRefreshGuardStore } from './refresh/guards.ts';
import { createIssuanceStore } from './refresh/issuance.ts';
import { createIssuerKeyStore } from './refresh/issuer-keys.ts';
import { createOrbKeyStore } from './refresh/orb-keys.ts';
import { createRootSourceStore } from './root-sources.ts';
import { createRootStore } from './roots.ts';
import { createAnswerStore } from './signin/answers.ts';
import { createGrantStore } from './signin/grants.ts';
import { createLogoutNoticeStore } from './signin/logout-notices.ts';
import { createPeopleStore } from './signin/people.ts';
import { createPushedRequestStore } from './signin/pushed-requests.ts';
import { createRefreshTokenStore } from './signin/refresh-families.ts';
import { createRelyingPartyStore } from './signin/relying-party.ts';
import { createSessionStore } from './signin/sessions.ts';
import { createSigningKeyStore } from './signin/signing-keys.ts';
import { createTransactionStore } from './signin/transactions.ts';
import { NO_CHANGES, type StoreChanges } from './store-changes.ts';
import { sweep, sweepBridge } from './sweep.ts';
import { COUNTED_TABLES } from './tables.ts';
import { createUsageStore } from './usage.ts';
import { createUseStore } from './uses.ts';
import { createVerifyingKeyStore } from './verifying-keys.ts';
import { createWorldId4KeyStore } from './worldid4-keys.ts';

const SERVICE: ChangeAuthor = { actor: 'system' };

/** Receives the measurements of the store. */
export interface StoreObserver extends NullifierObserver, BridgeObserver {
  /** Reports a row that was added to the audit log. */
  audited(row: AuditRow): void;
}

/** Options of a store over a driver. */
export interface StoreOptions {
  readonly observer?: StoreObserver;
  /** Counts the audited changes of this store. */
  readonly changes?: StoreChanges;
  /** Author of the changes that the store records; the service itself if absent. */
  readonly author?: ChangeAuthor;
  /** Adds an event to the outbox for each change that webhooks report. */
  readonly sendsEvents?: boolean;
  /** Clock for migrations, their leases and the audit log, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Creates the stores of the entities whose changes one author makes. */
function createEntityStores(driver: Driver, audit: AuditWriter, observer: StoreObserver | undefined) {
  return {
    audit: createAuditStore(driver, audit),
    adminTokens: createAdminTokenStore(driver, audit),
    adminAnswers: createAdminAnswerStore(driver),
    apps: createAppStore(driver, audit),
    roots: createRootStore(driver, audit),
    verifyingKeys: createVerifyingKeyStore(driver, audit),
    bridge: createBridgeStore(driver, observer),
    development: createDevelopmentStore(driver),
    signingKeys: createSigningKeyStore(driver, audit),
    transactions: createTransactionStore(driver, audit),
    people: createPeopleStore(driver, audit),
    relyingParty: createRelyingPartyStore(driver, audit),
    answers: createAnswerStore(driver),
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
    integrityUses: createUseStore(driver, 'integrity_uses'),
    sessionProofUses: createUseStore(driver, 'session_proof_uses'),
    usage: createUsageStore(driver, audit),
    backups: createBackupStore(driver),
    outbox: createOutboxStore(driver, audit),
  };
}

/** All durable state. Nothing outside `src/storage` depends on the database engine. */
export interface Store extends Readonly<ReturnType<typeof createEntityStores>> {
  readonly nullifiers: NullifierStore;
  /** Returns this store with another author of the changes that it records. */
  by(author: ChangeAuthor): Store;
  /**
   * Returns the state of the schema.
   *
   * @throws ServiceError `store.moved`, `store.copy_unfinished` for a store that must not be used
   * (spec/operations.md#store-copies), `store.newer`
   */
  migrationStatus(): Promise<MigrationStatus>;
  /** Returns what `migrate` would do now; reads the number of rows of the tables concerned. @throws ServiceError as above */
  migrationPlan(): Promise<MigrationPlan>;
  /** Applies pending migrations; safe if several processes start at the same time. */
  migrate(): Promise<MigrationStatus>;
  /** Returns whether requests can be served, without I/O: one late `probe` of a server does not refuse them. */
  health(): StoreHealth;
  /** Makes a real read and a real write; returns their outcome for readiness. */
  probe(): Promise<StoreHealth>;
  /**
   * Removes expired rows; returns the number of removed rows by table.
   *
   * @param signal - Once aborted, no further batch starts.
   */
  sweep(now: number, batchRows: number, signal?: AbortSignal): Promise<Record<string, number>>;
  /** Counts the rows of each table, for metrics. */
  rowCounts(): Promise<Record<string, number>>;
  /** Returns the size of the store, for metrics. */
  size(): Promise<StoreSize>;
  /** For caches of what this store has. */
  readonly changes: Pick<StoreChanges, 'count'>;
  /** As `Driver.attach`. */
  readonly attach: Driver['attach'];
  /** Commits waiting nullifiers, then closes. */
  close(): Promise<void>;
}

/** Creates the store over a driver. */
export function storeOver(driver: Driver, settings: GroupSettings, options: StoreOptions = {}): Store {
  const nullifiers = createNullifierStore(driver, settings, options.observer);
  const migrations = readMigrations();
  return storeBy(options.author ?? SERVICE, { driver, nullifiers, migrations, ...options });
}

interface StoreParts extends Omit<StoreOptions, 'author'> {
  readonly driver: Driver;
  readonly nullifiers: ClosableNullifierStore;
  readonly migrations: ReturnType<typeof readMigrations>;
}

/** Creates the store of one author; the stores of all authors share driver and nullifiers. */
function storeBy(author: ChangeAuthor, parts: StoreParts): Store {
  const { driver, nullifiers, migrations, observer, changes, sendsEvents, now = Date.now } = parts;
  const onAppended = (row: AuditRow): void => {
    changes?.add();
    observer?.audited(row);
  };
  const audit = createAuditWriter(driver, { author, now, sendsEvents, onAppended });
  return {
    by: (other) => storeBy(other, parts),
    ...createEntityStores(driver, audit, observer),
    nullifiers,
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
    changes: changes ?? NO_CHANGES,
    attach: driver.attach?.bind(driver),
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
