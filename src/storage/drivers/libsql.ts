import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
  type WriteOutcome,
} from './driver.ts';
import { LibsqlConnection } from './libsql-connection.ts';
import { toServiceError } from './libsql-error.ts';
import { libsqlFailure } from './libsql-failure.ts';
import { LibsqlInline } from './libsql-inline.ts';
import { LibsqlThread, type StartWorker } from './libsql-thread.ts';
import type { LibsqlWriter } from './libsql-writing.ts';
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
  /** Called with the reason when a database thread ends without being closed. */
  readonly onThreadDeath?: (reason: string) => void;
}

/**
 * Opens an embedded database: writes go through a thread that owns the only writing connection, or with
 * `writesInline` through a connection of the calling thread; short reads through a `query_only` connection of the calling
 * thread, long reads through a thread of their own.
 *
 * The file is created with mode 0600 in a folder of mode 0700. Nothing else in the process may open and close the
 * file: closing any descriptor of it drops all locks that the process has on it.
 *
 * @throws ServiceError `store.absent`, `store.unreachable`
 */
export async function openLibsqlDriver(options: LibsqlOptions): Promise<Driver> {
  const { path, readOnly, mustExist } = options;
  if (readOnly === true || mustExist === true) refuseAbsent(path);
  if (readOnly !== true) {
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

/** Identity of a file, which distinguishes it from another one at the same path; an open file keeps its inode. */
interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** Undefined if there is none, or if that cannot be told. */
function fileAt(path: string): FileIdentity | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one?.ino === other?.ino && one?.dev === other?.dev;
}

/** Suffixes of the files next to the database: the log with the latest commits, and its index. */
const SIDE_SUFFIXES = ['-wal', '-shm'] as const;

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
  readonly #writer: LibsqlWriter;
  readonly #scanner: LibsqlThread;
  #reader: LibsqlConnection | undefined;
  #isClosed = false;
  #durability = READ_ONLY;
  #opened: FileIdentity | undefined;
  /** Side files by path. They are constant while a connection has them open, so they are dropped with the reader. */
  #openedSides: ReadonlyMap<string, FileIdentity> | undefined;
  #probeCount = 0;
  #probing: Promise<StoreHealth> | undefined;
  #readFault: string | undefined;
  #writeFault: string | undefined;
  /** Set once the file is no longer the opened one, and never unset: writes in between may be lost. */
  #goneFault: string | undefined;

  constructor(options: LibsqlOptions) {
    this.#path = options.path;
    this.#isReadOnly = options.readOnly === true;
    this.#isInline = options.writesInline === true;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
    const data = { path: this.#path, busyTimeoutMs: this.#busyTimeoutMs };
    const onDeath = options.onThreadDeath ?? ((): void => undefined);
    const onWriterDeath = (reason: string): void => {
      this.#writeFault = reason;
      onDeath(reason);
    };
    this.#writer = this.#isInline
      ? new LibsqlInline(data.path, data.busyTimeoutMs)
      : new LibsqlThread({ ...data, role: 'write' }, onWriterDeath, options.startWorker);
    this.#scanner = new LibsqlThread({ ...data, role: 'read' }, onDeath, options.startWorker);
  }

  async open(): Promise<void> {
    if (!this.#isReadOnly) this.#durability = await this.#writer.open();
    await this.read(SCHEMA_READ);
    this.#opened = fileAt(this.#path);
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
        this.#reader ??= this.#openReader();
        const rows = this.#reader.all(bound);
        this.#openedSides ??= this.#sides();
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
      this.#noticeGone();
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
    const readFault = this.#isClosed ? 'the store is closed' : (this.#goneFault ?? this.#readFault);
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

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closeReader();
    await Promise.all([this.#writer.close(), this.#scanner.close()]);
  }

  async #probe(): Promise<StoreHealth> {
    if (this.#isClosed) return this.health();
    this.#noticeGone();
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

  /** Detects a removed file: open descriptors still accept writes, which are lost with the process. */
  #noticeGone(): void {
    if (this.#goneFault !== undefined) return;
    if (!isSameFile(this.#opened, fileAt(this.#path))) {
      this.#goneFault = `the database file ${this.#path} was removed or replaced: stop this process, put the file that it opened back or restore a backup, and start again`;
    }
    for (const [path, opened] of this.#openedSides ?? []) {
      if (this.#goneFault !== undefined || isSameFile(opened, fileAt(path))) continue;
      this.#goneFault = `the file ${path} of the database was removed or replaced: stop this process with SIGTERM, which writes what the file held into the database, run \`proofgate doctor\` or restore a backup, and start again`;
    }
  }

  #sides(): ReadonlyMap<string, FileIdentity> {
    const sides = new Map<string, FileIdentity>();
    for (const suffix of SIDE_SUFFIXES) {
      const path = `${this.#path}${suffix}`;
      const side = fileAt(path);
      if (side !== undefined) sides.set(path, side);
    }
    return sides;
  }

  #refuseUnusable(): void {
    if (this.#isClosed) throw new ServiceError('store.unreachable', 'the store is closed');
    this.#refuseGone();
  }

  #refuseGone(): void {
    if (this.#goneFault !== undefined) throw new ServiceError('store.unreachable', this.#goneFault);
  }

  #openReader(): LibsqlConnection {
    const connection = new LibsqlConnection(this.#path, 0);
    connection.execute('pragma query_only = 1');
    return connection;
  }

  #closeReader(): void {
    this.#reader?.close();
    this.#reader = undefined;
    this.#openedSides = undefined;
  }
}

function judgeDurability(text: string): Durability {
  const isFlushed = text === READ_ONLY || /synchronous=(full|extra)/.test(text);
  return { text, faults: isFlushed ? [] : [`${text}: a power failure may lose acknowledged writes`] };
}
