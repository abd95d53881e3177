// Rules: spec/sign-in.md#key-states
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRotationTimer } from '../../../src/oidc/keys/rotation.ts';
import { gate } from '../../support/gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('rotation timer', () => {
  it('looks immediately, then when the rotation is due', async () => {
    const looks: number[] = [];
    const start = Date.now();
    const timer = createRotationTimer({
      rotateIfDue: async () => void looks.push(Date.now() - start),
      dueInMs: async () => 40_000,
      onFailed: () => undefined,
    });
    timer.start();
    await vi.advanceTimersByTimeAsync(80_000);
    await timer.stop();
    expect(looks).toEqual([0, 40_000, 80_000]);
  });

  it.each([
    ['at least once a minute, since another process may have changed the keys', 10_000_000, 60_000],
    ['at least once a minute if no rotation is planned', undefined, 60_000],
    ['at most once a second, however overdue', -5000, 1000],
  ])('looks %s', async (_rule, dueMs, every) => {
    let looks = 0;
    const timer = createRotationTimer({
      rotateIfDue: async () => void looks++,
      dueInMs: async () => dueMs,
      onFailed: () => undefined,
    });
    timer.start();
    await vi.advanceTimersByTimeAsync(3 * every);
    await timer.stop();
    expect(looks).toBe(4);
  });

  it('reports a failure and continues', async () => {
    const failures: unknown[] = [];
    let looks = 0;
    const timer = createRotationTimer({
      async rotateIfDue() {
        looks++;
        if (looks === 1) throw new Error('no store');
      },
      dueInMs: async () => undefined,
      onFailed: (error) => void failures.push(error),
    });
    timer.start();
    await vi.advanceTimersByTimeAsync(60_000);
    await timer.stop();
    expect(failures).toHaveLength(1);
    expect(looks).toBe(2);
  });

  it('stops after the look in flight, and schedules no other', async () => {
    const look = gate<void>();
    let looks = 0;
    const timer = createRotationTimer({
      rotateIfDue() {
        looks++;
        return look.promise;
      },
      dueInMs: async () => 1000,
      onFailed: () => undefined,
    });
    timer.start();
    let isStopped = false;
    const stopped = timer.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(isStopped).toBe(false);
    look.open();
    await stopped;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(looks).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
