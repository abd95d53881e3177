import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { ServiceError } from '../../errors/index.ts';
import { type BackendSource, parseRefusal } from '../backends/backend.ts';
import type { EngineEvent } from '../events.ts';
import { BatchSlots } from '../slots/batch-slots.ts';
import type { Task } from '../worker/task-handler.ts';
import type { WorkerSetup } from '../worker/worker.ts';
import type { Executor, ExecutorListener } from './executor.ts';

const PING: Task = 'ping';
const SERVE: Task = 'serve';
// A thread that dies before it is ready says that the file, not the work, is at fault.
const MAX_FAILED_STARTS = 6;
const isSource = import.meta.url.endsWith('.ts');
const WORKER_FILE = fileURLToPath(
  new URL(isSource ? '../worker/worker.ts' : '../worker/worker.js', import.meta.url),
);

/** Node 20 reads `.ts` through tsx only, whose plain `--import` leaves out worker threads: they register it here. */
function typeScriptArguments(): string[] {
  const tsx = import.meta.resolve('tsx/esm/api');
  const register = `import { register } from ${JSON.stringify(tsx)}; register();`;
  return ['--import', `data:text/javascript,${encodeURIComponent(register)}`];
}

/** What a pool needs. */
export interface PoolOptions {
  readonly workers: number;
  /** Most items of a batch. */
  readonly maxBatch: number;
  readonly source: BackendSource;
  readonly log: (event: EngineEvent) => void;
  /** Another file for the threads; tests use one whose threads can be made to die. */
  readonly workerFile?: string;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A fixed number of worker threads; one that ends is replaced. */
export class WorkerPool implements Executor {
  readonly slots: BatchSlots;
  readonly #options: PoolOptions;
  readonly #piscina: Piscina;
  /** Threads that live, by id. An id is kept apart because a thread that ended has none. */
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
      // Secrets of the environment have no business in a worker.
      env: {},
      execArgv: filename.endsWith('.ts') ? typeScriptArguments() : [],
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
    // As many pings at once as there are threads: each thread gets one, and answers when it has loaded.
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
      // The thread's exit tells what it left behind.
      return false;
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#piscina.destroy();
    this.#ready.clear();
    this.#holdProcess();
  }

  /** Piscina replaces threads by itself; this finds those not seen before. */
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
    // Piscina gives tasks to the new thread after this event only.
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
   * Piscina stops replacing threads once one has died before it was ready (killed while it loaded, say). It does
   * start one for a task that finds no free thread, and pings are such tasks.
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
      // A ping has no answer worth waiting for: a thread that dies of it comes back here by its exit.
      this.#piscina.run(PING).catch(() => undefined);
    }
    this.#watchThreads();
  }

  /** Starting threads do not keep the process alive, and queued work with no thread would end it unanswered. */
  #holdProcess(): void {
    const isNeeded = this.#ready.size === 0 && !this.#isClosing;
    if (isNeeded) this.#hold ??= setInterval(() => undefined, 60_000);
    else {
      clearInterval(this.#hold);
      this.#hold = undefined;
    }
  }
}
