// Rules: spec/operations.md#health
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHealth, type Health, type HealthSettings } from '../../src/observability/health.ts';

function healthOf(settings: HealthSettings): Health {
  const health = createHealth(settings);
  onTestFinished(() => health.stop());
  return health;
}

const passes = (): undefined => undefined;

describe('readiness', () => {
  it('is false before the start, true when every check passes, and false once draining', async () => {
    const health = healthOf({ checks: { store: passes, engine: async () => 'native, 2 workers' } });
    expect(health.isReady).toBe(false);
    expect(health.report()).toEqual({
      status: 'unavailable',
      checks: { store: { status: 'pending', ageMs: null }, engine: { status: 'pending', ageMs: null } },
    });
    await health.refresh();
    expect(health.isReady).toBe(false);
    await health.start();
    expect(health.isReady).toBe(true);
    health.setDraining();
    expect(health.isReady).toBe(false);
    expect(health.report()).toMatchObject({ status: 'unavailable', draining: true });
  });

  it('is false while a check throws or rejects, and recovers', async () => {
    let fault: string | undefined;
    const health = healthOf({
      checks: {
        store: () => {
          if (fault === 'throw') throw new Error('not writable');
          return undefined;
        },
        engine: () => (fault === 'reject' ? Promise.reject(new Error('no worker')) : undefined),
      },
    });
    await health.start();
    expect(health.isReady).toBe(true);
    fault = 'throw';
    await health.refresh('store');
    expect(health.report().checks.store).toMatchObject({ status: 'failed', detail: 'not writable' });
    expect(health.isReady).toBe(false);
    fault = 'reject';
    await health.refresh();
    expect(health.report().checks).toMatchObject({
      store: { status: 'ok' },
      engine: { status: 'failed', detail: 'no worker' },
    });
    fault = undefined;
    await health.refresh();
    expect(health.isReady).toBe(true);
  });

  it('is false when a check hangs, because its last result becomes stale', async () => {
    let now = 0;
    let hangs = false;
    const health = healthOf({
      checks: { store: () => (hangs ? new Promise(() => {}) : undefined) },
      now: () => now,
      staleAfterMs: 100,
    });
    await health.start();
    hangs = true;
    void health.refresh();
    now = 100;
    expect(health.isReady).toBe(true);
    now = 101;
    expect(health.isReady).toBe(false);
    expect(health.report().checks.store).toEqual({
      status: 'failed',
      ageMs: 101,
      detail: 'the check does not end',
    });
  });

  it('stays true when the time of the machine is set', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const health = healthOf({ checks: { store: passes } });
    await health.start();
    vi.setSystemTime(86_400_000);
    expect(health.isReady).toBe(true);
  });

  it('repeats checks, one run at a time, and reports changes of readiness', async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let runs = 0;
    let end: () => void = () => {};
    const changes: boolean[] = [];
    const health = healthOf({
      checks: {
        store: () => {
          runs++;
          if (runs === 2) throw new Error('down for once');
          if (runs !== 4) return undefined;
          return new Promise<undefined>((resolve) => {
            end = () => resolve(undefined);
          });
        },
      },
      intervalMs: 1000,
      onChange: (isReady) => changes.push(isReady),
    });
    await health.start();
    expect([runs, changes]).toEqual([1, [true]]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([runs, changes]).toEqual([2, [true, false]]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([runs, changes]).toEqual([3, [true, false, true]]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(runs).toBe(4);
    end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toBe(5);
    health.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toBe(5);
  });
});
