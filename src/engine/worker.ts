/** The file that worker threads run: loads a backend, tests it, and then does tasks until the thread ends. */
import { threadId, workerData } from 'node:worker_threads';
import type { BackendSource } from './backends/backend.ts';
import { loadBackend } from './backends/load-backend.ts';
import { Performer } from './perform.ts';
import { selfTest } from './self-test.ts';
import type { PingTask, Task, TaskAnswer } from './task.ts';

/** What the pool hands to each worker. */
export interface WorkerSetup {
  readonly source: BackendSource;
  readonly claims: SharedArrayBuffer;
}

// The loader keeps the glue of each discarded WASM instance, and with it its memory: a thread that has trapped this
// often ends itself and is replaced.
const MAX_INSTANCES = 8;

const { source, claims } = workerData as WorkerSetup;
const backend = await loadBackend(source);
const fault = selfTest(backend.functions);
if (fault) throw new Error(`engine.self_test_failed: ${source.kind}: ${fault}`);
const performer = new Performer(backend, new Int32Array(claims), threadId);

/** Does one task. A ping is answered with the thread id: this thread has passed its self-test. */
export async function handleTask(task: Task | PingTask): Promise<TaskAnswer | number> {
  if (task.kind === 'ping') return threadId;
  if (backend.instance >= MAX_INSTANCES) process.exit(1);
  return await performer.perform(task);
}
