import { describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/engine/dispatch.ts';
import type { EngineEvent } from '../../src/engine/executor.ts';
import { PlainLane } from './support/plain-lane.ts';
import { type RunningTask, ScriptedExecutor } from './support/scripted-executor.ts';
import { until } from './support/until.ts';

const limits = { maxQueue: 1000, maxBatch: 64, maxBatchDelayMs: 0 };

class Bench {
  readonly executor: ScriptedExecutor;
  readonly events: EngineEvent[] = [];
  readonly dispatcher: Dispatcher;

  constructor(threads: number, changes: Partial<typeof limits> = {}) {
    this.executor = new ScriptedExecutor(threads);
    this.dispatcher = new Dispatcher(this.executor, { ...limits, ...changes }, (event) =>
      this.events.push(event),
    );
  }

  add(lane: PlainLane, values: readonly number[]): void {
    for (const value of values) this.dispatcher.add(lane.item(value));
  }

  /** The oldest running task, once there is one. */
  async next(): Promise<RunningTask> {
    await until(() => this.executor.running.length > 0);
    return this.executor.running[0] as RunningTask;
  }
}

describe('the dispatcher of the engine', () => {
  it('sends what arrives in one turn as one task, and at once', async () => {
    const bench = new Bench(1);
    const lane = new PlainLane('a');
    bench.add(lane, [1, 2, 3]);
    await Promise.resolve();
    expect(bench.executor.running.map(({ values }) => values)).toEqual([[1, 2, 3]]);
    bench.add(lane, [4, 5]);
    await Promise.resolve();
    expect(bench.executor.running).toHaveLength(1);
    (await bench.next()).done();
    await until(() => lane.answers.size === 3);
    const second = await bench.next();
    expect(second.values).toEqual([4, 5]);
    second.done();
    await until(() => lane.answers.size === 5);
    expect([...lane.answers.values()]).toEqual(['done 1', 'done 2', 'done 3', 'done 4', 'done 5']);
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, verified: 5, poisoned: 0 });
    expect(bench.dispatcher.stats.batchSize.snapshot()).toMatchObject({ count: 2, sum: 5 });
  });

  it('never leaves a thread idle while something waits', async () => {
    const bench = new Bench(3);
    bench.add(new PlainLane('a'), [1, 2]);
    await Promise.resolve();
    expect(bench.executor.running.map(({ values }) => values)).toEqual([[1], [2]]);
    bench.add(new PlainLane('b'), [3]);
    await Promise.resolve();
    expect(bench.executor.running).toHaveLength(3);
  });

  it('runs a lost batch once more, then each member by itself', async () => {
    const bench = new Bench(1);
    const lane = new PlainLane('a');
    bench.add(lane, [1, 2, 3]);
    (await bench.next()).lost(true);
    await until(() => bench.executor.running.length === 0 || bench.events.length === 1);
    const again = await bench.next();
    expect(again.values).toEqual([1, 2, 3]);
    again.lost(true);
    for (const value of [1, 2, 3]) {
      await until(() => bench.executor.running[0]?.values.length === 1);
      const single = bench.executor.running[0] as RunningTask;
      expect(single.values).toEqual([value]);
      single.done();
      await until(() => lane.answers.has(value));
    }
    expect([...lane.answers.values()]).toEqual(['done 1', 'done 2', 'done 3']);
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, verified: 3, poisoned: 0 });
  });

  it('refuses what loses a thread twice by itself, and answers its companions', async () => {
    const bench = new Bench(2);
    const lane = new PlainLane('a');
    bench.add(lane, [1, 2, 3, 4, 5, 6]);
    while (lane.answers.size < 6) {
      const task = await bench.next();
      if (task.values.includes(5)) task.lost(true);
      else task.done();
      await Promise.resolve();
    }
    expect(Object.fromEntries(lane.answers)).toEqual({
      1: 'done 1',
      2: 'done 2',
      3: 'done 3',
      4: 'done 4',
      5: 'engine.poison',
      6: 'done 6',
    });
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, poisoned: 1 });
    expect(bench.events.filter(({ event }) => event === 'engine.poisoned')).toHaveLength(1);
  });

  it('does not blame a batch for a thread that died before it took the batch', async () => {
    const bench = new Bench(1);
    const lane = new PlainLane('a');
    bench.add(lane, [1]);
    for (let round = 0; round < 10; round += 1) {
      (await bench.next()).lost(false);
      await until(() => bench.executor.running.length === 0);
    }
    (await bench.next()).done();
    await until(() => lane.answers.size === 1);
    expect(lane.answers.get(1)).toBe('done 1');
  });

  it('waits for a thread when none is ready, and drains only when all is answered', async () => {
    const bench = new Bench(0);
    const lane = new PlainLane('a');
    bench.add(lane, [1]);
    let isDrained = false;
    const drained = bench.dispatcher.drain().then(() => {
      isDrained = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(bench.executor.running).toHaveLength(0);
    bench.executor.readyCount = 1;
    bench.executor.listener?.ready();
    (await bench.next()).lost(true);
    await until(() => bench.events.length === 1);
    expect(isDrained).toBe(false);
    (await bench.next()).done();
    await drained;
    expect(lane.answers.get(1)).toBe('done 1');
  });

  it('drains at once when there is nothing to do', async () => {
    await new Bench(1).dispatcher.drain();
  });

  it('refuses all that waits or is lost when no thread can start any more', async () => {
    const bench = new Bench(1, { maxBatch: 1 });
    const lane = new PlainLane('a');
    bench.add(lane, [1, 2, 3]);
    const running = await bench.next();
    bench.executor.readyCount = 0;
    bench.executor.listener?.failed('the file is gone');
    running.lost(true);
    await until(() => lane.answers.size === 3);
    expect(new Set(lane.answers.values())).toEqual(new Set(['engine.worker_failed']));
    expect(bench.dispatcher.failure).toBe('the file is gone');
    expect(bench.dispatcher.stats.running).toBe(0);
    await bench.dispatcher.drain();
  });

  it('with a delay, sends an incomplete batch when its time has come and a full one at once', async () => {
    const bench = new Bench(2, { maxBatch: 3, maxBatchDelayMs: 5 });
    const lane = new PlainLane('a');
    bench.add(lane, [1]);
    await Promise.resolve();
    expect(bench.executor.running).toHaveLength(0);
    const first = await bench.next();
    expect(first.values).toEqual([1]);
    const full = new PlainLane('b');
    for (const value of [2, 3, 4]) bench.dispatcher.add(full.item(value));
    await Promise.resolve();
    expect(bench.executor.running.map(({ lane: name }) => name)).toContain('b');
  });
});
