// Loaded with `--import` before a server: on SIGUSR2 it collects garbage and prints the memory of the process.
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', async () => {
    // objects freed by one collection may hold buffers that only the next one releases
    for (let times = 0; times < 4; times++) {
      collect();
      await setImmediate();
    }
    process.stderr.write(`${JSON.stringify({ memory: process.memoryUsage() })}\n`);
  });
}
