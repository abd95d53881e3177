/**
 * Loaded by a server of the bench before its program, and by each of its worker threads (`--import`): a worker thread
 * records its system thread and its program, since all have the same name. Appends lines `TID FILE` to the file that
 * `BENCH_THREADS` names.
 */
import { appendFileSync, readlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import threads from 'node:worker_threads';

const { BENCH_THREADS: lines, BENCH_THREAD_FILE: own } = process.env;

if (lines !== undefined) {
  if (!threads.isMainThread) {
    appendFileSync(lines, `${basename(readlinkSync('/proc/thread-self'))} ${own}\n`);
  }
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options = {}) {
      const { env = process.env, execArgv } = options;
      super(file, {
        ...options,
        env: { ...env, BENCH_THREADS: lines, BENCH_THREAD_FILE: String(file) },
        // Without arguments of its own, a thread has those of this one, with this file among them.
        ...(execArgv === undefined ? {} : { execArgv: [...execArgv, '--import', import.meta.url] }),
      });
    }
  };
  syncBuiltinESMExports();
}
