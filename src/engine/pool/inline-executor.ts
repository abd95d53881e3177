import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../text.ts';
import type { Backend } from '../backends/backend.ts';
import { BatchSlots } from '../slots/batch-slots.ts';
import { WorkerSlots } from '../slots/worker-slots.ts';
import { Performer } from '../worker/performer.ts';
import { serveSlots } from '../worker/serve-slots.ts';
import type { Executor, ExecutorListener } from './executor.ts';

// Any number but 0; no thread of a pool shares these slots.
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
        beforeLook: nextTurn,
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

/** Lets the caller's turn end first, as with a worker. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
