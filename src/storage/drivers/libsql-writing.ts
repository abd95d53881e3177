import type { Statement, WriteOutcome } from './driver.ts';
import type { LibsqlConnection } from './libsql-connection.ts';
import { libsqlFailure } from './libsql-failure.ts';

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];
const RETRY_PAUSE_MS = 10;
const CACHE_KIB = 16_384;
/** Pages of 4 KiB: the log grows to 32 MiB, and a checkpoint delays commits by some tens of milliseconds. */
const CHECKPOINT_PAGES = 8000;

/** Writer of a driver: a `LibsqlPort` or a `LibsqlInline`. */
export interface LibsqlWriter {
  /** Opens the connection if it is not open; returns its durability settings. */
  open(): Promise<string>;
  /** Runs one transaction. Transactions run in the order of the calls. */
  run(statements: readonly Statement[]): Promise<WriteOutcome>;
  /** Waits for the submitted transactions, then closes the connection. */
  close(): Promise<void>;
}

/**
 * Sets up the durability of a writing connection; returns its settings. Retries while the file is locked, which blocks the
 * calling thread: other processes may be opening the same new file.
 */
export function openForWriting(connection: LibsqlConnection, busyTimeoutMs: number): string {
  const start = performance.now();
  for (;;) {
    try {
      // Erased data (a key, a person) must not stay readable in the free space of the file.
      connection.execute('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on');
      // New nullifiers are at random places of their index: cached pages need not be read again, and the more
      // commits a checkpoint covers, the more of their changes share a page.
      connection.execute(
        `pragma cache_size = -${CACHE_KIB}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
      );
      break;
    } catch (error) {
      if (!libsqlFailure(error).isBusy || performance.now() - start > busyTimeoutMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_PAUSE_MS);
    }
  }
  const journalMode = pragma(connection, 'journal_mode');
  const synchronous = SYNCHRONOUS[Number(pragma(connection, 'synchronous'))];
  return `journal_mode=${journalMode} synchronous=${synchronous}`;
}

/** Moves the log into the file, so that a closed database is one file; other connections may prevent it. */
export function checkpointLog(connection: LibsqlConnection): void {
  try {
    connection.all({ sql: 'pragma wal_checkpoint(truncate)', params: [] });
  } catch (error) {
    // Committed data is equally safe in the log.
    if (libsqlFailure(error).code === 'store.failed') throw error;
  }
}

function pragma(connection: LibsqlConnection, name: string): unknown {
  return connection.all({ sql: `pragma ${name}`, params: [] })[0]?.[0];
}
