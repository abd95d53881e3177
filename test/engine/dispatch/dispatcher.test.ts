import { describe, expect, it } from 'vitest';
import { CallLane } from '../../../src/engine/dispatch/call-lane.ts';
import { Dispatcher } from '../../../src/engine/dispatch/dispatcher.ts';
import type { KeyOfProofs } from '../../../src/engine/dispatch/proof-lane.ts';
import type { VerifyOptions } from '../../../src/engine/engine.ts';
import type { EngineEvent } from '../../../src/engine/pool/executor.ts';
import { Answers, from, plainKey, rowOf } from '../support/proof-bench.ts';
import { type HeldProofs, type RunningCalls, ScriptedExecutor } from '../support/scripted-executor.ts';
import { until } from '../support/until.ts';

const limits = { maxQueue: 1000, maxBatch: 64, maxBatchDelayMs: 0 };
const FALSE = 1;

class Bench {
  readonly executor: ScriptedExecutor;
  readonly events: EngineEvent[] = [];
  readonly dispatcher: Dispatcher;
  readonly answers = new Answers();
  readonly calls = new Answers();

  constructor(threads: number, changes: Partial<typeof limits> = {}) {
    const { maxBatch } = { ...limits, ...changes };
    this.executor = new ScriptedExecutor(threads, maxBatch);
    this.dispatcher = new Dispatcher(this.executor, { ...limits, ...changes }, (event) =>
      this.events.push(event),
    );
  }

  add(key: KeyOfProofs, values: readonly number[], options: VerifyOptions = {}): void {
    for (const value of values) {
      const { answers, dispatcher } = this;
      dispatcher.addProof(key, rowOf(value), options, answers, value);
    }
  }

  call(lane: CallLane, value: number): void {
    const note = (ok: boolean): void => this.calls.verdict(value, { ok });
    this.dispatcher.addCall(
      lane.item(
        Uint8Array.of(value),
        () => note(true),
        () => note(false),
      ),
    );
  }

  /** The next tray, once there is one; a thread holds it from then on. */
  async next(): Promise<HeldProofs> {
    let held: HeldProofs | undefined;
    await until(() => {
      held = this.executor.take();
      return held !== undefined;
    });
    return held as HeldProofs;
  }

  async nextCalls(): Promise<RunningCalls> {
    await until(() => this.executor.running.length > 0);
    return this.executor.running[0] as RunningCalls;
  }
}

const [a, b] = ['a', 'b'].map((name) => plainKey(name)) as [KeyOfProofs, KeyOfProofs];

/** One thread, which works on 0; its next batch, of 1, is laid out. */
async function benchWithNextBatch(): Promise<Bench> {
  const bench = new Bench(1);
  for (const value of [0, 1]) {
    bench.add(a, [value]);
    await Promise.resolve();
    expect(bench.dispatcher.depth).toBe(0);
    if (value === 0) expect(bench.executor.take()?.values).toEqual([0]);
  }
  return bench;
}

describe('the dispatcher of the engine', () => {
  it('lays out what arrives in one turn as one batch, and at once', async () => {
    const bench = new Bench(1);
    bench.add(a, [1, 2, 3]);
    await Promise.resolve();
    const first = bench.executor.take();
    expect([first?.values, bench.executor.draining]).toEqual([[1, 2, 3], 1]);
    first?.done((value) => (value === 2 ? FALSE : 0));
    await until(() => bench.answers.size === 3);
    expect(Object.fromEntries(bench.answers)).toEqual({ 1: true, 2: false, 3: true });
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, verified: 3, poisoned: 0 });
    expect(bench.dispatcher.stats.batchSize.snapshot()).toMatchObject({ count: 1, sum: 3 });
    expect(bench.dispatcher.stats.queueWaitSeconds.snapshot().count).toBe(3);
  });

  it('has a batch ready when a thread ends another, with all that came by then', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    const first = await bench.next();
    for (const value of [2, 3, 4]) {
      bench.add(a, [value]);
      await Promise.resolve();
    }
    // no turn of the event loop between the two
    first.done();
    const second = bench.executor.take();
    expect(second?.values).toEqual([2, 3, 4]);
    bench.add(a, [5]);
    second?.done();
    const third = await bench.next();
    third.done();
    await until(() => bench.answers.size === 5);
    expect(bench.executor.draining).toBe(1);
  });

  it('never leaves a thread idle while something waits', async () => {
    const bench = new Bench(3);
    bench.add(a, [1, 2]);
    await Promise.resolve();
    expect(bench.executor.draining).toBe(2);
    bench.add(a, [3]);
    await Promise.resolve();
    expect(bench.executor.draining).toBe(3);
    const held = [1, 2, 3].map(() => bench.executor.take()?.values);
    expect(held).toEqual([[1], [2], [3]]);
  });

  it('lays out at the end of the turn what comes while every thread has its next batch', async () => {
    const bench = await benchWithNextBatch();
    for (const value of [2, 3]) {
      bench.add(a, [value]);
      await Promise.resolve();
    }
    expect(bench.dispatcher.depth).toBe(2);
    await new Promise(setImmediate);
    expect(bench.dispatcher.depth).toBe(0);
    expect(bench.executor.take()?.values).toEqual([1, 2, 3]);
  });

  it('does not wait for the end of the turn once sixteen proofs came', async () => {
    const bench = await benchWithNextBatch();
    const more = Array.from({ length: 16 }, (_, index) => index + 2);
    for (const value of more) {
      bench.add(a, [value]);
      await Promise.resolve();
      expect(bench.dispatcher.depth).toBe(value === more.at(-1) ? 0 : value - 1);
    }
    expect(bench.executor.take()?.values).toEqual([1, ...more]);
  });

  it('shares what waits among idle threads, and lays the rest out ahead', async () => {
    const bench = new Bench(2);
    bench.add(
      a,
      Array.from({ length: 150 }, (_, index) => index),
    );
    await Promise.resolve();
    const sizes = [1, 2, 3].map(() => bench.executor.take()?.values.length);
    expect([sizes, bench.dispatcher.depth]).toEqual([[64, 64, 22], 0]);
  });

  it('gives a thread that came back a task again when something is laid out', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    (await bench.next()).done();
    await until(() => bench.answers.size === 1);
    bench.executor.comeBack();
    await until(() => bench.executor.draining === 0);
    bench.add(a, [2]);
    await Promise.resolve();
    expect(bench.executor.draining).toBe(1);
    // it comes back because the main thread was late, with the tray still open
    bench.executor.comeBack();
    await until(() => bench.executor.draining === 1);
    (await bench.next()).done();
    await until(() => bench.answers.size === 2);
  });

  it('drops what nobody waits for any more before it is laid out', async () => {
    const bench = new Bench(1, { maxBatch: 1 });
    const controller = new AbortController();
    const key = plainKey('one by one', 1);
    bench.add(key, [1]);
    const first = await bench.next();
    bench.add(key, [2]);
    bench.add(key, [3, 4], { signal: controller.signal });
    bench.add(key, [5]);
    await Promise.resolve();
    controller.abort();
    first.done();
    for (let count = 0; count < 2; count += 1) (await bench.next()).done();
    await until(() => bench.answers.size === 5);
    expect(Object.fromEntries(bench.answers)).toEqual({
      ...{ 1: true, 2: true, 5: true },
      ...{ 3: 'engine.cancelled', 4: 'engine.cancelled' },
    });
  });

  it('batches a source apart as soon as one of its proofs was false', async () => {
    const bench = new Bench(1);
    bench.add(a, [1, 2], from('bad'));
    bench.add(a, [3], from('good'));
    const first = await bench.next();
    bench.add(a, [4], from('good'));
    first.done((value) => (value === 2 ? FALSE : 0));
    await until(() => bench.answers.size === 3);
    (await bench.next()).done();
    bench.add(a, [5, 6], from('bad'));
    bench.add(a, [7, 8], from('good'));
    const batches = [await bench.next(), await bench.next()].map(({ values }) => values);
    expect(batches.sort()).toEqual([
      [5, 6],
      [7, 8],
    ]);
  });

  it('has the proofs of a suspect checked one by one while many of them are bad', async () => {
    const bench = new Bench(1);
    const runs = async (byte: number): Promise<boolean> => {
      last += 1;
      bench.add(a, [last], from('bad'));
      const held = await bench.next();
      held.done(() => byte);
      await until(() => bench.answers.size === last);
      return held.singly;
    };
    let last = 0;
    expect([await runs(FALSE), await runs(FALSE), await runs(0)]).toEqual([false, true, true]);
    let singly = true;
    for (let count = 0; count < 24; count += 1) singly = await runs(0);
    expect(singly).toBe(false);
    bench.add(a, [last + 1], from('good'));
    expect((await bench.next()).singly).toBe(false);
  });

  it('counts a proof outside the subgroup like a false one, and one refused before the pairing not', async () => {
    const bench = new Bench(1);
    const [NOT_IN_SUBGROUP, COORDINATE_RANGE] = [5, 3];
    bench.add(a, [1], from('outside'));
    bench.add(a, [2], from('out of range'));
    (await bench.next()).done((value) => (value === 1 ? NOT_IN_SUBGROUP : COORDINATE_RANGE));
    await until(() => bench.answers.size === 2);
    bench.add(a, [3], from('outside'));
    bench.add(a, [4], from('out of range'));
    bench.add(a, [5]);
    const batches = [await bench.next(), await bench.next()].map(({ values }) => values);
    expect(batches.sort()).toEqual([[3], [4, 5]]);
  });

  it('waits for a thread when none is ready, and drains only when all is answered', async () => {
    const bench = new Bench(0);
    bench.add(a, [1]);
    let isDrained = false;
    const drained = bench.dispatcher.drain().then(() => {
      isDrained = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([bench.executor.draining, bench.executor.take()]).toEqual([0, undefined]);
    bench.executor.readyCount = 1;
    bench.executor.listener?.ready();
    const held = await bench.next();
    held.die();
    bench.executor.comeBack(false);
    await until(() => bench.events.length === 1);
    expect(isDrained).toBe(false);
    (await bench.next()).done();
    await drained;
    expect(bench.answers.get(1)).toBe(true);
  });

  it('drains at once when there is nothing to do', async () => {
    await new Bench(1).dispatcher.drain();
  });

  it('refuses all that waits, lies ready or is lost when no thread can start any more', async () => {
    const bench = new Bench(1, { maxBatch: 1 });
    bench.add(plainKey('one by one', 1), [1, 2, 3, 4]);
    const held = await bench.next();
    bench.call(new CallLane({ call: 'poseidon' }), 9);
    bench.executor.readyCount = 0;
    bench.executor.listener?.failed('the file is gone');
    expect(bench.answers.size).toBe(3);
    held.die();
    expect(new Set(bench.answers.values())).toEqual(new Set(['engine.worker_failed']));
    expect([...bench.answers.keys()].sort()).toEqual([1, 2, 3, 4]);
    expect(bench.calls.get(9)).toBe(false);
    expect(bench.dispatcher.failure).toBe('the file is gone');
    expect(bench.dispatcher.stats.running).toBe(0);
    await bench.dispatcher.drain();
  });

  it('with a delay, lays out an incomplete batch when its time has come and a full one at once', async () => {
    const bench = new Bench(2, { maxBatch: 3, maxBatchDelayMs: 5 });
    const [slow, full] = [plainKey('slow', 3), plainKey('full', 3)];
    bench.add(slow, [1]);
    await Promise.resolve();
    expect(bench.executor.take()).toBeUndefined();
    expect((await bench.next()).values).toEqual([1]);
    bench.add(full, [2, 3, 4]);
    await Promise.resolve();
    expect(bench.executor.take()?.values).toEqual([2, 3, 4]);
  });
});

describe('proofs whose thread is lost', () => {
  it('run once more, then each by itself', async () => {
    const bench = new Bench(1);
    bench.add(a, [1, 2, 3]);
    (await bench.next()).die();
    const again = await bench.next();
    expect(again.values).toEqual([1, 2, 3]);
    again.fault('unreachable');
    for (const value of [1, 2, 3]) {
      const single = await bench.next();
      expect(single.values).toEqual([value]);
      single.done();
    }
    await until(() => bench.answers.size === 3);
    expect([...bench.answers.values()]).toEqual([true, true, true]);
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, verified: 3, poisoned: 0 });
    expect(bench.events).toMatchObject([{ reason: 'the thread ended' }, { reason: 'unreachable' }]);
  });

  it('are refused when they lose a thread twice by themselves, and their companions are answered', async () => {
    const bench = new Bench(2);
    bench.add(a, [1, 2, 3, 4, 5, 6], from('bad'));
    while (bench.answers.size < 6) {
      const held = await bench.next();
      if (held.values.includes(5)) held.die();
      else held.done();
      await Promise.resolve();
    }
    expect(Object.fromEntries(bench.answers)).toEqual({
      ...{ 1: true, 2: true, 3: true, 4: true, 6: true },
      5: 'engine.poison',
    });
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, poisoned: 1 });
    expect(bench.events.filter(({ event }) => event === 'engine.poisoned')).toHaveLength(1);
  });

  it('are not blamed for a thread that died before it took them', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    for (let round = 0; round < 10; round += 1) {
      await until(() => bench.executor.draining === 1);
      bench.executor.listener?.ended(100 + round);
      bench.executor.comeBack(false);
      await until(() => bench.executor.draining === 0);
    }
    (await bench.next()).done();
    await until(() => bench.answers.size === 1);
    expect([bench.answers.get(1), bench.events]).toEqual([true, []]);
  });

  it('keep their tray until the thread has ended, while the others go on', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    const lost = await bench.next();
    bench.executor.comeBack(false);
    bench.add(b, [2]);
    (await bench.next()).done();
    await until(() => bench.answers.size === 1);
    // what it leaves before its end still counts
    lost.done();
    lost.die();
    await until(() => bench.answers.size === 2);
    expect(bench.events).toEqual([]);
  });
});

describe('calls beside proofs', () => {
  const poseidon = new CallLane({ call: 'poseidon' });

  it('go to a free thread at once', async () => {
    const bench = new Bench(2);
    bench.add(a, [1]);
    await bench.next();
    bench.call(poseidon, 5);
    bench.call(poseidon, 6);
    const calls = await bench.nextCalls();
    expect([calls.values, bench.executor.isCalled()]).toEqual([[5, 6], false]);
    calls.done();
    await until(() => bench.calls.size === 2);
  });

  it('call one thread back when all of them drain, and run when it is there', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    const held = await bench.next();
    bench.add(a, [2]);
    bench.call(poseidon, 5);
    await Promise.resolve();
    expect(bench.executor.isCalled()).toBe(true);
    held.done();
    bench.executor.comeBack();
    (await bench.nextCalls()).done();
    await until(() => bench.calls.size === 1 && bench.executor.draining === 1);
    (await bench.next()).done();
    await until(() => bench.answers.size === 2);
  });

  it('do not wait in the queue for a thread that has nothing to do', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    (await bench.next()).done();
    await until(() => bench.answers.size === 1);
    bench.call(poseidon, 5);
    await Promise.resolve();
    expect([bench.executor.draining, bench.dispatcher.depth, bench.dispatcher.stats.running]).toEqual([
      1, 0, 1,
    ]);
    bench.executor.comeBack();
    (await bench.nextCalls()).done();
    await until(() => bench.calls.size === 1);
  });

  it('take turns with proofs on the only thread', async () => {
    const bench = new Bench(1, { maxBatch: 1 });
    const key = plainKey('one by one', 1);
    const seen: string[] = [];
    bench.add(key, [1, 2, 3]);
    for (const value of [4, 5, 6]) bench.call(poseidon, value);
    for (let step = 0; step < 6; step += 1) {
      await until(() => bench.executor.draining + bench.executor.running.length > 0);
      const [calls] = bench.executor.running;
      seen.push(calls ? 'call' : 'proof');
      if (calls) calls.done();
      else {
        (await bench.next()).done();
        if (bench.executor.isCalled()) bench.executor.comeBack();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toEqual(['call', 'proof', 'call', 'proof', 'call', 'proof']);
    await until(() => bench.answers.size + bench.calls.size === 6);
  });

  it('run again when their thread is lost, and are refused when they lose it again and again', async () => {
    const bench = new Bench(1);
    bench.call(poseidon, 5);
    (await bench.nextCalls()).lost(false);
    await until(() => bench.executor.running.length === 0);
    for (let round = 0; round < 2; round += 1) {
      (await bench.nextCalls()).lost(true);
      await until(() => bench.executor.running.length === 0);
    }
    await until(() => bench.calls.size === 1);
    expect([bench.calls.get(5), bench.dispatcher.stats.poisoned]).toEqual([false, 1]);
  });
});
