import type { Worker } from 'node:worker_threads';
import type { BatchSlots } from '../slots/batch-slots.ts';

/** Receives events of the workers. */
export interface ExecutorListener {
  /** A worker can take batches. */
  ready(): void;
  /** Batches in the slots have ended. */
  answered(): void;
  /** A thread has ended: none of its code runs any more, and the slot that it held is unowned. */
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
  /** The threads that exist now, for tests that end some. */
  readonly threads: readonly Worker[];
  /** Sets the listener; must be called before the first batch. */
  listen(listener: ExecutorListener): void;
  /**
   * Lets a free worker take batches from the slots until it finds none. Resolves with false if no worker
   * could take the task, or the worker ended while it served.
   */
  serve(): Promise<boolean>;
  /** Ends the threads; resolves when nothing runs any more. */
  close(): Promise<void>;
}
