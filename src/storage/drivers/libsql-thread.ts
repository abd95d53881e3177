import { Worker, type WorkerOptions } from 'node:worker_threads';
import { compiledFile } from '../../compiled-file.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';
import { checkValues } from './bind.ts';
import type { Statement, WriteOutcome } from './driver.ts';
import { createGateCells, forgetAtExit, haltAtExit } from './exit-gate.ts';
import { toServiceError } from './libsql-error.ts';
import type { LibsqlFailure } from './libsql-failure.ts';
import {
  guardNumber,
  type LibsqlFromWorker,
  type LibsqlReply,
  type LibsqlRequest,
  type LibsqlToWorker,
  type LibsqlWorkerData,
} from './libsql-messages.ts';
import type { LibsqlWriter } from './libsql-writing.ts';
import { unpackResults, ValuePacker } from './packed-values.ts';

/** Starts a worker thread; tests pass their own to get hold of the thread. */
export type StartWorker = (file: URL, options: WorkerOptions) => Worker;

interface Pending {
  resolve(outcome: WriteOutcome): void;
  reject(error: Error): void;
}

/** One life of the worker thread, from its start to its exit. */
interface Life {
  readonly worker: Worker;
  readonly pending: Map<number, Pending>;
  readonly opened: Promise<string>;
}

/**
 * A worker thread with one connection. It starts with the first transaction, and again with the next one
 * after it died. Transactions it had not answered when it died are rejected; whether they were committed is
 * unknown.
 */
export class LibsqlThread implements LibsqlWriter {
  readonly #data: Omit<LibsqlWorkerData, 'gate'>;
  readonly #startWorker: StartWorker;
  readonly #onDeath: (reason: string) => void;
  readonly #endings = new Set<Promise<void>>();
  #life: Life | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(
    data: Omit<LibsqlWorkerData, 'gate'>,
    onDeath: (reason: string) => void,
    startWorker: StartWorker = (file, options) => new Worker(file, options),
  ) {
    this.#data = data;
    this.#onDeath = onDeath;
    this.#startWorker = startWorker;
  }

  async open(): Promise<string> {
    const life = this.#live();
    life.worker.ref();
    try {
      return await life.opened;
    } finally {
      if (life.pending.size === 0) life.worker.unref();
    }
  }

  async run(statements: readonly Statement[]): Promise<WriteOutcome> {
    const request = this.#toRequest(statements);
    const life = this.#live();
    return new Promise((resolve, reject) => {
      // A thread without work does not keep the process alive.
      if (life.pending.size === 0) life.worker.ref();
      life.pending.set(request.id, { resolve, reject });
      life.worker.postMessage(request satisfies LibsqlToWorker);
    });
  }

  /** Waits for the submitted transactions, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#life?.worker.ref();
    this.#life?.worker.postMessage('close' satisfies LibsqlToWorker);
    await Promise.all(this.#endings);
  }

  #toRequest(statements: readonly Statement[]): LibsqlRequest {
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
    return { id: this.#nextId++, texts: [...texts.keys()], calls, values: packer.finish() };
  }

  #live(): Life {
    if (this.#isClosed) throw new ServiceError('store.unreachable', 'the store is closed');
    this.#life ??= this.#start();
    return this.#life;
  }

  #start(): Life {
    // An empty environment keeps secrets out of the thread.
    const gate = createGateCells();
    const workerData: LibsqlWorkerData = { ...this.#data, gate };
    const worker = this.#startWorker(compiledFile('storage/drivers/libsql-worker.js'), {
      workerData,
      env: {},
    });
    worker.unref();
    haltAtExit(gate);
    const pending = new Map<number, Pending>();
    let failure: LibsqlFailure | undefined;
    let reason = 'the thread of the database ended';
    let settleOpened: { resolve(durability: string): void; reject(error: Error): void };
    const opened = new Promise<string>((resolve, reject) => {
      settleOpened = { resolve, reject };
    });
    // Prevents an unhandled rejection: callers of `open` and of transactions receive the error; `opened` may
    // have none.
    opened.catch(() => undefined);
    worker.on('message', (message: LibsqlFromWorker) => {
      if (message.kind === 'opened') settleOpened.resolve(message.durability);
      else if ('failure' in message && (message.kind === 'lost' || message.failure.isConnectionLost)) {
        failure = message.failure;
        this.#forget(worker);
      }
      if ('id' in message) this.#settle(worker, pending, message);
    });
    worker.on('error', (error) => {
      reason = `the thread of the database ended: ${messageOf(error)}`;
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        forgetAtExit(gate);
        this.#forget(worker);
        this.#endings.delete(ended);
        const error =
          failure === undefined ? new ServiceError('store.unreachable', reason) : toServiceError(failure);
        if (!this.#isClosed) this.#onDeath(error.message);
        settleOpened.reject(error);
        for (const waiter of pending.values()) waiter.reject(error);
        pending.clear();
        resolve();
      });
    });
    this.#endings.add(ended);
    return { worker, pending, opened };
  }

  /** Lets the next transaction start another thread; this one rejects its open transactions when it ends. */
  #forget(worker: Worker): void {
    if (this.#life?.worker === worker) this.#life = undefined;
  }

  #settle(worker: Worker, pending: Map<number, Pending>, message: LibsqlReply): void {
    const waiter = pending.get(message.id);
    pending.delete(message.id);
    if (pending.size === 0 && !this.#isClosed) worker.unref();
    if (message.kind === 'done') waiter?.resolve({ ok: true, results: unpackResults(message.results) });
    else if (message.kind === 'undone') waiter?.resolve({ ok: false, guard: message.guard });
    else waiter?.reject(toServiceError(message.failure));
  }
}
