import type { Worker } from 'node:worker_threads';
import type { BatchSlots } from '../slots/batch-slots.ts';

/** Receives what happens to the workers. */
export interface ExecutorListener {
  /** A worker can take batches. */
  ready(): void;
  /** Batches in the slots have ended. */
  answered(): void;
  /** A thread has ended: nothing of it runs any more, and the slot that it held is unowned. */
  ended(threadId: number): void;
  /** No thread can be started any more. */
  failed(reason: string): void;
}

/** Runs batches, in worker threads or in the calling thread. */
export interface Executor {
  /** The slots from which the workers take their batches. */
  readonly slots: BatchSlots;
  /** Threads that passed their self-test and live. */
  readonly readyCount: number;
  /** Threads that ended without being told to. */
  readonly restarts: number;
  /** The threads that exist now, for tests that end some. */
  readonly threads: readonly Worker[];
  /** Sets the listener; before the first batch. */
  listen(listener: ExecutorListener): void;
  /**
   * Lets a free worker take batches from the slots until it finds none. Resolves with false if the worker could not be
   * told, or ended by itself.
   */
  serve(): Promise<boolean>;
  /** Ends the threads; nothing runs any more then. */
  close(): Promise<void>;
}
