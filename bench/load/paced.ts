import { setTimeout as pause } from 'node:timers/promises';

/** An open loop: operations start at a fixed rate, whether or not earlier ones have ended. */
export interface Pace {
  readonly perSecond: number;
  readonly warmUpMs: number;
  /** Measured time after the warm-up. */
  readonly measuredMs: number;
  /** Total number of operations. */
  readonly count: number;
}

/** Makes a pace of `perSecond` operations per second. */
export function paceOf(perSecond: number, warmUpMs: number, measuredMs: number): Pace {
  const count = Math.floor((perSecond * (warmUpMs + measuredMs)) / 1000);
  return { perSecond, warmUpMs, measuredMs, count };
}

const TICK_MS = 1;

/**
 * Starts the operations of the pace at their times, in steps of a millisecond, and waits for all of them.
 *
 * @param operation - Called with its number and `isMeasured`, which tells at its end whether that is in the
 *   measured time.
 */
export async function paced(
  pace: Pace,
  operation: (index: number, isMeasured: () => boolean) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  const isMeasured = (): boolean => elapsed() >= pace.warmUpMs && elapsed() < pace.warmUpMs + pace.measuredMs;
  const running: Promise<void>[] = [];
  while (running.length < pace.count) {
    const due = Math.min(pace.count, Math.floor((elapsed() * pace.perSecond) / 1000));
    while (running.length < due) running.push(operation(running.length, isMeasured));
    await pause(TICK_MS);
  }
  await Promise.all(running);
}
