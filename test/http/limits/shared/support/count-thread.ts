/** Thread that counts random keys in a shared table, and reports how much it added to each. */
import { parentPort, workerData } from 'node:worker_threads';
import { SharedTable } from '../../../../../src/http/limits/shared/shared-table.ts';

/** Data of the thread. */
export interface CountThreadData {
  readonly memory: SharedArrayBuffer;
  readonly keys: number;
  readonly operations: number;
  /** Word that becomes 1 when all threads may begin. */
  readonly start: Int32Array<SharedArrayBuffer>;
}

const RULE = { limit: 1000, windowMs: 3_600_000 };
const NOW = 1_000_000;

const { memory, keys, operations, start } = workerData as CountThreadData;
const table = new SharedTable(memory);
const sums = Array.from({ length: keys }, () => 0);
parentPort?.postMessage('ready');
Atomics.wait(start, 0, 0);
for (let n = 0; n < operations; n++) {
  const key = Math.floor(Math.random() * keys);
  const amount = 1 + Math.floor(Math.random() * 5);
  const hash = { low: key, high: key + 1 };
  table.add(hash, amount, RULE, NOW);
  // Never takes back more than this thread has added.
  const isTakenBack = Math.random() < 0.3;
  if (isTakenBack) table.subtract(hash, amount, NOW);
  else sums[key] = (sums[key] ?? 0) + amount;
}
parentPort?.postMessage(sums);
