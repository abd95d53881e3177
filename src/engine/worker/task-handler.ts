import type { Backend } from '../backends/backend.ts';
import type { SlotsSetup } from '../slots/slot-layout.ts';
import { WorkerSlots } from '../slots/worker-slots.ts';
import { Performer } from './performer.ts';

/** Options of `serveSlots`. */
export interface ServeOptions {
  /** Time for which it sleeps for another batch before it returns; waking it costs less than a new task. */
  readonly lingerMs: number;
  /** Called before each poll of the slots; a promise is awaited. */
  readonly beforePoll: () => Promise<void> | undefined;
  /** Tells the main thread that batches have ended. */
  readonly notify: () => void;
}

/**
 * Takes batch after batch until none has been ready for `lingerMs`; proofs and calls take turns. Between two
 * batches the thread does not return to its event loop.
 *
 * @throws The error of a failed renewal of the backend after a fault.
 */
export async function serveSlots(
  slots: WorkerSlots,
  performer: Performer,
  { lingerMs, beforePoll, notify }: ServeOptions,
): Promise<void> {
  let preferred: 'proofs' | 'calls' = 'calls';
  for (;;) {
    const pause = beforePoll();
    if (pause) await pause;
    const recovery = performer.recover();
    if (recovery) await recovery;
    const { announced } = slots;
    const taken = slots.take(preferred);
    if (taken) {
      preferred = taken.operation === 'verify' ? 'calls' : 'proofs';
      performer.perform(taken, slots);
      if (slots.needsNotice()) notify();
    } else if (!slots.wait(announced, lingerMs)) return;
  }
}

// V8 reserves gigabytes of address space for the memory of each discarded WASM instance until it is collected: a thread
// with this many instances after traps ends itself and is replaced.
const MAX_INSTANCES = 8;

const LINGER_MS = 2;

/** A task that piscina sends to a worker: to return its thread id, or to serve the batch slots. */
export type Task = 'ping' | 'serve';

/**
 * Runs a task; returns the thread id for a ping, and undefined when the thread finds no more batches to
 * serve.
 */
export type TaskHandler = (task: Task) => Promise<number | undefined>;

/**
 * Creates the task handler of a thread that has passed its self-test.
 *
 * @param notify - Tells the main thread that batches have ended.
 */
export function createTaskHandler(
  backend: Backend,
  setup: SlotsSetup,
  threadId: number,
  notify: () => void,
): TaskHandler {
  const performer = new Performer(backend);
  const slots = new WorkerSlots(setup, threadId);
  const beforePoll = (): undefined => {
    if (backend.instance >= MAX_INSTANCES) process.exit(1);
    return undefined;
  };
  return async (task) => {
    if (task === 'ping') return threadId;
    try {
      await serveSlots(slots, performer, { lingerMs: LINGER_MS, beforePoll, notify });
    } catch {
      // The backend cannot be renewed: the pool replaces the thread.
      process.exit(1);
    }
    return undefined;
  };
}
