/** Entry file of the worker threads: loads a backend, tests it, and then runs tasks until the thread ends. */
import '../../source-maps.ts';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { BackendSource } from '../backends/backend.ts';
import { loadBackend } from '../backends/load-backend.ts';
import { selfTest } from '../self-test/self-test.ts';
import type { SlotsSetup } from '../slots/slot-layout.ts';
import { lowerThreadPriority } from './lower-thread-priority.ts';
import { createTaskHandler, type TaskHandler } from './task-handler.ts';

/** Worker data: the backend and the slots. */
export interface WorkerSetup {
  readonly source: BackendSource;
  readonly slots: SlotsSetup;
}

const setup = workerData as WorkerSetup;
lowerThreadPriority();
const backend = loadBackend(setup.source);
const fault = selfTest(backend.functions);
if (fault) throw new Error(`engine.self_test_failed: ${setup.source.kind}: ${fault}`);

/** Runs one task, see `createTaskHandler`. */
export const handleTask: TaskHandler = createTaskHandler(backend, setup.slots, threadId, () =>
  parentPort?.postMessage('answered'),
);
