import { setTimeout as pause } from 'node:timers/promises';

/** A steady offer of work, whether or not it is answered in time. */
export interface Pace {
  readonly perSecond: number;
  readonly warmUpMs: number;
  /** Behind the warm-up. */
  readonly measuredMs: number;
  /** Operations in all. */
  readonly count: number;
}

/** A pace of so many operations by the second. */
export function paceOf(perSecond: number, warmUpMs: number, measuredMs: number): Pace {
  const count = Math.floor((perSecond * (warmUpMs + measuredMs)) / 1000);
  return { perSecond, warmUpMs, measuredMs, count };
}

const TICK_MS = 1;

/**
 * Starts the operations of the pace at their times, a millisecond's worth together, and waits for all of them.
 *
 * @param operation - gets its number and a question to ask when it is done: whether that lies in the measured time.
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
