import type { Worker } from 'node:worker_threads';
import type { Executor, ExecutorListener, Outcome } from '../../../src/engine/executor.ts';
import type { CallTask, Task } from '../../../src/engine/task.ts';

/** A task that runs until the test ends it. */
export interface RunningTask {
  readonly lane: string;
  readonly values: readonly number[];
  /** Every item is answered with its value. */
  done(): void;
  lost(hasBegun: boolean): void;
}

/** An executor whose tasks the test ends by hand. */
export class ScriptedExecutor implements Executor {
  readyCount: number;
  readonly restarts = 0;
  readonly threads: readonly Worker[] = [];
  /** Tasks that run now, oldest first. */
  readonly running: RunningTask[] = [];
  listener: ExecutorListener | undefined;

  constructor(readyCount: number) {
    this.readyCount = readyCount;
  }

  listen(listener: ExecutorListener): void {
    this.listener = listener;
  }

  run(task: Task): Promise<Outcome> {
    const { items, tag = '' } = task as CallTask;
    return new Promise((resolve) => {
      const end = (outcome: Outcome): void => {
        this.running.splice(this.running.indexOf(running), 1);
        resolve(outcome);
      };
      const running: RunningTask = {
        lane: tag,
        values: items.map((item) => item[0] as number),
        done: () => end({ kind: 'done', results: items.map((bytes) => ({ ok: true, bytes })) }),
        lost: (hasBegun) => end({ kind: 'lost', hasBegun, reason: 'as the test says' }),
      };
      this.running.push(running);
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
