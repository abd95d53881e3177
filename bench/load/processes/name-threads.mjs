/**
 * Loaded by a server of the bench before its program (`--import`): records the system thread of each worker
 * thread, since all have the same name. Appends lines `TID FILE` to the file that `BENCH_THREADS` names.
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
      // The thread exists when the constructor returns.
      super(file, options);
      for (const tid of living()) if (!before.has(tid)) appendFileSync(lines, `${tid} ${file}\n`);
    }
  };
  syncBuiltinESMExports();
}
