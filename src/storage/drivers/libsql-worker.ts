import '../../source-maps.ts';
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
import { checkpointLog, openForWriting } from './libsql-writing.ts';
import { packResults, ValueReader } from './packed-values.ts';

// Entry point of a worker thread: opens one connection, runs transactions in the order of their arrival, and
// ends on a `close` message or when its connection is lost. After a loss, the parent starts another worker for
// the next transaction. Writes that arrived during the last commit are committed together, since a commit
// costs the same for one and for many.

const MAX_GROUP = 64;

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
