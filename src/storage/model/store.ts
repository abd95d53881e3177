import type { DevelopmentTree } from '../../pages.ts';
import type {
  EnrolmentStore,
  IssuanceStore,
  IssuerKeyStore,
  OrbKeyStore,
  RefreshGuardStore,
} from './store-refresh.ts';
import type {
  ClientMetadata,
  ClientSecretRow,
  GrantStore,
  Logo,
  SecretCount,
  SecretRehash,
  SigningKeyStore,
  TransactionStore,
} from './store-signin.ts';
import type { BridgeMessage, Bytes32, Environment, Tree } from './values.ts';

/** One nullifier to record, with the first-seen row of its action (spec/verification.md#nullifier-record). */
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

/** The root registry (spec/verification.md#roots). */
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

/** An app of the registry: a relying party and, with redirect URIs, a client of sign-in. */
export interface AppRow {
  readonly appId: string;
  readonly rpId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly verification: VerificationState;
  /** Made by the development profile; production refuses such rows. */
  readonly isDevelopment: boolean;
  /** What sign-in knows of it. */
  readonly client: ClientMetadata;
  /** Whether `AppStore.logo` has a picture. */
  readonly hasLogo: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The app registry. */
export interface AppStore {
  findByAppId(appId: string): Promise<AppRow | undefined>;
  findByRpId(rpId: string): Promise<AppRow | undefined>;
  list(): Promise<AppRow[]>;
  /**
   * Adds an app with its first secret, if it has one, in one transaction.
   *
   * @throws ServiceError `app.exists`
   */
  create(app: AppRow, secret?: ClientSecretRow): Promise<void>;
  /** @throws ServiceError `app.unknown` */
  update(
    appId: string,
    change: Partial<Pick<AppRow, 'name' | 'status' | 'verification' | 'client'>>,
    updatedAt: number,
  ): Promise<AppRow>;
  /** Removes an app with its secrets and its logo. @throws ServiceError `app.unknown` */
  remove(appId: string): Promise<void>;
  /** Live secrets, the oldest first. */
  listSecrets(appId: string, now: number): Promise<ClientSecretRow[]>;
  /**
   * Adds a secret and gives the one without an end an end, in one transaction.
   *
   * @param endOfOthers - Milliseconds since the epoch; one that ends earlier keeps its end.
   * @returns False when the client has two live secrets already; nothing is written then.
   * @throws ServiceError `app.unknown`
   */
  addSecret(secret: ClientSecretRow, endOfOthers: number, now: number): Promise<boolean>;
  /** Removes a live secret; false when there is none with this id. */
  removeSecret(appId: string, secretId: string): Promise<boolean>;
  /**
   * Replaces the hash of a secret by one under another key and records that key.
   *
   * @returns False when the secret has ended, is gone or has another hash by now; nothing is written then.
   */
  rehashSecret(change: SecretRehash, now: number): Promise<boolean>;
  /** Live secrets by the key they are hashed under. */
  countSecrets(now: number): Promise<SecretCount[]>;
  /** Ids of clients with a live secret that is not known to be hashed under this key, by id. */
  clientsBesideKey(keyId: string, now: number, limit: number): Promise<string[]>;
  logo(appId: string): Promise<Logo | undefined>;
  /** Sets or, without one, removes the logo. @throws ServiceError `app.unknown` */
  setLogo(appId: string, logo: Logo | undefined, updatedAt: number): Promise<void>;
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

/** How far the request of an id has come; an answered id has no status. */
export type BridgeStatus = 'initialized' | 'retrieved';

/** What a waiting answer looks like to the one who asks for it. */
export type BridgeAnswer =
  | { readonly status: BridgeStatus }
  | { readonly status: 'completed'; readonly message: BridgeMessage };

/**
 * Bounds of what strangers can store, over all nodes: in live messages, taken requests included, and in bytes of id, iv
 * and payload. A request is charged with 4096 bytes more, the place of its answer.
 */
export interface BridgeLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly maxEntriesPerAddress: number;
  readonly maxBytesPerAddress: number;
}

/** Who stores a message, and within which bounds. */
export interface BridgeRoom {
  /** Whose share it takes: stands for a client address. */
  readonly addressKey: string;
  /** Stands for the network of the address; networks that hold much make room for those that hold little. */
  readonly networkKey: string;
  readonly limits: BridgeLimits;
}

/** Why there is no room: the share of the address is full, or all strangers together have filled the bridge. */
export type BridgeRefusal = 'share_full' | 'full';

/**
 * Messages of the wallet bridge (spec/sign-in.md#wallet-bridge). Times are milliseconds since the epoch; a
 * row whose time is over counts as absent. A write is one transaction, durable when it resolves; of
 * concurrent callers, in whichever process, exactly one takes a message. The messages of sign-ins, which
 * `TransactionStore` puts here, count against none of the bounds and cannot be replaced by these calls.
 */
export interface BridgeStore {
  /** Stores a request and gives its id the status `initialized`; `exists` while one waits under it; an old answer goes. */
  createRequest(
    id: string,
    message: BridgeMessage,
    room: BridgeRoom,
    now: number,
  ): Promise<'created' | 'exists' | BridgeRefusal>;
  /**
   * Stores a request or overwrites it, with the status `initialized`; a waiting answer stays. `exists` when the id is
   * that of a sign-in.
   */
  putRequest(
    id: string,
    message: BridgeMessage,
    room: BridgeRoom,
    now: number,
  ): Promise<'stored' | 'exists' | BridgeRefusal>;
  /** Takes the request once: its message is gone, the status is `retrieved`, and the id lives on from now. */
  takeRequest(id: string, now: number): Promise<BridgeMessage | undefined>;
  /** `initialized` while the request can be taken. */
  status(id: string, now: number): Promise<BridgeStatus | undefined>;
  /**
   * Stores the answer of an id that has a status and no answer; request and status are gone then. An answer of up to
   * 4096 bytes always has room. A larger one is charged to whom its request is charged to, and to its sender where the
   * request is that of a sign-in.
   */
  answer(
    id: string,
    message: BridgeMessage,
    room: BridgeRoom,
    now: number,
  ): Promise<'stored' | 'no_status' | 'exists' | BridgeRefusal>;
  /** Stores an answer that belongs to no request. */
  createAnswer(
    id: string,
    message: BridgeMessage,
    room: BridgeRoom,
    now: number,
  ): Promise<'created' | 'exists' | BridgeRefusal>;
  /** Takes a waiting answer once, or tells the status; undefined when the id has neither. */
  takeAnswer(id: string, now: number): Promise<BridgeAnswer | undefined>;
  /** When the oldest live message of an address ends; undefined when it has none. */
  shareEndsAt(addressKey: string, now: number): Promise<number | undefined>;
}

/** Position of a node: level 0 holds the leaves, the last level the root. */
export interface TreePosition {
  readonly level: number;
  readonly index: number;
}

/** A node of a development tree; an absent node is the empty node of its level. */
export interface TreeNode extends TreePosition {
  readonly hash: Bytes32;
}

/** A person of the development profile, secrets included: whoever reads the store can prove as this person. */
export interface PersonRow {
  readonly personId: string;
  readonly trapdoor: Bytes32;
  readonly nullifier: Bytes32;
  readonly commitment: Bytes32;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/**
 * Trees and persons of the development profile (spec/verification.md#development-trees). Empty in production.
 */
export interface DevelopmentStore {
  /** Number of leaves, which is the index of the next one. */
  leafCount(tree: DevelopmentTree): Promise<number>;
  findLeaf(tree: DevelopmentTree, commitment: Bytes32): Promise<number | undefined>;
  /** The nodes that exist at these positions. */
  nodes(tree: DevelopmentTree, positions: readonly TreePosition[]): Promise<TreeNode[]>;
  /**
   * Appends a leaf with the nodes of its path and makes the root current in the registry, all in one transaction.
   *
   * @param path - The nodes from the leaf to the root.
   * @returns False when another process took this index or this commitment meanwhile; nothing is written then.
   */
  append(tree: DevelopmentTree, path: readonly TreeNode[], root: RootRow): Promise<boolean>;
  /** Adds a person; one with this commitment stays as it is. */
  putPerson(person: PersonRow): Promise<void>;
  findPerson(personId: string): Promise<PersonRow | undefined>;
  /** Persons, the latest first. */
  listPersons(): Promise<PersonRow[]>;
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
  /** Messages of strangers that made room for another network. */
  bridgeEviction(messages: number): void;
}

/** Everything durable. One engine behind it; nothing outside this folder knows which. */
export interface Store {
  readonly apps: AppStore;
  readonly roots: RootStore;
  readonly verifyingKeys: VerifyingKeyStore;
  readonly nullifiers: NullifierStore;
  readonly bridge: BridgeStore;
  readonly development: DevelopmentStore;
  readonly signingKeys: SigningKeyStore;
  readonly transactions: TransactionStore;
  readonly grants: GrantStore;
  readonly enrolments: EnrolmentStore;
  readonly orbKeys: OrbKeyStore;
  readonly issuance: IssuanceStore;
  readonly refreshGuards: RefreshGuardStore;
  readonly issuerKeys: IssuerKeyStore;
  migrationStatus(): Promise<MigrationStatus>;
  /** Applies what is pending; safe when several processes start at once. */
  migrate(): Promise<MigrationStatus>;
  /** Last known state without I/O, updated by every statement and by `probe`. */
  health(): StoreHealth;
  /** Reads and writes for real and updates `health`. */
  probe(): Promise<StoreHealth>;
  /**
   * Removes expired rows; returns the number of rows per table.
   *
   * @param signal - Once aborted, no further batch is begun.
   */
  sweep(now: number, batchRows: number, signal?: AbortSignal): Promise<Record<string, number>>;
  /** Number of rows per table, for metrics. */
  rowCounts(): Promise<Record<string, number>>;
  /** Commits what waits, then closes. */
  close(): Promise<void>;
}

/** Settings of the store (spec/operations.md#storage-settings). */
export interface StoreSettings {
  /** `libsql:<path>`; the form decides the engine. */
  readonly url: string;
  readonly groupMaxRows: number;
  readonly groupMaxDelayMs: number;
}
