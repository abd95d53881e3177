/** The engine's worker, except that its thread ends when it meets a proof or an item that begins with the mark. */

import { TaskSlots } from '../../../src/engine/slots.ts';
import type { PingTask, Task, TaskAnswer } from '../../../src/engine/task.ts';
import { handleTask as handle } from '../../../src/engine/worker.ts';

/** First bytes of work that ends the thread. */
const MARK = Buffer.from('end this thread!');

function isMarked(task: Task | PingTask): boolean {
  if (task.kind === 'ping') return false;
  if (task.kind === 'call') return task.items.some((item) => MARK.equals(item.subarray(0, MARK.length)));
  const { batch } = new TaskSlots(task.chunks, task.slots, task.stride, task.inputCount);
  return Buffer.from(batch).includes(MARK);
}

/** Does a task as the engine's worker does, or ends after beginning it. */
export async function handleTask(task: Task | PingTask): Promise<TaskAnswer | number> {
  if (!isMarked(task)) return await handle(task);
  // Begin it, so that the main thread knows that a thread held the task.
  await handle(task);
  process.exit(17);
}
