import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { compiledFile } from '../../compiled-file.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';
import { type BackendSource, parseRefusal } from '../backends/backend.ts';
import type { EngineEvent } from '../engine.ts';
import { BatchSlots } from '../slots/batch-slots.ts';
import type { Task } from '../worker/task-handler.ts';
import type { WorkerSetup } from '../worker/worker.ts';
import type { Executor, ExecutorListener } from './executor.ts';

const PING: Task = 'ping';
const SERVE: Task = 'serve';
// Threads that repeatedly end before they are ready show that the worker file, not the work, is at fault.
const MAX_FAILED_STARTS = 6;
const WORKER_FILE = fileURLToPath(compiledFile('engine/worker/worker.js'));

/** Options of `WorkerPool.start`. */
export interface PoolOptions {
  readonly workers: number;
  /** Maximum number of items in a batch. */
  readonly maxBatch: number;
  readonly source: BackendSource;
  readonly log: (event: EngineEvent) => void;
  /** Another file for the threads; tests use one whose threads can be made to end. */
  readonly workerFile?: string;
}

/** A fixed number of worker threads; a thread that ends is replaced. */
export class WorkerPool implements Executor {
  readonly slots: BatchSlots;
  readonly #options: PoolOptions;
  readonly #piscina: Piscina;
  /** Live threads by id. Keyed by id, because a thread that has ended no longer has one. */
  readonly #alive = new Map<number, Worker>();
  readonly #ready = new Set<number>();
  #listener: ExecutorListener | undefined;
  #hold: NodeJS.Timeout | undefined;
  #restarts = 0;
  #failedStarts = 0;
  #isClosing = false;
  #lastError = '';

  private constructor(options: PoolOptions) {
    this.slots = new BatchSlots(options.workers, options.maxBatch);
    const workerData: WorkerSetup = { source: options.source, slots: this.slots.setup };
    const filename = options.workerFile ?? WORKER_FILE;
    this.#options = options;
    this.#piscina = new Piscina({
      filename,
      name: 'handleTask',
      minThreads: options.workers,
      maxThreads: options.workers,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: 1,
      maxQueue: options.workers * 4 + 16,
      recordTiming: false,
      workerData,
      // Workers do not need the secrets in the environment.
      env: {},
      execArgv: [],
    });
    this.#piscina.on('error', (error) => {
      this.#lastError = messageOf(error);
      options.log({ event: 'engine.worker_error', reason: this.#lastError });
    });
    // Threads send one kind of message: that batches have ended.
    this.#piscina.on('message', () => this.#listener?.answered());
    this.#watchThreads();
  }

  /**
   * Starts the threads and waits until each has passed its self-test.
   *
   * @throws ServiceError `engine.self_test_failed`, `engine.worker_failed`
   */
  static async start(options: PoolOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    // As many concurrent pings as threads: each thread gets one, and answers when it has loaded.
    const pings = Array.from({ length: options.workers }, () => pool.#piscina.run(PING) as Promise<number>);
    const answers = await Promise.allSettled(pings);
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (failure) {
      await pool.close();
      const refused = parseRefusal(failure.reason);
      if (refused?.code === 'engine.self_test_failed') throw new ServiceError(refused.code, refused.detail);
      throw new ServiceError(
        'engine.worker_failed',
        `the workers cannot start: ${messageOf(failure.reason)}`,
        {},
        { cause: failure.reason },
      );
    }
    for (const answer of answers) if (answer.status === 'fulfilled') pool.#ready.add(answer.value);
    pool.#piscina.on('workerCreate', ({ id }: { readonly id: number }) => pool.#becomeReady(id));
    return pool;
  }

  get readyCount(): number {
    return this.#ready.size;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get threads(): readonly Worker[] {
    return this.#piscina.threads;
  }

  listen(listener: ExecutorListener): void {
    this.#listener = listener;
  }

  async serve(): Promise<boolean> {
    try {
      await this.#piscina.run(SERVE);
      return true;
    } catch {
      // The `exit` event of the thread, see `#onExit`, tells which slot it held.
      return false;
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#piscina.destroy();
    this.#ready.clear();
    this.#holdProcess();
  }

  /** Registers new threads: piscina replaces threads by itself. */
  #watchThreads(): void {
    for (const thread of this.#piscina.threads) {
      const { threadId } = thread;
      if (threadId < 0 || this.#alive.has(threadId)) continue;
      this.#alive.set(threadId, thread);
      thread.once('exit', (exitCode) => this.#onExit(threadId, exitCode));
    }
  }

  #becomeReady(threadId: number): void {
    this.#watchThreads();
    if (!this.#alive.has(threadId)) return;
    this.#failedStarts = 0;
    this.#ready.add(threadId);
    this.#holdProcess();
    this.#options.log({ event: 'engine.worker_ready', threadId });
    // Piscina gives tasks to the new thread only after this event.
    queueMicrotask(() => this.#listener?.ready());
  }

  #onExit(threadId: number, exitCode: number): void {
    this.#alive.delete(threadId);
    const wasReady = this.#ready.delete(threadId);
    if (this.#isClosing) return;
    this.#listener?.ended(threadId);
    this.#restarts += 1;
    if (!wasReady) this.#failedStarts += 1;
    this.#options.log({ event: 'engine.worker_lost', threadId, exitCode, restarts: this.#restarts });
    this.#watchThreads();
    this.#heal();
    this.#holdProcess();
  }

  /**
   * Starts missing threads. Piscina stops replacing threads once one has ended before it was ready (for example, killed
   * while loading), but starts one for a task that finds no free thread, such as a ping.
   */
  #heal(): void {
    const missing = this.#options.workers - this.#piscina.threads.length;
    if (missing <= 0) return;
    if (this.#failedStarts >= MAX_FAILED_STARTS && this.#ready.size === 0) {
      const reason = `no worker can start: ${this.#lastError || 'each ended before it was ready'}`;
      this.#options.log({ event: 'engine.failed', reason });
      this.#listener?.failed(reason);
      return;
    }
    for (let count = missing + this.#piscina.idleThreads; count > 0; count -= 1) {
      // The result does not matter: if the thread ends, its exit calls this method again.
      this.#piscina.run(PING).catch(() => undefined);
    }
    this.#watchThreads();
  }

  /**
   * Keeps the process alive while no thread is ready. Starting threads do not, so the process would exit with queued
   * work unanswered.
   */
  #holdProcess(): void {
    const isNeeded = this.#ready.size === 0 && !this.#isClosing;
    if (isNeeded) this.#hold ??= setInterval(() => undefined, 60_000);
    else {
      clearInterval(this.#hold);
      this.#hold = undefined;
    }
  }
}
