import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../text.ts';
import type { Backend } from '../backends/backend.ts';
import { BatchSlots } from '../slots/batch-slots.ts';
import { WorkerSlots } from '../slots/worker-slots.ts';
import { Performer } from '../worker/performer.ts';
import { serveSlots } from '../worker/task-handler.ts';

/** Receives events of the workers. */
export interface ExecutorListener {
  /** A worker can take batches. */
  ready(): void;
  /** Batches in the slots have ended. */
  answered(): void;
  /** A thread has ended: none of its code runs any more, and its slot is unowned. */
  ended(threadId: number): void;
  /** No thread can be started any more. */
  failed(reason: string): void;
}

/** Runs batches, in worker threads or in the calling thread. */
export interface Executor {
  /** The slots from which the workers take their batches. */
  readonly slots: BatchSlots;
  /** Number of live threads that have passed their self-test. */
  readonly readyCount: number;
  /** Number of threads that have ended unexpectedly. */
  readonly restarts: number;
  /** The live threads, for tests that end some. */
  readonly threads: readonly Worker[];
  /** Sets the listener; must be called before the first batch. */
  listen(listener: ExecutorListener): void;
  /**
   * Lets a free worker take batches from the slots until it finds none. Resolves to false if no worker could take the
   * task, or the worker ended during it.
   */
  serve(): Promise<boolean>;
  /** Ends the threads; resolves when nothing runs any more. */
  close(): Promise<void>;
}

// Any number except 0; no thread of a pool shares these slots.
const THREAD_ID = 1;

/** Runs all batches in the calling thread, one after another: `engine.workers` 0, for debugging and short commands. */
export class InlineExecutor implements Executor {
  readonly slots: BatchSlots;
  readonly readyCount = 1;
  readonly restarts = 0;
  readonly threads: readonly Worker[] = [];
  readonly #performer: Performer;
  readonly #workerSlots: WorkerSlots;
  #listener: ExecutorListener | undefined;

  /** @param maxBatch - Maximum number of items in a batch. */
  constructor(backend: Backend, maxBatch: number) {
    this.#performer = new Performer(backend);
    this.slots = new BatchSlots(1, maxBatch);
    this.#workerSlots = new WorkerSlots(this.slots.setup, THREAD_ID);
  }

  listen(listener: ExecutorListener): void {
    this.#listener = listener;
  }

  async serve(): Promise<boolean> {
    try {
      await serveSlots(this.#workerSlots, this.#performer, {
        lingerMs: 0,
        beforePoll: nextTurn,
        notify: () => this.#listener?.answered(),
      });
      return true;
    } catch (error) {
      this.#listener?.failed(`the backend cannot be renewed: ${messageOf(error)}`);
      return false;
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Lets the turn of the caller end first, as with a worker. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
