import type { Worker } from 'node:worker_threads';
import type { Backend } from '../backends/backend.ts';
import { Board } from '../slots/batch-slots.ts';
import { BoardThread } from '../slots/worker-slots.ts';
import { Performer } from '../worker/performer.ts';
import { drainBoard } from '../worker/serve-slots.ts';
import type { CallTask } from '../worker/task.ts';
import type { Executor, ExecutorListener, Outcome } from './executor.ts';

// Any number but 0; no thread of a pool shares this board.
const THREAD_ID = 1;

/** Does all work in the calling thread, one batch after another: `engine.workers` 0, for debugging and short commands. */
export class InlineExecutor implements Executor {
  readonly board: Board;
  readonly readyCount = 1;
  readonly restarts = 0;
  readonly threads: readonly Worker[] = [];
  readonly #performer: Performer;
  readonly #thread: BoardThread;
  #listener: ExecutorListener | undefined;

  /** @param maxBatch - Most proofs of a batch. */
  constructor(backend: Backend, maxBatch: number) {
    this.#performer = new Performer(backend);
    this.board = new Board(1, maxBatch);
    this.#thread = new BoardThread(this.board.setup, THREAD_ID);
  }

  listen(listener: ExecutorListener): void {
    this.#listener = listener;
  }

  async run(task: CallTask): Promise<Outcome> {
    await turn();
    const answer = await this.#performer.perform(task);
    return answer.kind === 'done'
      ? { kind: 'done', results: answer.results }
      : { kind: 'lost', hasBegun: true, reason: answer.kind === 'fault' ? answer.detail : answer.kind };
  }

  async drain(): Promise<boolean> {
    await drainBoard(this.#thread, this.#performer, {
      lingerMs: 0,
      ready: turn,
      ring: () => this.#listener?.answered(),
    });
    return true;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Lets the caller's turn end first, as with a worker. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
