/**
 * Loaded by a server of the bench before its program (`--import`): writes down which thread of the system each worker
 * thread is, since their names are all alike. A line is `TID FILE`; the file of lines is `BENCH_THREADS`.
 */
import { appendFileSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const lines = process.env.BENCH_THREADS;
const living = () => readdirSync('/proc/self/task');

if (threads.isMainThread && lines !== undefined) {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options) {
      const before = new Set(living());
      // The thread is there when the constructor returns.
      super(file, options);
      for (const tid of living()) if (!before.has(tid)) appendFileSync(lines, `${tid} ${file}\n`);
    }
  };
  syncBuiltinESMExports();
}
