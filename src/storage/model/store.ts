import type { PolicyFields, VerificationPolicy } from '../../config/apps/policy.ts';
import type { BackupStore } from '../backups.ts';
import type { StoreHealth, StoreSize } from '../drivers/driver.ts';
import type { NodeStore } from '../nodes.ts';
import type { AdminAnswerStore, AdminTokenStore } from './store-admin.ts';
import type { AuditRow, AuditStore, ChangeAuthor } from './store-audit.ts';
import type { BridgeStore } from './store-bridge.ts';
import type { DevelopmentStore } from './store-development.ts';
import type { LogoutNoticeStore } from './store-logout.ts';
import type { MigrationPlan, MigrationStatus } from './store-migrations.ts';
import type { OutboxStore } from './store-outbox.ts';
import type { PushedRequestStore } from './store-pushed.ts';
import type {
  EnrolmentStore,
  IssuanceStore,
  IssuerKeyStore,
  OrbKeyStore,
  RefreshGuardStore,
} from './store-refresh.ts';
import type { RefreshTokenStore } from './store-refresh-tokens.ts';
import type { LeaseStore, RootSourceStore, RootStore } from './store-roots.ts';
import type {
  ClientMetadata,
  ClientSecretRow,
  GrantStore,
  Logo,
  SecretCount,
  SecretRehash,
  SessionStore,
  SigningKeyStore,
  TransactionStore,
} from './store-signin.ts';
import type { UsageStore } from './store-usage.ts';
import type { IntegrityUseStore, WorldId4KeyStore } from './store-worldid4.ts';
import type { Bytes32, Environment } from './values.ts';

/** One nullifier to record, with the data of its action (spec/verification.md#nullifier-record). */
export interface NullifierEntry {
  readonly environment: Environment;
  readonly nullifier: Bytes32;
  readonly appId: string;
  readonly action: string;
  readonly actionDescription: string;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Outcome of a recording: whether the nullifier was new, and the `created_at` of its row. */
export interface NullifierRecord {
  readonly isNew: boolean;
  readonly createdAt: number;
}

/** Durable record of used nullifiers; one row for (environment, nullifier), never changed. */
export interface NullifierStore {
  /**
   * Records a nullifier. Resolves after the commit that holds it; of concurrent callers exactly one gets `isNew`.
   *
   * @throws ServiceError `store.unreachable`, `store.failed`
   */
  record(entry: NullifierEntry): Promise<NullifierRecord>;
}

/** State of an app as a relying party for verification. */
export type VerificationState = 'none' | 'pending' | 'registered' | 'failed' | 'deactivated';

/** An app of the registry: a relying party and, with redirect URIs, a client of sign-in. */
export interface AppRow {
  readonly appId: string;
  readonly rpId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly verification: VerificationState;
  /** Made by the development profile; production refuses such rows. */
  readonly isDevelopment: boolean;
  readonly client: ClientMetadata;
  readonly policy: VerificationPolicy;
  /** Whether `AppStore.logo` returns a picture. */
  readonly hasLogo: boolean;
  readonly createdAt: number;
  /** Time of the last change to the app or its logo; also its version. */
  readonly updatedAt: number;
}

/** Place of an app in the list. */
export type AppPlace = Pick<AppRow, 'createdAt' | 'appId'>;

/** Members of an app to change; an absent member stays as it is, and a logo of null is removed. */
export type AppRowChange = Partial<
  Pick<AppRow, 'rpId' | 'name' | 'status' | 'verification' | 'client'> & {
    readonly logo: Logo | null;
    /** Replaces the policy as a whole; null restores the default. */
    readonly policy: PolicyFields | null;
  }
>;

/** The app registry. Every change but that of a hash is recorded in the audit log. */
export interface AppStore {
  findByAppId(appId: string): Promise<AppRow | undefined>;
  findByRpId(rpId: string): Promise<AppRow | undefined>;
  list(): Promise<AppRow[]>;
  /**
   * Lists one page of apps, the latest first.
   *
   * @param search - Only apps whose id, rp_id or name contains this text in either case.
   * @param after - Only apps after this one, in the order of the list.
   */
  page(limit: number, search?: string, after?: AppPlace): Promise<AppRow[]>;
  /**
   * Adds an app with its first secret and its logo, if it has them, in one transaction.
   *
   * @throws ServiceError `app.exists`
   */
  create(app: AppRow, secret?: ClientSecretRow, logo?: Logo): Promise<void>;
  /**
   * Changes an app.
   *
   * @param version - The `updatedAt` that the app must have; any if absent.
   * @throws ServiceError `app.unknown`, `app.changed`, `app.rp_id_taken`
   */
  update(appId: string, change: AppRowChange, updatedAt: number, version?: number): Promise<AppRow>;
  /**
   * Removes an app with its secrets and its logo.
   *
   * @param version - As for `update`.
   * @throws ServiceError `app.unknown`, `app.changed`
   */
  remove(appId: string, version?: number): Promise<void>;
  /** Lists live secrets, the oldest first. */
  listSecrets(appId: string, now: number): Promise<ClientSecretRow[]>;
  /**
   * Adds a secret and sets an end to the client's other one, in one transaction.
   *
   * @param endOfOthers - Milliseconds since the epoch; a secret that ends earlier keeps its end.
   * @returns False if the client already has two live secrets; nothing is then written.
   * @throws ServiceError `app.unknown`
   */
  addSecret(secret: ClientSecretRow, endOfOthers: number, now: number): Promise<boolean>;
  /** Removes a live secret; false if there is none with this id. */
  removeSecret(appId: string, secretId: string): Promise<boolean>;
  /**
   * Replaces the hash of a secret by one under another key and records that key.
   *
   * @returns False if the secret has ended, is gone or has another hash by now; nothing is then written.
   */
  rehashSecret(change: SecretRehash, now: number): Promise<boolean>;
  /** Counts live secrets by the key they are hashed under. The calling thread waits, as in `clientsWithOtherKey`. */
  countSecrets(now: number): Promise<SecretCount[]>;
  /** Lists the ids, in order, of clients with a live secret that is not known to be hashed under this key. */
  clientsWithOtherKey(keyId: string, now: number, limit: number): Promise<string[]>;
  logo(appId: string): Promise<Logo | undefined>;
}

/** Origin of a verifying key. */
export type KeyOrigin = 'ceremony' | 'development' | 'trapdoor' | 'imported';

/** A verifying key that an operator imported. */
export interface VerifyingKeyRow {
  readonly keyId: string;
  readonly origin: KeyOrigin;
  readonly depth: number | null;
  readonly source: string;
  /** Bytes as `Engine.registerKey` takes them. */
  readonly key: Uint8Array;
  /** SHA-256 of `key`. */
  readonly fingerprint: Bytes32;
  readonly createdAt: number;
}

/** Imported verifying keys; built-in keys are not stored. */
export interface VerifyingKeyStore {
  find(keyId: string): Promise<VerifyingKeyRow | undefined>;
  list(): Promise<VerifyingKeyRow[]>;
  /**
   * Adds a key; idempotent.
   *
   * @throws ServiceError `key.conflict` if the id is stored with another fingerprint
   */
  put(row: VerifyingKeyRow): Promise<void>;
}

/** Receives the measurements of the store. */
export interface StoreObserver {
  /** Reports a group commit: its rows and its duration. */
  nullifierCommit(rows: number, seconds: number): void;
  retry(operation: string): void;
  /** Reports the number of strangers' messages that were removed to make room for another network. */
  bridgeEviction(messages: number): void;
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
export interface StoreSettings extends Partial<ServerSettings> {
  /** `libsql:<path>` or `postgres://…`; the scheme selects the engine. */
  readonly url: string;
  readonly groupMaxRows: number;
  readonly groupMaxDelayMs: number;
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
