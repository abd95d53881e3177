import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { StartWorker } from '../../../src/storage/drivers/libsql-thread.ts';

const GATE = 0;
const STEPS_LEFT = 1;
const RELEASED = 0;
const HELD = 1;
const UNLIMITED = 0;

/**
 * Runs in the thread before its entry point. Each statement, also one that bounds a transaction (`begin`, `savepoint`,
 * `commit`), is two steps, one before and one after it; pragmas are none. The thread ends itself, because a thread that is terminated from outside
 * during a libsql call takes down the process: libsql aborts on an unexpected exception.
 */
const prepareThread = `
import { workerData } from 'node:worker_threads';
import Database from ${JSON.stringify(import.meta.resolve('libsql'))};
const { control } = workerData;
Atomics.wait(control, ${GATE}, ${HELD});
const step = () => {
  if (Atomics.load(control, ${STEPS_LEFT}) > 0 && Atomics.sub(control, ${STEPS_LEFT}, 1) === 1) process.exit(1);
};
const inSteps = (call) => {
  step();
  const result = call();
  step();
  return result;
};
const { exec, prepare } = Database.prototype;
Database.prototype.exec = function (sql) {
  const call = () => exec.call(this, sql);
  return sql.startsWith('pragma') ? call() : inSteps(call);
};
Database.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (sql.startsWith('pragma')) return statement;
  for (const name of ['all', 'run']) {
    const run = statement[name];
    statement[name] = (...values) => inSteps(() => run.apply(statement, values));
  }
  return statement;
};
`;

/** Starts the threads of a libsql driver, and can hold them at their start or end them at a step of their work. */
export class KillableThreads {
  readonly workers: Worker[] = [];
  readonly #control = new Int32Array(new SharedArrayBuffer(8))
    .fill(RELEASED, GATE, STEPS_LEFT)
    .fill(UNLIMITED, STEPS_LEFT);

  readonly start: StartWorker = (file, options) => {
    const preload = `data:text/javascript,${encodeURIComponent(prepareThread)}`;
    const worker = new Worker(file, {
      ...options,
      execArgv: ['--import', preload, ...(options.execArgv ?? [])],
      workerData: { ...options.workerData, control: this.#control },
    });
    this.workers.push(worker);
    return worker;
  };

  /** Terminates the newest thread, which must be idle. */
  async endIdle(): Promise<void> {
    await this.workers.at(-1)?.terminate();
  }

  /**
   * Lets the newest thread end itself at the last of its next `steps` steps.
   *
   * @returns A promise that resolves when it has ended.
   */
  async endAfter(steps: number): Promise<void> {
    Atomics.store(this.#control, STEPS_LEFT, steps);
    await once(this.workers.at(-1) as Worker, 'exit');
  }

  /** Makes threads that start from now on wait at their start until `releaseStarts`. */
  holdStarts(): void {
    Atomics.store(this.#control, GATE, HELD);
  }

  /** Lets waiting and later threads run. */
  releaseStarts(): void {
    Atomics.store(this.#control, GATE, RELEASED);
    Atomics.notify(this.#control, GATE);
  }
}
