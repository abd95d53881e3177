// Rules: spec/operations.md#sweep
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Part } from '../../src/app/lifecycle.ts';
import { createSweeper } from '../../src/app/parts/sweeper.ts';

const STORAGE = { sweepIntervalSeconds: 60, sweepBatchRows: 100 } as const;
const silent = { error: vi.fn() };

type Sweep = (now: number, batchRows: number, signal?: AbortSignal) => Promise<Record<string, number>>;

describe('the sweeper', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    silent.error.mockClear();
  });
  afterEach(() => vi.useRealTimers());

  const start = (
    sweep: Sweep,
    storage: { sweepIntervalSeconds: number; sweepBatchRows: number } = STORAGE,
  ): Part => {
    const sweeper = createSweeper(storage as Parameters<typeof createSweeper>[0], { sweep }, silent, () => 7);
    void sweeper.start?.();
    return sweeper;
  };

  it('sweeps once per interval, and not again while a sweep runs', async () => {
    const sweep = vi.fn<Sweep>(() => new Promise(() => {}));
    start(sweep);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(sweep).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(sweep.mock.calls).toEqual([[7, 100, expect.any(AbortSignal)]]);
  });

  it('logs that a sweep failed, and sweeps again', async () => {
    const sweep = vi.fn<Sweep>(() => Promise.reject(new Error('disk')));
    const sweeper = start(sweep);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(silent.error).toHaveBeenCalledTimes(2);
    await sweeper.stop?.();
  });

  it('stops after the running batch, without an error', async () => {
    let endBatch = (): void => {};
    let batches = 0;
    const sweeper = start(async (_now, _rows, signal) => {
      while (signal?.aborted !== true) {
        batches++;
        await new Promise<void>((resolve) => {
          endBatch = resolve;
        });
      }
      return {};
    });
    await vi.advanceTimersByTimeAsync(60_000);
    let hasStopped = false;
    const stopped = Promise.resolve(sweeper.stop?.()).then(() => {
      hasStopped = true;
    });
    await vi.advanceTimersByTimeAsync(120_000);
    expect(hasStopped).toBe(false);
    endBatch();
    await stopped;
    expect(batches).toBe(1);
    expect(silent.error).not.toHaveBeenCalled();
  });

  it('does nothing with an interval of 0', async () => {
    const sweep = vi.fn<Sweep>(async () => ({}));
    const sweeper = start(sweep, { sweepIntervalSeconds: 0, sweepBatchRows: 100 });
    await vi.advanceTimersByTimeAsync(1e9);
    await sweeper.stop?.();
    expect(sweep).not.toHaveBeenCalled();
  });
});
