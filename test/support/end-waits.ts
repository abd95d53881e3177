import { onTestFinished, vi } from 'vitest';

/**
 * Ends timers of a length at once until the test has finished.
 *
 * @returns The number of them so far.
 */
export function endWaitsAtOnce(milliseconds: number): () => number {
  const { setTimeout: wait } = globalThis;
  let waits = 0;
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
    const isOne = ms === milliseconds;
    if (isOne) waits += 1;
    return wait(run, isOne ? 0 : ms);
  }) as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  return () => waits;
}
