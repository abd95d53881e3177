/** Entry file of the worker threads: loads a backend, tests it, and then runs tasks until the thread ends. */
import '../../source-maps.ts';
import { getPriority, setPriority } from 'node:os';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { BackendSource } from '../backends/backend.ts';
import { loadBackend } from '../backends/load-backend.ts';
import { selfTest } from '../self-test/self-test.ts';
import type { SlotsSetup } from '../slots/slot-layout.ts';
import { createTaskHandler, type TaskHandler } from './task-handler.ts';

const STEPS = 5;
const LOWEST = 19;
const THIS_THREAD = 0;

/**
 * Lowers this thread's priority relative to the other threads of its process, to about a third of an equal share of a
 * core. Proofs that wait for a worker only enlarge its next batch, but clients wait for the main thread. Only Linux has
 * priorities per thread.
 */
function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(THIS_THREAD, Math.min(getPriority(THIS_THREAD) + STEPS, LOWEST));
  } catch {
    // A sandbox may forbid it; that costs only some speed.
  }
}

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
