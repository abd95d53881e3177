import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { columns, integer, selected } from '../columns.ts';
import { ensureFolder, ensurePrivateFile } from '../files/data-folder.ts';
import { bind } from './bind.ts';
import {
  type Driver,
  type DriverTraits,
  type Durability,
  type PointQuery,
  pointOf,
  type Read,
  rowsOf,
  type SqlRow,
  type Statement,
  type StoreHealth,
  type StoreSize,
  type TableShape,
  type ThreadRole,
  type WriteOutcome,
} from './driver.ts';
import { type GateCells, runGated } from './exit-gate.ts';
import { LibsqlConnection } from './libsql-connection.ts';
import { toServiceError } from './libsql-error.ts';
import { libsqlFailure } from './libsql-failure.ts';
import { LibsqlInline } from './libsql-inline.ts';
import { LibsqlPort } from './libsql-port.ts';
import type { StartWorker } from './libsql-thread.ts';
import { type DatabaseThreads, OwnThreads, type SharedThreads } from './libsql-threads.ts';
import type { LibsqlWriter } from './libsql-writing.ts';
import { OpenedFiles } from './opened-files.ts';
import { LIBSQL_COLUMNS, toTableShapes } from './table-shapes.ts';

const DEFAULT_BUSY_TIMEOUT_MS = 5000;
const READ_RETRY_PAUSE_MS = 5;
const READ_ONLY = 'read-only';
const COUNT = columns({ rows: selected('count(*)', integer) });
/** A read that needs the file, and no table. */
const SCHEMA_READ = pointOf('select count(*) from sqlite_schema');

/** SQLite has no `if not exists` for a column, which makes the statement of a migration idempotent. */
const ADD_COLUMN = /^alter table (?<table>\w+) add column if not exists (?<column>\w+) (?<type>\w+)$/;

/** Options of a libsql driver. */
export interface LibsqlOptions {
  /** Absolute path of the database file. */
  readonly path: string;
  /** Opens no writer, creates nothing and refuses every write. */
  readonly readOnly?: boolean;
  /** Refuses a path without a database instead of creating one. */
  readonly mustExist?: boolean;
  readonly busyTimeoutMs?: number;
  /**
   * Writes and counts rows in the calling thread, which waits for each commit, instead of threads of the database: for a
   * process that runs one command, which the start of a thread would delay.
   */
  readonly writesInline?: boolean;
  /** Starts the threads of the database; tests pass their own to end one. */
  readonly startWorker?: StartWorker;
  /**
   * Threads of a store that another thread of this process has open, instead of own ones. Nothing is created, and
   * `close` leaves the threads running.
   */
  readonly threads?: SharedThreads;
  /** Called with the reason when a database thread ends without being closed. */
  readonly onThreadDeath?: (reason: string) => void;
}

/**
 * Opens an embedded database: writes go through a thread that owns the only writing connection, or with
 * `writesInline` through a connection of the calling thread; short reads through a `query_only` connection of the calling
 * thread, long reads through a thread of their own. Several threads of a process can share the threads of one driver.
 *
 * The file is created with mode 0600 in a folder of mode 0700. Nothing else in the process may open and close the
 * file: closing any descriptor of it drops all locks that the process has on it.
 *
 * @throws ServiceError `store.absent`, `store.unreachable`
 */
export async function openLibsqlDriver(options: LibsqlOptions): Promise<Driver> {
  const { path, readOnly, mustExist, threads } = options;
  const isExisting = readOnly === true || threads !== undefined;
  if (isExisting || mustExist === true) refuseAbsent(path);
  if (!isExisting) {
    ensureFolder(dirname(path));
    ensurePrivateFile(path);
  }
  const driver = new LibsqlDriver(options);
  await driver.open();
  return driver;
}

/** @throws ServiceError `store.absent` for a path without a file, or with an empty one; `store.unreachable` */
export function refuseAbsent(path: string): void {
  if (isAbsent(path)) throw new ServiceError('store.absent', `there is no store at ${path}`);
}

function isAbsent(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size === 0;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw new ServiceError('store.unreachable', `cannot stat ${path}: ${String(cause)}`, {}, { cause });
  }
}

class LibsqlDriver implements Driver {
  readonly traits: DriverTraits = {
    groupsInFlight: 1,
    maxGroupStatementRows: 64,
    anyGroupStatementRows: 1,
    isRollbackFree: true,
    migrationCost: { rebuildSeconds: 18, indexSeconds: 2.4, blocksReads: false },
  };
  readonly #path: string;
  readonly #isReadOnly: boolean;
  readonly #isInline: boolean;
  readonly #busyTimeoutMs: number;
  readonly #threads: DatabaseThreads;
  readonly #gate: GateCells | undefined;
  readonly #writer: LibsqlWriter;
  readonly #scanner: LibsqlPort;
  readonly #files: OpenedFiles;
  #reader: LibsqlConnection | undefined;
  #isClosed = false;
  #durability = READ_ONLY;
  #probeCount = 0;
  #probing: Promise<StoreHealth> | undefined;
  #readFault: string | undefined;
  #writeFault: string | undefined;

  constructor(options: LibsqlOptions) {
    this.#path = options.path;
    this.#isReadOnly = options.readOnly === true;
    this.#isInline = options.writesInline === true;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
    this.#gate = options.threads?.gate;
    this.#files = new OpenedFiles(this.#path);
    const onWriterLost = (reason: string): void => {
      this.#writeFault = reason;
    };
    this.#threads = options.threads ?? new OwnThreads(options, this.#busyTimeoutMs);
    const portTo = (role: ThreadRole, onLost?: (reason: string) => void): LibsqlPort =>
      new LibsqlPort((port, onEnd) => this.#threads.attach(role, port, onEnd), onLost);
    this.#writer = this.#isInline
      ? new LibsqlInline(this.#path, this.#busyTimeoutMs)
      : portTo('write', onWriterLost);
    this.#scanner = portTo('read');
  }

  async open(): Promise<void> {
    if (!this.#isReadOnly) this.#durability = await this.#writer.open();
    await this.read(SCHEMA_READ);
    this.#files.opened();
  }

  async read<Row>(query: PointQuery<Row>): Promise<Row[]> {
    return rowsOf(query, await this.#rows(query));
  }

  async #rows(statement: Statement): Promise<SqlRow[]> {
    const bound = { sql: statement.sql, params: bind(statement) };
    const start = performance.now();
    for (;;) {
      this.#refuseUnusable();
      try {
        const rows = this.#gated(() => {
          this.#reader ??= this.#openReader();
          return this.#reader.all(bound);
        });
        this.#files.sidesOpened();
        this.#readFault = undefined;
        return rows;
      } catch (error) {
        const failure = libsqlFailure(error);
        // Waits for a lock here and not in libsql, which would block the event loop.
        if (!failure.isBusy || performance.now() - start > this.#busyTimeoutMs) {
          if (failure.code === 'store.unreachable') this.#readFault = failure.message;
          if (failure.isConnectionLost) this.#closeReader();
          throw toServiceError(failure);
        }
      }
      await delay(READ_RETRY_PAUSE_MS);
    }
  }

  async scan<Row = SqlRow>(query: Read<Row>): Promise<Row[]> {
    // A command has no other work during the read, and no thread is started.
    if (this.#isInline) return rowsOf(query, await this.#rows(query));
    this.#refuseUnusable();
    const outcome = await this.#scanner.run([query]);
    return outcome.ok ? rowsOf(query, outcome.results[0] ?? []) : [];
  }

  async write(statements: readonly Statement[]): Promise<WriteOutcome> {
    if (this.#isReadOnly) throw new ServiceError('store.failed', 'the store was opened for reading only');
    this.#refuseUnusable();
    try {
      const outcome = await this.#writer.run(statements);
      // A commit to a removed file is lost with the process, so it must not be reported as durable.
      this.#files.check();
      this.#refuseGone();
      this.#writeFault = undefined;
      return outcome;
    } catch (error) {
      if (isServiceError(error, 'store.unreachable')) this.#writeFault = error.message;
      throw error;
    }
  }

  async define(sql: string): Promise<void> {
    const { table, column, type } = ADD_COLUMN.exec(sql)?.groups ?? {};
    if (table === undefined) return void (await this.write([{ sql, params: [] }]));
    const shape = (await this.tables()).find(({ name }) => name === table);
    if (column === undefined || shape?.columns.includes(column)) return;
    await this.write([{ sql: `alter table ${table} add column ${column} ${type}`, params: [] }]);
  }

  async tables(): Promise<TableShape[]> {
    return toTableShapes(await this.read(LIBSQL_COLUMNS));
  }

  async countRows(table: string): Promise<number> {
    const sql = `select ${COUNT.list()} from ${table}`;
    const [row] = await this.scan({ sql, params: [], toRow: COUNT.toRow });
    return row?.rows ?? 0;
  }

  /** Reads names and sizes only: no descriptor of the files may be opened and closed here. */
  async size(): Promise<StoreSize> {
    const { bsize, bavail } = await statfs(dirname(this.#path));
    return {
      databaseBytes: statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0,
      logBytes: statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      freeBytes: bsize * bavail,
    };
  }

  async time(): Promise<number> {
    return Date.now();
  }

  health(): StoreHealth {
    const writeFault = this.#isReadOnly ? 'the store was opened for reading only' : this.#writeFault;
    const readFault = this.#isClosed ? 'the store is closed' : (this.#files.fault ?? this.#readFault);
    const reason = readFault ?? writeFault;
    return {
      isReachable: readFault === undefined,
      isWritable: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      durability: judgeDurability(this.#durability),
    };
  }

  probe(): Promise<StoreHealth> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  attach(role: ThreadRole, port: MessagePort): void {
    // The other thread takes the file that it finds for the opened one, and would take commits to a removed one for durable.
    this.#files.check();
    if (this.#files.fault === undefined) this.#threads.attach(role, port);
    else port.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closeReader();
    await Promise.all([this.#writer.close(), this.#scanner.close()]);
    await this.#threads.close?.();
  }

  async #probe(): Promise<StoreHealth> {
    if (this.#isClosed) return this.health();
    this.#files.check();
    try {
      await this.read(SCHEMA_READ);
      // `user_version` is an otherwise unused field of the file's first page: setting it is a real, durable
      // write.
      this.#probeCount = (this.#probeCount % 2) + 1;
      if (!this.#isReadOnly) {
        await this.write([{ sql: `pragma user_version = ${this.#probeCount}`, params: [] }]);
      }
    } catch (error) {
      // `read` and `write` have recorded it; any other error is a bug.
      if (!isServiceError(error)) throw error;
    }
    return this.health();
  }

  #refuseUnusable(): void {
    if (this.#isClosed) throw new ServiceError('store.unreachable', 'the store is closed');
    this.#refuseGone();
  }

  #refuseGone(): void {
    const { fault } = this.#files;
    if (fault !== undefined) throw new ServiceError('store.unreachable', fault);
  }

  /** Runs work of the reader, during which its thread must not be terminated. */
  #gated<T>(work: () => T): T {
    if (this.#gate === undefined) return work();
    const result = runGated(this.#gate, () => ({ value: work() }));
    if (result === undefined) throw new ServiceError('store.unreachable', 'the process is exiting');
    return result.value;
  }

  #openReader(): LibsqlConnection {
    const connection = new LibsqlConnection(this.#path, 0);
    connection.execute('pragma query_only = 1');
    return connection;
  }

  #closeReader(): void {
    this.#gated(() => this.#reader?.close());
    this.#reader = undefined;
    this.#files.sidesClosed();
  }
}

function judgeDurability(text: string): Durability {
  const isFlushed = text === READ_ONLY || /synchronous=(full|extra)/.test(text);
  return { text, faults: isFlushed ? [] : [`${text}: a power failure may lose acknowledged writes`] };
}
