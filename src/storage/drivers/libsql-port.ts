import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { ServiceError } from '../../errors/service-error.ts';
import { checkValues } from './bind.ts';
import type { Statement, WriteOutcome } from './driver.ts';
import { toServiceError } from './libsql-error.ts';
import type { LibsqlFailure } from './libsql-failure.ts';
import {
  guardNumber,
  type LibsqlFromWorker,
  type LibsqlReply,
  type LibsqlRequest,
} from './libsql-messages.ts';
import type { LibsqlWriter } from './libsql-writing.ts';
import { unpackResults, ValuePacker } from './packed-values.ts';

/** Called with the reason when a database thread has ended. */
export type OnThreadEnd = (error: Error) => void;

/**
 * Hands a port to the database thread, which serves it; starts the thread if there is none.
 *
 * @param onEnd - To be called if the caller's thread learns of the end other than by the port.
 */
export type AttachPort = (port: MessagePort, onEnd: OnThreadEnd) => void;

/**
 * A thread that ends closes its ports some milliseconds before the thread that started it is told, and ports that are
 * attached in between are closed unopened.
 */
const MAX_ATTEMPTS = 5;
const ATTEMPT_PAUSE_MS = 40;

/**
 * Transactions over a port to the database thread, from any thread of the process. The port is attached with the first
 * transaction, and another one with the next transaction after it was closed. Transactions that the thread had not
 * answered then are rejected; whether they were committed is unknown.
 */
export class LibsqlPort implements LibsqlWriter {
  readonly #attach: AttachPort;
  readonly #onLost: (reason: string) => void;
  readonly #endings = new Set<Promise<void>>();
  #link: Link | undefined;
  #nextId = 1;
  #isClosed = false;

  /** @param onLost - Called with the reason when the port closes without `close`. */
  constructor(attach: AttachPort, onLost: (reason: string) => void = () => undefined) {
    this.#attach = attach;
    this.#onLost = onLost;
  }

  async open(): Promise<string> {
    return this.#live().open();
  }

  async run(statements: readonly Statement[]): Promise<WriteOutcome> {
    const request = toRequest(this.#nextId++, statements);
    return this.#live().run(request);
  }

  /** Waits for the submitted transactions, then closes the port. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#link?.close();
    await Promise.all(this.#endings);
  }

  #live(): Link {
    if (this.#isClosed) throw new ServiceError('store.unreachable', 'the store is closed');
    this.#link ??= this.#connect();
    return this.#link;
  }

  #connect(): Link {
    const link = new Link(this.#attach, () => {
      if (this.#link === link) this.#link = undefined;
    });
    const ending = link.ended.then((error) => {
      this.#endings.delete(ending);
      if (!this.#isClosed) this.#onLost(error.message);
    });
    this.#endings.add(ending);
    return link;
  }
}

interface Waiter {
  readonly request: LibsqlRequest;
  resolve(outcome: WriteOutcome): void;
  reject(error: Error): void;
}

/** One connection to the database thread, from its first port to the loss of the opened one. */
class Link {
  /** Resolves with the error that open transactions were rejected with. */
  readonly ended: Promise<Error>;
  readonly #attach: AttachPort;
  readonly #onUnusable: () => void;
  readonly #waiters = new Map<number, Waiter>();
  readonly #opened: Promise<string>;
  #settleOpened!: { resolve(durability: string): void; reject(error: Error): void };
  #resolveEnded!: (error: Error) => void;
  /** Undefined between two attempts, and after the end. */
  #port: MessagePort | undefined;
  #attempts = 0;
  /** Callers of `open` that wait. */
  #opening = 0;
  #isOpened = false;
  #isClosing = false;
  #failure: LibsqlFailure | undefined;

  /** @param onUnusable - Called once no further transaction may be run; those that were may still be answered. */
  constructor(attach: AttachPort, onUnusable: () => void) {
    this.#attach = attach;
    this.#onUnusable = onUnusable;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#opened = new Promise((resolve, reject) => {
      this.#settleOpened = { resolve, reject };
    });
    // Prevents an unhandled rejection: callers of `open` and of transactions receive the error; there may be none.
    this.#opened.catch(() => undefined);
    this.#connect();
  }

  async open(): Promise<string> {
    this.#opening++;
    this.#port?.ref();
    try {
      return await this.#opened;
    } finally {
      this.#opening--;
      this.#rest();
    }
  }

  run(request: LibsqlRequest): Promise<WriteOutcome> {
    return new Promise((resolve, reject) => {
      // A port without open transactions does not keep the process alive.
      if (this.#waiters.size === 0) this.#port?.ref();
      this.#waiters.set(request.id, { request, resolve, reject });
      this.#port?.postMessage(request);
    });
  }

  close(): void {
    this.#isClosing = true;
    this.#port?.ref();
    this.#rest();
  }

  #connect(): void {
    const { port1: port, port2 } = new MessageChannel();
    this.#attempts++;
    this.#port = port;
    port.on('message', (message: LibsqlFromWorker) => this.#take(message));
    port.on('close', () =>
      this.#lose(port, new ServiceError('store.unreachable', 'the thread of the database ended')),
    );
    if (this.#waiters.size + this.#opening === 0) port.unref();
    this.#attach(port2, (error) => {
      if (port === this.#port) this.#takeRest(port);
      this.#lose(port, error);
    });
    for (const { request } of this.#waiters.values()) port.postMessage(request);
  }

  /** The end of a thread may be known before its last messages are delivered. Node crashes if the port is closed. */
  #takeRest(port: MessagePort): void {
    for (let rest = receiveMessageOnPort(port); rest !== undefined; rest = receiveMessageOnPort(port)) {
      this.#take(rest.message as LibsqlFromWorker);
    }
  }

  #take(message: LibsqlFromWorker): void {
    if (message.kind === 'opened') {
      this.#isOpened = true;
      this.#settleOpened.resolve(message.durability);
    } else if (message.kind === 'lost') {
      this.#failure = message.failure;
      this.#onUnusable();
    } else this.#settle(message);
  }

  #settle(message: LibsqlReply): void {
    const waiter = this.#waiters.get(message.id);
    this.#waiters.delete(message.id);
    this.#rest();
    if (message.kind === 'done') waiter?.resolve({ ok: true, results: unpackResults(message.results) });
    else if (message.kind === 'undone') waiter?.resolve({ ok: false, guard: message.guard });
    else waiter?.reject(toServiceError(message.failure));
  }

  #rest(): void {
    if (this.#waiters.size + this.#opening > 0) return;
    if (!this.#isClosing) this.#port?.unref();
    else if (this.#port === undefined)
      this.#end(new ServiceError('store.unreachable', 'the store is closed'));
    else this.#port.close();
  }

  #lose(port: MessagePort, error: Error): void {
    if (port !== this.#port) return;
    this.#port = undefined;
    port.close();
    // A thread that has not opened the port has run none of its transactions.
    const isUntouched = !this.#isOpened && this.#failure === undefined && !this.#isClosing;
    if (isUntouched && this.#attempts < MAX_ATTEMPTS) setTimeout(() => this.#connect(), ATTEMPT_PAUSE_MS);
    else this.#end(this.#failure === undefined ? error : toServiceError(this.#failure));
  }

  #end(error: Error): void {
    this.#onUnusable();
    this.#settleOpened.reject(error);
    for (const waiter of this.#waiters.values()) waiter.reject(error);
    this.#waiters.clear();
    this.#resolveEnded(error);
  }
}

function toRequest(id: number, statements: readonly Statement[]): LibsqlRequest {
  const texts = new Map<string, number>();
  const calls: number[] = [];
  const packer = new ValuePacker();
  for (const statement of statements) {
    checkValues(statement);
    const { sql, params } = statement;
    const text = texts.get(sql) ?? texts.size;
    texts.set(sql, text);
    calls.push(text, params.length, guardNumber(statement));
    for (const value of params) packer.add(value);
  }
  return { id, texts: [...texts.keys()], calls, values: packer.finish() };
}
