import { ServiceError } from '../../errors/service-error.ts';
import { bind } from './bind.ts';
import type { Statement, WriteOutcome } from './driver.ts';
import { LibsqlConnection } from './libsql-connection.ts';
import { toServiceError } from './libsql-error.ts';
import { libsqlFailure } from './libsql-failure.ts';
import { checkpointLog, type LibsqlWriter, openForWriting } from './libsql-writing.ts';

/**
 * A writing connection of the calling thread, which waits for each transaction and for a locked file. It suits a
 * process that runs one command: starting a thread takes longer than most of them write. After the connection was lost,
 * the next transaction opens another one.
 */
export class LibsqlInline implements LibsqlWriter {
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  #connection: LibsqlConnection | undefined;
  #durability = '';
  #isClosed = false;

  constructor(path: string, busyTimeoutMs: number) {
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async open(): Promise<string> {
    return this.#call(() => this.#durability);
  }

  async run(statements: readonly Statement[]): Promise<WriteOutcome> {
    const bound = statements.map((statement) => ({ ...statement, params: bind(statement) }));
    return this.#call((connection) => connection.transaction('immediate', bound));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined) return;
    try {
      checkpointLog(connection);
    } finally {
      connection.close();
    }
  }

  #call<T>(work: (connection: LibsqlConnection) => T): T {
    if (this.#isClosed) throw new ServiceError('store.unreachable', 'the store is closed');
    try {
      this.#connection ??= this.#connect();
      return work(this.#connection);
    } catch (error) {
      const failure = libsqlFailure(error);
      if (failure.isConnectionLost) {
        this.#connection?.close();
        this.#connection = undefined;
      }
      throw toServiceError(failure);
    }
  }

  #connect(): LibsqlConnection {
    const connection = new LibsqlConnection(this.#path, this.#busyTimeoutMs);
    try {
      this.#durability = openForWriting(connection, this.#busyTimeoutMs);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }
}
