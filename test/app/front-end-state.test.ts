// Rules: spec/operations.md#health
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createFrontEndStates,
  type FrontEndState,
  frontEndHealthPart,
} from '../../src/app/parts/front-end-state.ts';
import { createServiceHealth } from '../../src/app/parts/health.ts';
import { Overload } from '../../src/http/limits/overload.ts';
import type { Health } from '../../src/observability/health.ts';
import type { Log } from '../../src/observability/log/log.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';

const READY: FrontEndState = { isReady: true, reason: '', overload: [] };

describe('a front end', () => {
  it('reports its readiness and overload when they change, and not otherwise', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let isFailing = false;
    const overload = new Overload();
    const reports: FrontEndState[] = [];
    const checks = {
      engine() {
        if (isFailing) throw new Error('no worker passed its self-test');
        return 'native-adx';
      },
      roots: { report: () => ({ status: 'off' }), isBlocking: () => false },
    };
    const part = frontEndHealthPart(checks, overload, (state) => reports.push(state));
    await part.start?.();
    expect(reports.splice(0)).toEqual([READY]);
    overload.refused('exchanges');
    overload.refused('exchanges');
    expect(reports.splice(0)).toEqual([{ ...READY, overload: ['exchanges'] }]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(reports).toEqual([]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(reports.splice(0)).toEqual([READY]);
    isFailing = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(reports.splice(0)).toEqual([
      { isReady: false, reason: 'engine: no worker passed its self-test', overload: [] },
    ]);
    await part.stop?.();
    isFailing = false;
    await vi.advanceTimersByTimeAsync(3000);
    expect(reports).toEqual([]);
  });
});

describe('the front ends of a service', () => {
  function serviceOf(configured: number): {
    states: ReturnType<typeof createFrontEndStates>;
    health: Health;
    changes: boolean[];
    check: () => Promise<unknown>;
  } {
    const overload = new Overload();
    const states = createFrontEndStates(configured, overload);
    const changes: boolean[] = [];
    const health = createServiceHealth({
      checks: { ...states.health },
      overload,
      log: { info: () => undefined, warn: () => undefined } as unknown as Log,
      onChange: (isReady) => changes.push(isReady),
    });
    onTestFinished(() => health.stop());
    const check = async (): Promise<unknown> => {
      await health.refresh();
      return health.report().checks.front_ends;
    };
    return { states, health, changes, check };
  }

  it('make the service ready once one of them is, and the others are named', async () => {
    const { states, health, changes, check } = serviceOf(3);
    await health.start();
    expect(await check()).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/^0 of 3 ready; /),
    });
    states.report(2, READY);
    expect(await check()).toMatchObject({
      status: 'ok',
      detail: '1 of 3 ready; front end 1: starting; front end 3: starting',
    });
    states.report(1, READY);
    states.report(3, { ...READY, isReady: false, reason: 'engine: no worker passed its self-test' });
    expect(await check()).toMatchObject({
      status: 'ok',
      detail: '2 of 3 ready; front end 3: engine: no worker passed its self-test',
    });
    states.report(3, READY);
    expect(await check()).toMatchObject({ status: 'ok', detail: '3 of 3 ready' });
    states.ended(1, 'given up');
    states.ended(2, 'restarting');
    states.ended(3, 'restarting');
    expect(await check()).toMatchObject({
      status: 'failed',
      detail: '0 of 3 ready; front end 1: given up; front end 2: restarting; front end 3: restarting',
    });
    expect(changes).toEqual([true, false]);
  });

  it('make the service not ready at once while one refuses requests because of overload', async () => {
    const { states, health, changes } = serviceOf(2);
    for (const frontEnd of [1, 2]) states.report(frontEnd, READY);
    await health.start();
    states.report(2, { ...READY, overload: ['exchanges'] });
    await expect.poll(() => changes).toEqual([true, false]);
    expect(health.report().checks.load).toMatchObject({
      detail: 'http.maxOpenExchanges requests are served',
    });
    states.ended(2, 'restarting');
    await health.refresh('load');
    expect(changes).toEqual([true, false, true]);
  });

  it('have metrics that say how many are missing and how often one was replaced', async () => {
    const { states } = serviceOf(2);
    const metrics = createMetrics('main');
    onTestFinished(() => metrics.close());
    metrics.setReaders(states.metrics === undefined ? [] : [states.metrics]);
    states.report(1, READY);
    for (let times = 0; times < 3; times++) states.ended(2, 'restarting');
    states.ended(2, 'given up');
    for (let scrapes = 0; scrapes < 2; scrapes++) {
      const page = await metrics.exposition();
      expect(page).toContain('proofgate_front_ends{state="configured"} 2\n');
      expect(page).toContain('proofgate_front_ends{state="ready"} 1\n');
      expect(page).toContain('proofgate_front_end_restarts_total 3\n');
    }
  });
});
