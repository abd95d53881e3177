import type { Backend } from '../backends/backend.ts';
import type { BoardSetup } from '../slots/slot-layout.ts';
import { BoardThread } from '../slots/worker-slots.ts';
import { Performer } from './performer.ts';
import { drainBoard } from './serve-slots.ts';
import type { CallAnswer, Task } from './task.ts';

// The loader keeps the glue of each discarded WASM instance, and with it its memory: a thread that has trapped this
// often ends itself and is replaced.
const MAX_INSTANCES = 8;

const LINGER_MS = 2;

/** What a worker makes of a task: the thread id for a ping, the answers of calls, and nothing for a drain. */
export type TaskHandler = (task: Task) => Promise<CallAnswer | number | undefined>;

/** The shared memory of a pool. */
export interface SharedParts {
  readonly claims: SharedArrayBuffer;
  readonly board: BoardSetup;
}

/**
 * Makes the handler of a thread that has passed its self-test.
 *
 * @param ring - Tells the main thread that batches on the board have ended.
 */
export function createTaskHandler(
  backend: Backend,
  { claims, board }: SharedParts,
  threadId: number,
  ring: () => void,
): TaskHandler {
  const performer = new Performer(backend, new Int32Array(claims), threadId);
  const thread = new BoardThread(board, threadId);
  const ready = (): undefined => {
    if (backend.instance >= MAX_INSTANCES) process.exit(1);
    return undefined;
  };
  return async (task) => {
    if (task.kind === 'ping') return threadId;
    ready();
    if (task.kind === 'call') return await performer.perform(task);
    await drainBoard(thread, performer, { lingerMs: LINGER_MS, ready, ring });
    return undefined;
  };
}
