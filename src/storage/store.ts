/** 32 bytes. Values are compared by their bytes. */
export type Bytes32 = Uint8Array;

/** The two environments of a verification request. */
export type Environment = 'production' | 'staging';

/** Merkle trees: one per identifier, but `face` and `selfie` share `face`. */
export type Tree = 'orb' | 'device' | 'document' | 'secure_document' | 'face';

/** One nullifier to record, with the first-seen row of its action (verify.md section 8). */
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

/** Outcome of a recording: whether it was new, and the `created_at` of the row that counts. */
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

/** A root of a tree. Times are milliseconds since the epoch; `supersededAt` null means current. */
export interface RootRow {
  readonly environment: Environment;
  readonly tree: Tree;
  readonly root: Bytes32;
  readonly receivedAt: number;
  readonly supersededAt: number | null;
  readonly source: string;
  /** Verifying key of this root, or null for the key of the tree. */
  readonly keyId: string | null;
}

/** The root registry (verify.md section 7). */
export interface RootStore {
  find(environment: Environment, tree: Tree, root: Bytes32): Promise<RootRow | undefined>;
  /** Every row, ordered by environment, tree, received_at. */
  list(filter?: { environment?: Environment; tree?: Tree }): Promise<RootRow[]>;
  /** The current root of each tree that has one. */
  listCurrent(): Promise<RootRow[]>;
  /**
   * Adds or updates roots in one transaction, in order. A row without `supersededAt` becomes the current one of its
   * (environment, tree) and supersedes the former at its own `receivedAt`.
   */
  put(rows: readonly RootRow[]): Promise<void>;
  /** Removes superseded roots received before `time`; gives their number. */
  prune(time: number): Promise<number>;
}

/** State of an app as a relying party for verification. */
export type VerificationState = 'none' | 'pending' | 'registered' | 'failed' | 'deactivated';

/** An app of the registry: a relying party, later also an OIDC client. */
export interface AppRow {
  readonly appId: string;
  readonly rpId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly verification: VerificationState;
  /** Made by the development profile; production refuses such rows. */
  readonly isDevelopment: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The app registry. */
export interface AppStore {
  findByAppId(appId: string): Promise<AppRow | undefined>;
  findByRpId(rpId: string): Promise<AppRow | undefined>;
  list(): Promise<AppRow[]>;
  /** @throws ServiceError `app.exists` */
  create(app: AppRow): Promise<void>;
  /** @throws ServiceError `app.unknown` */
  update(
    appId: string,
    change: Partial<Pick<AppRow, 'name' | 'status' | 'verification'>>,
    updatedAt: number,
  ): Promise<AppRow>;
  /** @throws ServiceError `app.unknown` */
  remove(appId: string): Promise<void>;
}

/** Where a verifying key comes from. */
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
  /** @throws ServiceError `key.conflict` when the id has another fingerprint; the same key again is a no-op. */
  put(row: VerifyingKeyRow): Promise<void>;
}

/** State of the schema. */
export interface MigrationStatus {
  readonly applied: readonly {
    readonly version: number;
    readonly name: string;
    readonly appliedAt: number;
  }[];
  readonly pending: readonly {
    readonly version: number;
    readonly name: string;
  }[];
}

/** What the store reports of itself for readiness, metrics and `doctor`. */
export interface StoreHealth {
  readonly isReachable: boolean;
  readonly isWritable: boolean;
  /** Why not, in one sentence; absent when all is well. */
  readonly reason?: string;
  /** Engine settings that durability rests on, e.g. `journal_mode=wal synchronous=full`. */
  readonly durability: string;
}

/** Receives what the store measures; both arguments in the unit of the metric's name. */
export interface StoreObserver {
  /** One group commit: rows in it and its duration in seconds. */
  nullifierCommit(rows: number, seconds: number): void;
  retry(operation: string): void;
}

/** Everything durable. One engine behind it; nothing outside this folder knows which. */
export interface Store {
  readonly apps: AppStore;
  readonly roots: RootStore;
  readonly verifyingKeys: VerifyingKeyStore;
  readonly nullifiers: NullifierStore;
  migrationStatus(): Promise<MigrationStatus>;
  /** Applies what is pending; safe when several processes start at once. */
  migrate(): Promise<MigrationStatus>;
  /** Last known state without I/O, updated by every statement and by `probe`. */
  health(): StoreHealth;
  /** Reads and writes for real and updates `health`. */
  probe(): Promise<StoreHealth>;
  /** Removes expired rows; gives the number of rows per table. */
  sweep(now: number, batchRows: number): Promise<Record<string, number>>;
  /** Number of rows per table, for metrics. */
  rowCounts(): Promise<Record<string, number>>;
  /** Commits what waits, then closes. */
  close(): Promise<void>;
}

/** Settings of the store (operations.md 2). */
export interface StoreSettings {
  /** `libsql:<path>`; the form decides the engine. */
  readonly url: string;
  readonly groupMaxRows: number;
  readonly groupMaxDelayMs: number;
}
