import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Statement } from './driver.ts';
import { runGated } from './exit-gate.ts';
import { type GroupOutcome, LibsqlConnection } from './libsql-connection.ts';
import { libsqlFailure } from './libsql-failure.ts';
import {
  guardOf,
  type LibsqlFromWorker,
  type LibsqlReply,
  type LibsqlRequest,
  type LibsqlToWorker,
  type LibsqlWorkerData,
} from './libsql-messages.ts';
import { packResults, ValueReader } from './packed-values.ts';

// Entry point of a worker thread: opens one connection, runs transactions in the order of their arrival, and
// ends on a `close` message or when its connection is lost. After a loss, the parent starts another worker for
// the next transaction. Writes that arrived during the last commit are committed together, since a commit
// costs the same for one and for many.

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];
const RETRY_PAUSE_MS = 10;
const MAX_GROUP = 64;
const CACHE_KIB = 16_384;
/** Pages of 4 KiB: the log grows to 32 MiB, and a checkpoint delays commits by some tens of milliseconds. */
const CHECKPOINT_PAGES = 8000;

/** Sets up durability. Retries while the file is locked: other processes may be opening the same new file. */
function openForWriting(connection: LibsqlConnection, busyTimeoutMs: number): string {
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
function checkpointLog(connection: LibsqlConnection): void {
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

function toStatements({ texts, calls, values }: LibsqlRequest): Statement[] {
  const reader = new ValueReader(values);
  const statements: Statement[] = [];
  for (let index = 0; index < calls.length; index += 3) {
    const [text, count, guard] = [calls[index], calls[index + 1], calls[index + 2]] as [
      number,
      number,
      number,
    ];
    statements.push({ sql: texts[text] ?? '', params: reader.take(count), ...guardOf(guard) });
  }
  return statements;
}

/** Takes the messages queued in the port, in order, without waiting for more. */
function arrived(port: MessagePort, limit: number): LibsqlToWorker[] {
  const messages: LibsqlToWorker[] = [];
  while (messages.length < limit) {
    const received = receiveMessageOnPort(port);
    if (received === undefined) break;
    messages.push(received.message as LibsqlToWorker);
  }
  return messages;
}

/** Runs the transactions and returns a reply for each, after the commit. */
function answer(
  connection: LibsqlConnection,
  role: LibsqlWorkerData['role'],
  requests: readonly LibsqlRequest[],
): LibsqlReply[] {
  try {
    const outcomes = run(connection, role, requests.map(toStatements));
    return requests.map(({ id }, index) => toReply(id, outcomes[index] as GroupOutcome));
  } catch (error) {
    return requests.map(({ id }) => toReply(id, { error }));
  }
}

function run(
  connection: LibsqlConnection,
  role: LibsqlWorkerData['role'],
  transactions: readonly Statement[][],
): GroupOutcome[] {
  const [alone] = transactions;
  // A single transaction needs no savepoint.
  if (transactions.length > 1 || alone === undefined) return connection.group(transactions);
  return [connection.transaction(role === 'write' ? 'immediate' : 'deferred', alone)];
}

function toReply(id: number, outcome: GroupOutcome): LibsqlReply {
  if ('error' in outcome) return { kind: 'refused', id, failure: libsqlFailure(outcome.error) };
  if (!outcome.ok) return { kind: 'undone', id, guard: outcome.guard };
  return { kind: 'done', id, results: packResults(outcome.results) };
}

function serve(port: MessagePort, data: LibsqlWorkerData): void {
  runGated(data.gate, () => {
    const connection = open(port, data);
    if (connection === undefined) return;
    port.on('message', (message: LibsqlToWorker) =>
      runGated(data.gate, () => handle(port, data, connection, message)),
    );
  });
}

/** Opens the connection and reports it, or reports the failure and lets the thread end. */
function open(port: MessagePort, data: LibsqlWorkerData): LibsqlConnection | undefined {
  const post = (message: LibsqlFromWorker): void => port.postMessage(message);
  try {
    const connection = new LibsqlConnection(data.path, data.busyTimeoutMs);
    if (data.role === 'read') connection.execute('pragma query_only = 1');
    const durability = data.role === 'write' ? openForWriting(connection, data.busyTimeoutMs) : 'read-only';
    post({ kind: 'opened', durability });
    return connection;
  } catch (error) {
    post({ kind: 'lost', failure: libsqlFailure(error) });
    port.close();
    return undefined;
  }
}

/** Answers a message and, for the writer, those queued behind it. */
function handle(
  port: MessagePort,
  { role }: LibsqlWorkerData,
  connection: LibsqlConnection,
  message: LibsqlToWorker,
): void {
  const messages = role === 'write' ? [message, ...arrived(port, MAX_GROUP - 1)] : [message];
  const requests = messages.filter((each) => each !== 'close');
  const replies = requests.length === 0 ? [] : answer(connection, role, requests);
  for (const reply of replies) port.postMessage(reply satisfies LibsqlFromWorker);
  const isLost = replies.some((reply) => reply.kind === 'refused' && reply.failure.isConnectionLost);
  const isLast = requests.length < messages.length;
  if (!isLost && !isLast) return;
  if (!isLost && role === 'write') checkpointLog(connection);
  connection.close();
  port.close();
}

if (parentPort !== null) serve(parentPort, workerData as LibsqlWorkerData);
