import type { StoreHealth, StoreSize } from '../model/store.ts';

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
  /** Up to so many rows make one statement whatever their number; more are divided into powers of two. */
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
  /** Runs a short read: a lookup by key, or one page. Sees everything that was committed before the call. */
  read(statement: Statement): Promise<SqlRow[]>;
  /** Runs a read that may take long, such as a count over a table, off the event loop. */
  scan(statement: Statement): Promise<SqlRow[]>;
  /**
   * Runs the statements in order in one durable transaction, all or none. Resolves after the commit.
   *
   * @throws OutcomeUnknownError if the transaction may have been committed
   */
  write(statements: readonly Statement[]): Promise<WriteOutcome>;
  /** Runs one idempotent statement of a migration, durably, however long it takes. */
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
  /** Waits for running statements, then closes. */
  close(): Promise<void>;
}
