import { setTimeout as delay } from 'node:timers/promises';
import type { LoginFiles } from '../../../config/settings/types.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { messageOf } from '../../../text.ts';
import { columns, integer, selected } from '../../columns.ts';
import { addMark } from '../../transaction.ts';
import { bind } from '../bind.ts';
import {
  type Driver,
  type DriverTraits,
  type Durability,
  type PointQuery,
  type Read,
  rowsOf,
  type SqlRow,
  type Statement,
  type StoreHealth,
  type StoreSize,
  type TableShape,
  type WriteOutcome,
} from '../driver.ts';
import { POSTGRES_COLUMNS, toTableShapes } from '../table-shapes.ts';
import { judgeDurability } from './durability.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresCredentials } from './postgres-login.ts';
import { PostgresPool } from './postgres-pool.ts';
import type { PostgresSession, SessionSettings } from './postgres-session.ts';
import { NotCommitted, runAlone, runTransaction } from './postgres-transaction.ts';
import { refuseOtherCreators } from './schema-creators.ts';

/** Options of a PostgreSQL driver. */
export interface PostgresOptions {
  readonly address: PostgresAddress;
  /** Files from which the login is read for each session. */
  readonly loginFiles?: LoginFiles;
  readonly poolSize: number;
  /** Whether statements are prepared by name. */
  readonly prepares: boolean;
  /** Time limit for a call, including the wait for a session. */
  readonly timeoutMs: number;
  /** Refuses every write. */
  readonly readOnly?: boolean;
}

/** Properties of the driver, for the stores. */
const TRAITS: DriverTraits = {
  groupsInFlight: 2,
  maxGroupStatementRows: 512,
  // A group of one statement needs no `begin` and `commit`, which halves what a small group costs the main thread.
  anyGroupStatementRows: 32,
  isRollbackFree: false,
  migrationCost: { rebuildSeconds: 20, indexSeconds: 2, blocksReads: true },
};

const UNKNOWN_DURABILITY: Durability = { text: 'unknown', faults: [] };
/** Tries of a transaction that others are in the way of, within its time limit. */
const MAX_ATTEMPTS = 10;
/** Lost connections of one call: the next session may have been cut with the first, and not have noticed yet. */
const MAX_LOST_CONNECTIONS = 3;
const FIRST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 200;
/** With the second between two probes, readiness is false within 2 s of a failure that gives no answer. */
const PROBE_LIMIT_MS = 700;
/** A single probe may be late on a busy machine: requests are refused after so many, readiness is false after one. */
const FAILED_PROBES_OF_OUTAGE = 2;
const CONNECT_LIMIT_MS = 2000;
/** Statements of migrations and counts may read whole tables. */
const LONG_LIMIT_MS = 24 * 3_600_000;
const SCAN_LIMIT_MS = 30_000;
const READ_ONLY_TRANSACTION = '25006';

/**
 * Counts a table, or estimates it when it is large: counting every row for each scrape of the metrics would cost the
 * server more as the table grows. `reltuples` is what the last vacuum or analyze found, -1 if there was none.
 */
const ROW_COUNT =
  "select case when (select reltuples from pg_class where oid = to_regclass('{table}')) > 100000 then (select cast(reltuples as bigint) from pg_class where oid = to_regclass('{table}')) else (select count(*) from {table}) end";
const COUNT = columns({ rows: integer });
const SIZE = columns({ bytes: selected('pg_database_size(current_database())', integer) });
const TIME = columns({
  now: selected('cast(extract(epoch from clock_timestamp()) * 1000 as bigint)', integer),
});

/**
 * Opens a PostgreSQL database over sessions of the calling thread.
 *
 * @throws ServiceError `store.unreachable`, `store.shared_schema`, `config.invalid` for a TLS file that cannot be read
 */
export async function openPostgresDriver(options: PostgresOptions): Promise<Driver> {
  const driver = new PostgresDriver(options);
  try {
    await driver.open();
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}

class PostgresDriver implements Driver {
  readonly traits = TRAITS;
  readonly #pool: PostgresPool;
  readonly #timeoutMs: number;
  readonly #isReadOnly: boolean;
  #settings: SessionSettings | undefined;
  #probing: Promise<StoreHealth> | undefined;
  /** Failed probes since the last one that succeeded. */
  #failedProbes = 0;
  #probeFault: string | undefined;
  /** Time of the last commit. */
  #committedAt = 0;
  #isClosed = false;

  constructor({ address, loginFiles, poolSize, prepares, timeoutMs, readOnly }: PostgresOptions) {
    this.#timeoutMs = timeoutMs;
    this.#isReadOnly = readOnly === true;
    this.#pool = new PostgresPool({
      address,
      credentials: readCredentials(address, loginFiles),
      prepares: prepares && !address.isPooled,
      maxSessions: Math.min(poolSize, address.maxConnections ?? poolSize),
      loginGraceMs: timeoutMs,
      connectTimeoutMs: Math.min(CONNECT_LIMIT_MS, timeoutMs),
    });
  }

  async open(): Promise<void> {
    await this.#pool.open(this.#timeoutMs);
    await this.#retried(this.#timeoutMs, refuseOtherCreators);
  }

  async read<Row>(query: PointQuery<Row>): Promise<Row[]> {
    return rowsOf(query, await this.#select(query, this.#timeoutMs));
  }

  async scan<Row = SqlRow>(query: Read<Row>): Promise<Row[]> {
    return rowsOf(query, await this.#select(query, query.isList === true ? this.#timeoutMs : SCAN_LIMIT_MS));
  }

  async write(statements: readonly Statement[]): Promise<WriteOutcome> {
    this.#refuseReadOnly();
    const bound = statements.map((statement) => ({ ...statement, params: bind(statement) }));
    const outcome = await this.#retried(this.#timeoutMs, (session, limitMs) =>
      runTransaction(session, bound, limitMs),
    );
    if (outcome.ok) this.#committedAt = performance.now();
    return outcome;
  }

  async define(sql: string): Promise<void> {
    this.#refuseReadOnly();
    await this.#retried(LONG_LIMIT_MS, (session, limitMs) => runAlone(session, { text: sql }, limitMs));
  }

  async tables(): Promise<TableShape[]> {
    return toTableShapes(await this.read(POSTGRES_COLUMNS));
  }

  async countRows(table: string): Promise<number> {
    const sql = ROW_COUNT.replaceAll('{table}', table);
    const [row] = await this.scan({ sql, params: [], toRow: COUNT.toRow });
    return row?.rows ?? 0;
  }

  async size(): Promise<StoreSize> {
    const [row] = await this.read({
      kind: 'point',
      sql: `select ${SIZE.list()}`,
      params: [],
      toRow: SIZE.toRow,
    });
    return { databaseBytes: row?.bytes ?? 0 };
  }

  async time(): Promise<number> {
    const query = { sql: `select ${TIME.list()}`, params: [], toRow: TIME.toRow };
    const [row] = await this.read({ kind: 'point', ...query });
    if (row === undefined) throw new ServiceError('store.failed', 'the server has returned no time');
    return row.now;
  }

  health(): StoreHealth {
    return this.#stateAfter(FAILED_PROBES_OF_OUTAGE);
  }

  /** Returns the state; failed probes count from a number on. */
  #stateAfter(failedProbes: number): StoreHealth {
    const probeFault = this.#failedProbes >= failedProbes ? this.#probeFault : undefined;
    const reason = this.#isClosed ? 'the store is closed' : (this.#pool.fault ?? probeFault);
    return {
      isReachable: reason === undefined,
      isWritable: reason === undefined && !this.#isReadOnly,
      ...(reason === undefined ? {} : { reason }),
      durability: this.#settings === undefined ? UNKNOWN_DURABILITY : judgeDurability(this.#settings),
    };
  }

  probe(): Promise<StoreHealth> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.close();
  }

  async #probe(): Promise<StoreHealth> {
    if (this.#isClosed) return this.health();
    const limitMs = Math.min(PROBE_LIMIT_MS, this.#timeoutMs);
    const begunAt = performance.now();
    try {
      await this.#use(limitMs, async (session, remainingMs) => {
        if (this.#isReadOnly) await runAlone(session, { text: 'select 1' }, remainingMs);
        else await runTransaction(session, [addMark('probe')], remainingMs);
      });
      this.#failedProbes = 0;
    } catch (error) {
      // Without the table, before the migrations, the session has shown that the server accepts writes.
      const isTableMissing =
        error instanceof NotCommitted && error.failure.code === 'store.migrations_pending';
      // A commit since then shows the same: the probe was late, or its connection broke.
      const acceptsWrites = isTableMissing || this.#committedAt > begunAt;
      if (acceptsWrites) this.#failedProbes = 0;
      // A login that is refused for a moment is a password that is being changed, for which requests wait.
      else if (!this.#pool.isAwaitingLogin) this.#failedProbes += 1;
      this.#probeFault = messageOf(error);
    }
    return this.#stateAfter(1);
  }

  /** Runs a select; again on another session if the first one breaks. */
  async #select(statement: Statement, limitMs: number): Promise<SqlRow[]> {
    const query = { text: statement.sql, values: bind(statement) };
    return this.#retried(limitMs, (session, remainingMs) => runAlone(session, query, remainingMs));
  }

  /**
   * Runs work that rejects with `NotCommitted` if it had no effect: again after a conflict or a broken connection, with
   * jitter.
   */
  async #retried<T>(
    limitMs: number,
    work: (session: PostgresSession, limitMs: number) => Promise<T>,
  ): Promise<T> {
    const end = performance.now() + limitMs;
    let lost = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#use(end - performance.now(), work);
      } catch (error) {
        if (!(error instanceof NotCommitted)) throw error;
        const { isRetried, isConnectionLost, code, message } = error.failure;
        if (isConnectionLost) lost += 1;
        const isRepeated = isRetried || (isConnectionLost && lost <= MAX_LOST_CONNECTIONS);
        const longestMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
        // The first lost connection is replaced at once.
        const pauseMs = isRetried || lost > 1 ? longestMs * Math.random() : 0;
        if (!isRepeated || attempt >= MAX_ATTEMPTS || performance.now() + pauseMs >= end) {
          throw new ServiceError(code, `PostgreSQL: ${message}`);
        }
        await delay(pauseMs);
      }
    }
  }

  /** Lends a session to work and returns it to the pool, or discards it if the work broke it. */
  async #use<T>(
    limitMs: number,
    work: (session: PostgresSession, limitMs: number) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw new ServiceError('store.unreachable', 'the store is closed');
    const end = performance.now() + limitMs;
    const session = await this.#pool.acquire(Math.max(0, limitMs));
    this.#settings = session.settings;
    try {
      return await work(session, Math.max(1, end - performance.now()));
    } catch (error) {
      this.#discardBroken(session, error);
      throw error;
    } finally {
      this.#pool.release(session);
    }
  }

  #discardBroken(session: PostgresSession, error: unknown): void {
    const isBroken = !(error instanceof NotCommitted) || error.failure.isConnectionLost;
    if (!isBroken) return;
    this.#pool.discard(session);
    // After a failover the other sessions are connected to the same server, which is now a standby.
    if (error instanceof NotCommitted && error.failure.sqlState === READ_ONLY_TRANSACTION) {
      this.#pool.discardIdle();
    }
  }

  #refuseReadOnly(): void {
    if (this.#isReadOnly) throw new ServiceError('store.failed', 'the store was opened for reading only');
  }
}

function readCredentials(address: PostgresAddress, files: LoginFiles | undefined): PostgresCredentials {
  try {
    return new PostgresCredentials(address, files);
  } catch (cause) {
    throw new ServiceError(
      'config.invalid',
      `storage.url: ${messageOf(cause)}`,
      { path: 'storage.url' },
      { cause },
    );
  }
}
