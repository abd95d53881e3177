import type { AdminAnswerStore } from '../admin-answers.ts';
import type { AdminTokenStore } from '../admin-tokens.ts';
import type { AppStore } from '../apps/apps.ts';
import type { AuditRow, AuditStore, ChangeAuthor } from '../audit/audit-log.ts';
import type { BackupStore } from '../backups.ts';
import type { BridgeObserver, BridgeStore } from '../bridge/bridge.ts';
import type { DevelopmentStore } from '../development.ts';
import type { StoreHealth, StoreSize } from '../drivers/driver.ts';
import type { IntegrityUseStore } from '../integrity-uses.ts';
import type { LeaseStore } from '../leases.ts';
import type { NodeStore } from '../nodes.ts';
import type { GroupSettings, NullifierObserver, NullifierStore } from '../nullifiers/nullifier-store.ts';
import type { OutboxStore } from '../outbox.ts';
import type { EnrolmentStore } from '../refresh/enrolments.ts';
import type { RefreshGuardStore } from '../refresh/guards.ts';
import type { IssuanceStore } from '../refresh/issuance.ts';
import type { IssuerKeyStore } from '../refresh/issuer-keys.ts';
import type { OrbKeyStore } from '../refresh/orb-keys.ts';
import type { RootSourceStore } from '../root-sources.ts';
import type { RootStore } from '../roots.ts';
import type { GrantStore } from '../signin/grants.ts';
import type { LogoutNoticeStore } from '../signin/logout-notices.ts';
import type { PushedRequestStore } from '../signin/pushed-requests.ts';
import type { RefreshTokenStore } from '../signin/refresh-families.ts';
import type { SessionStore } from '../signin/sessions.ts';
import type { SigningKeyStore } from '../signin/signing-keys.ts';
import type { TransactionStore } from '../signin/transactions.ts';
import type { UsageStore } from '../usage.ts';
import type { VerifyingKeyStore } from '../verifying-keys.ts';
import type { WorldId4KeyStore } from '../worldid4-keys.ts';
import type { MigrationPlan, MigrationStatus } from './store-migrations.ts';

/** Receives the measurements of the store. */
export interface StoreObserver extends NullifierObserver, BridgeObserver {
  /** Reports a row that was added to the audit log. */
  audited(row: AuditRow): void;
}

/** All durable state. Nothing outside `src/storage` depends on the database engine. */
export interface Store {
  readonly apps: AppStore;
  readonly roots: RootStore;
  readonly verifyingKeys: VerifyingKeyStore;
  readonly nullifiers: NullifierStore;
  readonly bridge: BridgeStore;
  readonly development: DevelopmentStore;
  readonly signingKeys: SigningKeyStore;
  readonly transactions: TransactionStore;
  readonly pushedRequests: PushedRequestStore;
  readonly grants: GrantStore;
  readonly sessions: SessionStore;
  readonly refreshTokens: RefreshTokenStore;
  readonly logoutNotices: LogoutNoticeStore;
  readonly enrolments: EnrolmentStore;
  readonly orbKeys: OrbKeyStore;
  readonly issuance: IssuanceStore;
  readonly refreshGuards: RefreshGuardStore;
  readonly issuerKeys: IssuerKeyStore;
  readonly nodes: NodeStore;
  readonly worldId4Keys: WorldId4KeyStore;
  readonly rootSources: RootSourceStore;
  readonly leases: LeaseStore;
  readonly integrityUses: IntegrityUseStore;
  readonly audit: AuditStore;
  readonly adminTokens: AdminTokenStore;
  readonly adminAnswers: AdminAnswerStore;
  readonly usage: UsageStore;
  readonly outbox: OutboxStore;
  /** Returns this store with another author of the changes that it records. */
  by(author: ChangeAuthor): Store;
  readonly backups: BackupStore;
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
  /** Commits waiting nullifiers, then closes. */
  close(): Promise<void>;
}

/** Settings of the store (spec/operations.md#storage-settings). */
export interface StoreSettings extends GroupSettings, Partial<ServerSettings> {
  /** `libsql:<path>` or `postgres://…`; the scheme selects the engine. */
  readonly url: string;
}

/** Settings of a store on PostgreSQL. */
export interface ServerSettings {
  /** Password of the user, if the address has none. */
  readonly password: string | undefined;
  /** Most connections of this process. */
  readonly poolSize: number;
  /** Whether statements are prepared by name. */
  readonly prepare: boolean;
  /** Time limit for a call of the store. */
  readonly timeoutMs: number;
}
