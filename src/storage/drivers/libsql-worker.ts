import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Statement } from './driver.ts';
import { LibsqlConnection } from './libsql-connection.ts';
import { libsqlFailure } from './libsql-failure.ts';
import type { LibsqlFromWorker, LibsqlRequest, LibsqlToWorker, LibsqlWorkerData } from './libsql-messages.ts';

// Entry of a worker thread: opens one connection, runs transactions in the order of their arrival, and ends when
// it is told to or when its connection is lost. The thread that started it begins anew with another.

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];
const RETRY_PAUSE_MS = 10;

/** Sets up durability. Other processes may be opening the same new file, which shows as a lock. */
function openForWriting(connection: LibsqlConnection, busyTimeoutMs: number): string {
  const start = performance.now();
  for (;;) {
    try {
      // What a statement erases (a key, a person) must not stay readable in the free space of the file.
      connection.execute('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on');
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

/** Moves the write-ahead log into the file, so that a closed database is one file; others may hinder it. */
function foldLog(connection: LibsqlConnection): void {
  try {
    connection.all({ sql: 'pragma wal_checkpoint(truncate)', params: [] });
  } catch (error) {
    // What was committed is as safe in the log.
    if (libsqlFailure(error).code === 'store.failed') throw error;
  }
}

function pragma(connection: LibsqlConnection, name: string): unknown {
  return connection.all({ sql: `pragma ${name}`, params: [] })[0]?.[0];
}

function toStatements(request: LibsqlRequest): Statement[] {
  return request.calls.map(([text, params, isGuard]) => ({
    sql: request.texts[text] ?? '',
    params,
    isGuard,
  }));
}

function serve(port: MessagePort, data: LibsqlWorkerData): void {
  const post = (message: LibsqlFromWorker): void => port.postMessage(message);
  let connection: LibsqlConnection;
  try {
    connection = new LibsqlConnection(data.path, data.busyTimeoutMs);
    if (data.role === 'read') connection.execute('pragma query_only = 1');
    const durability = data.role === 'write' ? openForWriting(connection, data.busyTimeoutMs) : 'read-only';
    post({ kind: 'opened', durability });
  } catch (error) {
    post({ kind: 'lost', failure: libsqlFailure(error) });
    port.close();
    return;
  }
  const mode = data.role === 'write' ? 'immediate' : 'deferred';
  port.on('message', (message: LibsqlToWorker) => {
    if (message === 'close') {
      if (data.role === 'write') foldLog(connection);
      connection.close();
      port.close();
      return;
    }
    try {
      post({ kind: 'done', id: message.id, results: connection.transaction(mode, toStatements(message)) });
    } catch (error) {
      const failure = libsqlFailure(error);
      post({ kind: 'refused', id: message.id, failure });
      if (!failure.isConnectionLost) return;
      connection.close();
      port.close();
    }
  });
}

if (parentPort !== null) serve(parentPort, workerData as LibsqlWorkerData);
