import type { Worker } from 'node:worker_threads';
import type { Board } from '../slots/batch-slots.ts';
import type { CallResult, CallTask } from '../worker/task.ts';

/**
 * How a call task ended. `lost`: the thread died or the backend faulted, and no item has an answer; `hasBegun` tells
 * whether the task had been taken up by then, so that it may itself be the cause.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly results: readonly CallResult[] }
  | { readonly kind: 'lost'; readonly hasBegun: boolean; readonly reason: string };

/** Something of note for the log; never holds a proof, an input or a key. */
export type EngineEvent =
  | {
      readonly event: 'engine.started';
      readonly backend: string;
      readonly arithmetic: string;
      readonly reason: string;
    }
  | { readonly event: 'engine.arithmetic_refused'; readonly arithmetic: string; readonly reason: string }
  | {
      readonly event: 'engine.worker_lost';
      readonly threadId: number;
      readonly exitCode: number;
      readonly restarts: number;
    }
  | { readonly event: 'engine.worker_error'; readonly reason: string }
  | { readonly event: 'engine.worker_ready'; readonly threadId: number }
  | { readonly event: 'engine.failed'; readonly reason: string }
  | {
      readonly event: 'engine.batch_lost';
      readonly lane: string;
      readonly items: number;
      readonly reason: string;
    }
  | { readonly event: 'engine.poisoned'; readonly lane: string };

/** What the dispatcher is told of the threads. */
export interface ExecutorListener {
  /** A thread can take work. */
  ready(): void;
  /** Batches on the board have ended. */
  answered(): void;
  /** A thread has ended: nothing of it runs any more, and the tray that it held is nobody's. */
  ended(threadId: number): void;
  /** No thread can be started any more. */
  failed(reason: string): void;
}

/** Where work runs: worker threads, or the calling thread. */
export interface Executor {
  /** From which the threads take their proofs. */
  readonly board: Board;
  /** Threads that passed their self-test and live. */
  readonly readyCount: number;
  /** Threads that ended unasked. */
  readonly restarts: number;
  /** The threads that exist now, for tests that end some. */
  readonly threads: readonly Worker[];
  /** Sets who is told of changes; before the first task. */
  listen(listener: ExecutorListener): void;
  /** Runs calls on a free thread. */
  run(task: CallTask): Promise<Outcome>;
  /**
   * Lets a free thread take trays from the board until it finds none or is called back. Resolves with false when the
   * thread could not be told, or ended by itself.
   */
  drain(): Promise<boolean>;
  /** Ends the threads; nothing runs any more then. */
  close(): Promise<void>;
}
