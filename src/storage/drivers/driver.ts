import type { StoreHealth } from '../model/store.ts';

/** What a column can hold and a placeholder can take. Rows never hold a bigint: numbers stay below 2^53. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** One row, values in the order of the select or returning list. */
export type SqlRow = readonly SqlValue[];

/** One statement in the dialect of this folder: placeholders `$1…$n`, types text, bytea, bigint. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Guard of a transaction: unless a row comes back, nothing of the transaction stays and what follows does not run. */
  readonly isGuard?: boolean;
  /** Guard of a transaction for a statement without rows: at least so many rows have to change. */
  readonly mustChange?: number;
}

/** Outcome of a transaction: the rows of each statement, or the index of the guard that did not hold. */
export type WriteOutcome =
  | { readonly ok: true; readonly results: SqlRow[][] }
  | { readonly ok: false; readonly guard: number };

/**
 * One database engine. Statements and values are the same for every driver; a driver knows how to connect, how to
 * run a transaction off the event loop and which of its errors mean what.
 *
 * Every method rejects with ServiceError `store.unreachable` (the engine cannot be used now), `store.failed` (it
 * refused the statement), `store.migrations_pending` (a table is missing) or `store.invalid_value`.
 */
export interface Driver {
  /** A short read: a lookup by key, or one page. Sees everything that was committed before the call. */
  read(statement: Statement): Promise<SqlRow[]>;
  /** A read that may take long, such as a count over a table; never on the event loop. */
  scan(statement: Statement): Promise<SqlRow[]>;
  /** Runs the statements in order in one durable transaction, all or none. Resolves after the commit. */
  write(statements: readonly Statement[]): Promise<WriteOutcome>;
  /** Last known state, without I/O. */
  health(): StoreHealth;
  /** Reads and writes for real. */
  probe(): Promise<StoreHealth>;
  /** Waits for what runs, then closes. */
  close(): Promise<void>;
}
