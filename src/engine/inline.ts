import type { Worker } from 'node:worker_threads';
import type { Backend } from './backends/backend.ts';
import type { Executor, Outcome } from './executor.ts';
import { Performer } from './perform.ts';
import type { Task } from './task.ts';

/** Runs tasks in the calling thread, one after another: `engine.workers` 0, for debugging and short commands. */
export class InlineExecutor implements Executor {
  readonly readyCount = 1;
  readonly restarts = 0;
  readonly threads: readonly Worker[] = [];
  readonly #performer: Performer;

  constructor(backend: Backend) {
    this.#performer = new Performer(backend);
  }

  listen(): void {
    // This thread is always ready and cannot be lost.
  }

  async run(task: Task): Promise<Outcome> {
    // Let the caller's turn end first, as with a worker.
    await new Promise((resolve) => setImmediate(resolve));
    const answer = await this.#performer.perform(task);
    return answer.kind === 'done'
      ? { kind: 'done', results: answer.results }
      : { kind: 'lost', hasBegun: true, reason: answer.kind === 'fault' ? answer.detail : answer.kind };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
