import '../../source-maps.ts';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Statement } from './driver.ts';
import { runGated } from './exit-gate.ts';
import { type GroupOutcome, LibsqlConnection } from './libsql-connection.ts';
import { type LibsqlFailure, libsqlFailure } from './libsql-failure.ts';
import {
  guardOf,
  type LibsqlControl,
  type LibsqlFromWorker,
  type LibsqlReply,
  type LibsqlRequest,
  type LibsqlWorkerData,
} from './libsql-messages.ts';
import { checkpointLog, openForWriting } from './libsql-writing.ts';
import { packResults, ValueReader } from './packed-values.ts';

// Entry point of a database thread: opens one connection, runs the transactions of each port in the order of their
// arrival, and ends on a `close` message or when its connection is lost. After a loss, the parent starts another worker
// for the next port. Writes that arrived during the last commit, over whichever ports, are committed together, since a
// commit costs the same for one and for many.

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

/** A request and the port that it came from. */
interface Arrival {
  readonly port: MessagePort;
  readonly request: LibsqlRequest;
}

/** Takes the requests queued in the ports, in the order of each, by turns, without waiting for more. */
function arrived(ports: Iterable<MessagePort>, limit: number): Arrival[] {
  const arrivals: Arrival[] = [];
  let waiting = [...ports];
  while (waiting.length > 0 && arrivals.length < limit) {
    waiting = waiting.filter((port) => {
      const received = arrivals.length < limit ? receiveMessageOnPort(port) : undefined;
      if (received !== undefined) arrivals.push({ port, request: received.message as LibsqlRequest });
      return received !== undefined;
    });
  }
  return arrivals;
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

/** The connection of this thread and the ports that it serves. */
class PortServer {
  readonly #control: MessagePort;
  readonly #data: LibsqlWorkerData;
  readonly #ports = new Set<MessagePort>();
  readonly #connection: LibsqlConnection;
  readonly #durability: string;

  /** Opens the connection. @throws the error of libsql */
  constructor(control: MessagePort, data: LibsqlWorkerData) {
    const { path, busyTimeoutMs, role } = data;
    this.#control = control;
    this.#data = data;
    this.#connection = new LibsqlConnection(path, busyTimeoutMs);
    if (role === 'read') this.#connection.execute('pragma query_only = 1');
    this.#durability = role === 'write' ? openForWriting(this.#connection, busyTimeoutMs) : 'read-only';
  }

  /** Serves a port until it is closed; what it has sent before is run, too. */
  add(port: MessagePort): void {
    this.#ports.add(port);
    port.on('close', () => this.#ports.delete(port));
    post(port, { kind: 'opened', durability: this.#durability });
    port.on('message', (request: LibsqlRequest) =>
      runGated(this.#data.gate, () => this.#handle({ port, request })),
    );
  }

  /** Runs the requests that have arrived, then ends the thread. */
  close(): void {
    for (;;) {
      const arrivals = arrived(this.#ports, MAX_GROUP);
      if (arrivals.length === 0) break;
      if (!this.#answer(arrivals)) return;
    }
    if (this.#data.role === 'write') checkpointLog(this.#connection);
    this.#end();
  }

  /** Answers a request; the writer also those that wait in any port. */
  #handle(first: Arrival): void {
    this.#answer(this.#data.role === 'write' ? [first, ...arrived(this.#ports, MAX_GROUP - 1)] : [first]);
  }

  /** Returns false if the connection was lost, which ends the thread. */
  #answer(arrivals: readonly Arrival[]): boolean {
    const replies = answer(
      this.#connection,
      this.#data.role,
      arrivals.map(({ request }) => request),
    );
    const lost = replies.find((reply) => reply.kind === 'refused' && reply.failure.isConnectionLost);
    // Sent first, so that whoever is told of a failure tries again with another thread.
    if (lost?.kind === 'refused') reportLost([this.#control, ...this.#ports], lost.failure);
    arrivals.forEach(({ port }, index) => {
      post(port, replies[index] as LibsqlReply);
    });
    if (lost !== undefined) this.#end();
    return lost === undefined;
  }

  #end(): void {
    this.#connection.close();
    for (const port of [this.#control, ...this.#ports]) port.close();
  }
}

function post(port: MessagePort, message: LibsqlFromWorker): void {
  port.postMessage(message);
}

function reportLost(ports: readonly MessagePort[], failure: LibsqlFailure): void {
  for (const port of ports) post(port, { kind: 'lost', failure });
}

/** Opens the connection with the first port, which is told of a failure; the thread then ends. */
function serve(control: MessagePort, data: LibsqlWorkerData): void {
  let server: PortServer | undefined;
  control.on('message', (message: LibsqlControl) =>
    runGated(data.gate, () => {
      if (message === 'close') {
        server?.close();
        return;
      }
      try {
        server ??= new PortServer(control, data);
        server.add(message.port);
      } catch (error) {
        reportLost([control, message.port], libsqlFailure(error));
        for (const port of [control, message.port]) port.close();
      }
    }),
  );
}

if (parentPort !== null) serve(parentPort, workerData as LibsqlWorkerData);
