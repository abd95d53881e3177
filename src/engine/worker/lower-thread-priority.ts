import { getPriority, setPriority } from 'node:os';

const STEPS = 5;
const LEAST = 19;
const THIS_THREAD = 0;

/**
 * Has this thread give way to the other threads of its process where they want the same core: what waits for it
 * meanwhile makes its next batch larger, while what waits for the main thread is a client. About a third of an equal
 * share remains its own. Linux alone has priorities of threads.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(THIS_THREAD, Math.min(getPriority(THIS_THREAD) + STEPS, LEAST));
  } catch {
    // A sandbox may forbid it, which costs some speed and nothing else.
  }
}
