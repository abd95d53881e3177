import { onTestFinished, vi } from 'vitest';

/**
 * Ends timers of a length at once until the test has finished.
 *
 * @returns The number of them so far.
 */
export function endWaitsAtOnce(milliseconds: number): () => number {
  const { setTimeout: wait } = globalThis;
  let waits = 0;
  const started = (
    run: (...values: unknown[]) => void,
    ms?: number,
    ...values: unknown[]
  ): NodeJS.Timeout => {
    const isOne = ms === milliseconds;
    if (isOne) waits += 1;
    // Node's fetch passes values to the functions of its timers.
    return wait(run, isOne ? 0 : ms, ...values);
  };
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(started as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  return () => waits;
}
