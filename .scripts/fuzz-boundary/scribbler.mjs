/** Overwrites shared memory until it is terminated. */
import { workerData } from 'node:worker_threads';

const bytes = new Uint8Array(workerData);
for (let turn = 0; ; turn = (turn + 1) % 251) {
  for (let at = turn % 7; at < bytes.length; at += 7) bytes[at] = turn;
  // leaves some of the core to other threads
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}
