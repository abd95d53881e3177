import { getPriority, setPriority } from 'node:os';

const STEPS = 5;
const LOWEST = 19;
const THIS_THREAD = 0;

/**
 * Lowers this thread's priority relative to the other threads of its process, to about a third of an equal
 * share of a core. Proofs that wait for a worker only make its next batch larger, but clients wait for the
 * main thread. Only Linux has priorities per thread.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(THIS_THREAD, Math.min(getPriority(THIS_THREAD) + STEPS, LOWEST));
  } catch {
    // A sandbox may forbid it, which costs some speed and nothing else.
  }
}
