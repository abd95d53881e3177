// biome-ignore lint/style/noRestrictedImports: this file is the one that hides libsql
import Database from 'libsql';
import { LRUCache } from 'lru-cache';
import type { SqlRow, SqlValue, Statement, WriteOutcome } from './driver.ts';
import { libsqlFailure } from './libsql-failure.ts';
import { placeholderOrder } from './placeholder-order.ts';

const MAX_PREPARED_STATEMENTS = 128;

interface PreparedStatement {
  readonly statement: Database.Statement;
  /** Numbers of the values in the order in which libsql binds them; undefined if that is 1 to n. */
  readonly order: readonly number[] | undefined;
}

/** Lock mode of a transaction: `immediate` for writes, `deferred` for reads of one snapshot. */
export type TransactionMode = 'immediate' | 'deferred' | 'exclusive';

/** Outcome of one transaction of a group, or the error that one of its statements threw. */
export type GroupOutcome = WriteOutcome | { readonly error: unknown };

/** One libsql connection. Calls are synchronous and block the calling thread; errors are libsql's own. */
export class LibsqlConnection {
  readonly #database: InstanceType<typeof Database>;
  readonly #prepared = new LRUCache<string, PreparedStatement>({ max: MAX_PREPARED_STATEMENTS });
  /** Whether all of the last group succeeded: then the next one probably does, too. */
  #isCalm = true;

  constructor(path: string, busyTimeoutMs: number) {
    this.#database = new Database(path);
    this.#database.exec(`pragma busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
  }

  /** Runs a statement and returns its rows. Its values must have passed `bind`. */
  all(statement: Statement): SqlRow[] {
    // `all` and never `iterate`: an open iterator would pin the snapshot of this connection.
    const rows = this.#call(statement, (prepared, values) => prepared.all(values));
    return rows.map((row) => (row as unknown[]).map(columnValue));
  }

  /** Runs a statement without result rows; returns the number of changed rows. Values as for `all`. */
  change(statement: Statement): number {
    return this.#call(statement, (prepared, values) => prepared.run(values)).changes;
  }

  /** Runs statements without values or rows, separated by `;`. */
  execute(sql: string): void {
    this.#database.exec(sql);
  }

  /** Runs the statements in one transaction; an error or a failed guard rolls it back. */
  transaction(mode: TransactionMode, statements: readonly Statement[]): WriteOutcome {
    this.execute(`begin ${mode}`);
    try {
      const outcome = this.#run(statements);
      this.execute(outcome.ok ? 'commit' : 'rollback');
      return outcome;
    } catch (error) {
      // SQLite itself ends the transaction on some errors, such as a full disk.
      if (this.#database.inTransaction) this.execute('rollback');
      throw error;
    }
  }

  /**
   * Runs write transactions in order and commits them together. One whose statement or guard fails is rolled
   * back; the others are committed.
   *
   * A savepoint makes SQLite keep a copy of each page that is changed after it, which costs a fifth of the time of a new
   * nullifier. So the transactions run without savepoints first, and again from the start if one does not succeed.
   *
   * @returns Outcome of each. None may be reported before the return: a later one may have read the writes of
   *   an earlier one, which are not durable until the common commit.
   * @throws The error that failed all of them; everything is rolled back.
   */
  group(transactions: readonly (readonly Statement[])[]): GroupOutcome[] {
    this.execute('begin immediate');
    try {
      const outcomes =
        (this.#isCalm ? this.#allOrNone(transactions) : undefined) ??
        transactions.map((statements) => this.#nested(statements));
      this.execute('commit');
      this.#isCalm = outcomes.every((outcome) => 'ok' in outcome && outcome.ok);
      return outcomes;
    } catch (error) {
      if (this.#database.inTransaction) this.execute('rollback');
      throw error;
    }
  }

  /** Rolls back a transaction that was begun by `execute`, if there is one. */
  rollback(): void {
    if (this.#database.inTransaction) this.execute('rollback');
  }

  /** Closes the connection. Its file stays open until its prepared statements are garbage collected. */
  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #run(statements: readonly Statement[]): WriteOutcome {
    const results: SqlRow[][] = [];
    for (const [guard, statement] of statements.entries()) {
      const { isGuard, mustChange } = statement;
      if (mustChange !== undefined) {
        if (this.change(statement) < mustChange) return { ok: false, guard };
        results.push([]);
        continue;
      }
      const rows = this.all(statement);
      if (isGuard === true && rows.length === 0) return { ok: false, guard };
      results.push(rows);
    }
    return { ok: true, results };
  }

  #call<T>(
    { sql: text, params, mustChange }: Statement,
    run: (statement: Database.Statement, values: readonly SqlValue[]) => T,
  ): T {
    const sql = mustChange === undefined ? text : orIgnore(text);
    const { statement, order } = this.#prepare(sql);
    try {
      return run(statement, order === undefined ? params : order.map((number) => params[number - 1] ?? null));
    } catch (error) {
      this.#prepared.delete(sql);
      throw error;
    }
  }

  /** Returns the outcomes if all succeed; otherwise undefined, in a transaction without any of their changes. */
  #allOrNone(transactions: readonly (readonly Statement[])[]): GroupOutcome[] | undefined {
    const outcomes: GroupOutcome[] = [];
    for (const statements of transactions) {
      const outcome = this.#attempt(statements);
      if (!outcome?.ok) {
        this.execute('rollback; begin immediate');
        return undefined;
      }
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** Returns undefined if a statement fails, unless that concerns all transactions. */
  #attempt(statements: readonly Statement[]): WriteOutcome | undefined {
    try {
      return this.#run(statements);
    } catch (error) {
      if (this.#isCommonFailure(error)) throw error;
      return undefined;
    }
  }

  /** Whether the writes of the other transactions of a group are lost, too. */
  #isCommonFailure(error: unknown): boolean {
    return !this.#database.inTransaction || libsqlFailure(error).isConnectionLost;
  }

  #nested(statements: readonly Statement[]): GroupOutcome {
    this.execute('savepoint member');
    try {
      const outcome = this.#run(statements);
      this.execute(outcome.ok ? 'release member' : 'rollback to member; release member');
      return outcome;
    } catch (error) {
      if (this.#isCommonFailure(error)) throw error;
      this.execute('rollback to member; release member');
      return { error };
    }
  }

  #prepare(sql: string): PreparedStatement {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      prepared = this.#compile(sql);
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }

  #compile(sql: string): PreparedStatement {
    const statement = this.#database.prepare(sql);
    // Makes rows arrays; libsql refuses the call for a statement that returns no rows.
    if (statement.reader) statement.raw();
    const order = placeholderOrder(sql);
    return { statement, order: order?.every((number, index) => number === index + 1) ? undefined : order };
  }
}

const INSERT = 'insert into ';

/**
 * Has an insert whose changes are counted skip what it must not write. A statement of several rows of which one may fail
 * makes SQLite keep a copy of each page that it changes, to undo this statement alone: a fifth of the time of a new
 * nullifier. A skipped row shows in the count.
 */
function orIgnore(sql: string): string {
  return sql.startsWith(INSERT) ? `insert or ignore into ${sql.slice(INSERT.length)}` : sql;
}

function columnValue(value: unknown): SqlValue {
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return new Uint8Array(value);
  return value as SqlValue;
}
