import type { WorkerSlots } from '../slots/worker-slots.ts';
import type { Performer } from './performer.ts';

/** Options of `serveSlots`. */
export interface ServeOptions {
  /** How long it sleeps for another batch before it returns; waking it costs less than giving it a task. */
  readonly lingerMs: number;
  /** Called before each look at the slots; a promise is awaited. */
  readonly beforeLook: () => Promise<void> | undefined;
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
  { lingerMs, beforeLook, notify }: ServeOptions,
): Promise<void> {
  let preferred: 'proofs' | 'calls' = 'calls';
  for (;;) {
    const pause = beforeLook();
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
