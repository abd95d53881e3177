import type { MessagePort } from 'node:worker_threads';

/** Purpose of a database thread: `write` owns the writing connection, `read` has a `query_only` one. */
export type ThreadRole = 'write' | 'read';

/** A value of a column or a placeholder. Rows never hold a bigint: numbers stay below 2^53. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** One row, its values in the order of the select or returning list. */
export type SqlRow = readonly SqlValue[];

/** One statement in the dialect of this folder: placeholders `$1…$n`, types text, bytea, bigint. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Makes the statement a guard: if it returns no row, the transaction ends and is rolled back. */
  readonly isGuard?: boolean;
  /** Makes a statement that returns no rows a guard: at least this many rows must change. */
  readonly mustChange?: number;
}

/** A statement that returns rows of one type; `sql.ts` makes all of them. */
export interface RowsQuery<Row> extends Statement {
  readonly toRow: (values: SqlRow) => Row;
}

/** A read that the event loop may wait for: a lookup by key, or one page of bounded size. */
export interface PointQuery<Row> extends RowsQuery<Row> {
  readonly kind: 'point';
}

/** A read whose length depends on what is stored, such as a count over a table. */
export interface ScanQuery<Row> extends RowsQuery<Row> {
  readonly kind: 'scan';
  /** Whether the limit of other calls holds for it, too. */
  readonly isList?: boolean;
}

/** A read of any length; the rows of a statement without columns are lists of values. */
export interface Read<Row> extends Statement {
  readonly toRow?: (values: SqlRow) => Row;
  readonly isList?: boolean;
}

/** Outcome of a transaction: the rows of each statement, or the index of the guard that failed. */
export type WriteOutcome =
  | { readonly ok: true; readonly results: SqlRow[][] }
  | { readonly ok: false; readonly guard: number };

/** Properties of an engine that decide how its stores use it. */
export interface DriverTraits {
  /** Groups of nullifiers that are committed at the same time. */
  readonly groupsInFlight: number;
  /** Most rows of one statement of a group: a power of two. */
  readonly maxGroupStatementRows: number;
  /** Up to this number, rows of any count form one statement; more are divided into powers of two. */
  readonly anyGroupStatementRows: number;
  /** Whether a transaction that is rolled back leaves nothing behind that must be cleaned up later. */
  readonly isRollbackFree: boolean;
  readonly migrationCost: MigrationCost;
}

/** Measured cost of migrations (src/docs/storage.md#duration-of-migrations). */
export interface MigrationCost {
  /** To copy a million rows to a table of another shape, without its further indexes. */
  readonly rebuildSeconds: number;
  /** To build an index over a million rows. */
  readonly indexSeconds: number;
  /** Whether reads, too, wait for a statement that drops or renames. */
  readonly blocksReads: boolean;
}

/** Columns of a table, in order, and those of its primary key. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/**
 * One database engine. Statements and values are the same for every driver; a driver connects, runs
 * transactions off the event loop, and maps the engine's errors.
 *
 * Every method rejects with ServiceError `store.unreachable` (the engine cannot be used now), `store.failed` (it
 * refused the statement), `store.migrations_pending` (a table is missing) or `store.invalid_value`.
 */
export interface Driver {
  readonly traits: DriverTraits;
  /** Runs a short read, on the event loop if need be. Sees everything that was committed before the call. */
  read<Row>(query: PointQuery<Row>): Promise<Row[]>;
  /** Runs a read that may take long off the event loop. */
  scan<Row = SqlRow>(query: Read<Row>): Promise<Row[]>;
  /**
   * Runs the statements in order in one durable transaction, all or none. Resolves after the commit.
   *
   * @throws OutcomeUnknownError if the transaction may have been committed
   */
  write(statements: readonly Statement[]): Promise<WriteOutcome>;
  /** Runs one idempotent statement of a migration, durably, without a time limit. */
  define(sql: string): Promise<void>;
  /** Lists the tables, by name. */
  tables(): Promise<TableShape[]>;
  /** Counts the rows of a table; a large one may be estimated. */
  countRows(table: string): Promise<number>;
  /** Returns the size of the database, without reading it. */
  size(): Promise<StoreSize>;
  /** Returns the time of the machine that has the store, in milliseconds since the epoch. */
  time(): Promise<number>;
  /** Returns whether requests can be served, without I/O. */
  health(): StoreHealth;
  /** Makes a real read and a real write, and returns the state that follows from them. */
  probe(): Promise<StoreHealth>;
  /**
   * Has a database thread of this driver serve a port of another thread, whose store was opened with `threads`; absent
   * if the engine has no such threads.
   */
  attach?(role: ThreadRole, port: MessagePort): void;
  /** Waits for running statements, then closes. */
  close(): Promise<void>;
}

/** Returns the rows of a read as its columns describe them. */
export function rowsOf<Row>({ toRow }: Pick<Read<Row>, 'toRow'>, rows: readonly SqlRow[]): Row[] {
  // Without columns `Row` is `SqlRow`.
  return toRow === undefined ? (rows as Row[]) : rows.map(toRow);
}

/** Makes a read that the event loop may wait for of a statement without columns: its rows are lists of values. */
export function pointOf(sql: string, params: readonly SqlValue[] = []): PointQuery<SqlRow> {
  return { kind: 'point', sql, params, toRow: (values) => values };
}

/** Size of the store. */
export interface StoreSize {
  readonly databaseBytes: number;
  /** Size of the write-ahead log next to the database; undefined for an engine that keeps it elsewhere. */
  readonly logBytes?: number;
  /** Space on the disk of the store that this process may use; undefined if that is on another machine. */
  readonly freeBytes?: number;
}

/** Health of the store, for readiness, metrics and `doctor`. */
export interface StoreHealth {
  readonly isReachable: boolean;
  readonly isWritable: boolean;
  /** Reason why the store is not reachable or not writable, one sentence; absent if it is both. */
  readonly reason?: string;
  readonly durability: Durability;
}

/** Failures that acknowledged writes survive. */
export interface Durability {
  /** Engine settings that durability depends on, for example `journal_mode=wal synchronous=full`. */
  readonly text: string;
  /** Settings under which a crash of the engine may lose acknowledged writes; empty if there are none. */
  readonly faults: readonly string[];
  /** Possible losses at a failover to a standby, one sentence; absent for an engine without standbys. */
  readonly failover?: { readonly isSafe: boolean; readonly text: string };
}
