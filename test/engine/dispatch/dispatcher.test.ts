// Rules: spec/engine.md#batching and spec/engine.md#lost-batches
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/engine/engine.ts';
import { until } from '../../support/until.ts';
import { a, Bench, b, benchWithNextBatch, busyBench } from '../support/dispatcher-bench.ts';
import { from, plainKey, statementOf } from '../support/proof-bench.ts';
import { FALSE_BYTE, VALID_BYTE } from '../support/scripted-executor.ts';

describe('the dispatcher of the engine', () => {
  it('immediately builds one batch of the proofs that arrive in one turn', async () => {
    const bench = new Bench(1);
    bench.add(a, [1, 2, 3]);
    await Promise.resolve();
    const first = bench.executor.take();
    expect([first?.values, bench.executor.serving]).toEqual([[1, 2, 3], 1]);
    first?.done((value) => (value === 2 ? FALSE_BYTE : VALID_BYTE));
    await until(() => bench.answers.size === 3);
    expect(Object.fromEntries(bench.answers)).toEqual({ 1: true, 2: false, 3: true });
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, verified: 3, poisoned: 0 });
    expect(bench.dispatcher.stats.batchSize.sample()).toMatchObject({ count: 1, sum: 3 });
    expect(bench.dispatcher.stats.queueWaitSeconds.sample().count).toBe(3);
  });

  it('has a batch of everything that arrived ready when a thread completes its current one', async () => {
    const { bench, held: first } = await busyBench();
    for (const value of [2, 3, 4]) {
      bench.add(a, [value]);
      await Promise.resolve();
    }
    // without a turn of the event loop in between
    first.done();
    const second = bench.executor.take();
    expect(second?.values).toEqual([2, 3, 4]);
    bench.add(a, [5]);
    second?.done();
    const third = await bench.next();
    third.done();
    await until(() => bench.answers.size === 5);
    expect(bench.executor.serving).toBe(1);
  });

  it('never leaves a thread idle while proofs wait', async () => {
    const bench = new Bench(3);
    bench.add(a, [1, 2]);
    await Promise.resolve();
    expect(bench.executor.serving).toBe(2);
    bench.add(a, [3]);
    await Promise.resolve();
    expect(bench.executor.serving).toBe(3);
    const held = [1, 2, 3].map(() => bench.executor.take()?.values);
    expect(held).toEqual([[1], [2], [3]]);
  });

  it('builds batches at the end of the turn while every thread already has its next batch', async () => {
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

  it('does not wait for the end of the turn once sixteen proofs have arrived', async () => {
    const bench = await benchWithNextBatch();
    const more = Array.from({ length: 16 }, (_, index) => index + 2);
    for (const value of more) {
      bench.add(a, [value]);
      await Promise.resolve();
      expect(bench.dispatcher.depth).toBe(value === more.at(-1) ? 0 : value - 1);
    }
    expect(bench.executor.take()?.values).toEqual([1, ...more]);
  });

  it('distributes waiting proofs among idle threads, and prepares the rest as the next batch', async () => {
    const bench = new Bench(2);
    bench.add(
      a,
      Array.from({ length: 150 }, (_, index) => index),
    );
    await Promise.resolve();
    const sizes = [1, 2, 3].map(() => bench.executor.take()?.values.length);
    expect([sizes, bench.dispatcher.depth]).toEqual([[64, 64, 22], 0]);
  });

  it('starts a new task on a returned thread when a batch is ready', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    (await bench.next()).done();
    await until(() => bench.answers.size === 1);
    bench.executor.return();
    await until(() => bench.executor.serving === 0);
    bench.add(a, [2]);
    await Promise.resolve();
    expect(bench.executor.serving).toBe(1);
    // it returns because the main thread was late, while the slot is still published
    bench.executor.return();
    await until(() => bench.executor.serving === 1);
    (await bench.next()).done();
    await until(() => bench.answers.size === 2);
  });

  it('drops cancelled proofs before they enter a batch', async () => {
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
      1: true,
      2: true,
      5: true,
      3: 'engine.cancelled',
      4: 'engine.cancelled',
    });
  });

  it('batches a source separately as soon as one of its proofs was false', async () => {
    const bench = new Bench(1);
    bench.add(a, [1, 2], from('bad'));
    bench.add(a, [3], from('good'));
    const first = await bench.next();
    bench.add(a, [4], from('good'));
    first.done((value) => (value === 2 ? FALSE_BYTE : VALID_BYTE));
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

  it('checks the proofs of a suspected source one by one while many of them are false', async () => {
    const bench = new Bench(1);
    const runs = async (byte: number): Promise<boolean> => {
      last += 1;
      bench.add(a, [last], from('bad'));
      const held = await bench.next();
      held.done(() => byte);
      await until(() => bench.answers.size === last);
      return held.separately;
    };
    let last = 0;
    expect([await runs(FALSE_BYTE), await runs(FALSE_BYTE), await runs(VALID_BYTE)]).toEqual([
      false,
      true,
      true,
    ]);
    let separately = true;
    for (let count = 0; count < 24; count += 1) separately = await runs(VALID_BYTE);
    expect(separately).toBe(false);
    bench.add(a, [last + 1], from('good'));
    expect((await bench.next()).separately).toBe(false);
  });

  it('counts a proof outside the subgroup as false, but not one refused before the pairing', async () => {
    const bench = new Bench(1);
    const [NOT_IN_SUBGROUP, COORDINATE_RANGE] = [6, 4];
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

  it('waits for a thread when none is ready, and drains only when everything is answered', async () => {
    const bench = new Bench(0);
    bench.add(a, [1]);
    let isDrained = false;
    const drained = bench.dispatcher.drain().then(() => {
      isDrained = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([bench.executor.serving, bench.executor.take()]).toEqual([0, undefined]);
    bench.executor.readyCount = 1;
    bench.executor.listener?.ready();
    const held = await bench.next();
    held.die();
    bench.executor.return(false);
    await until(() => bench.events.length === 1);
    expect(isDrained).toBe(false);
    (await bench.next()).done();
    await drained;
    expect(bench.answers.get(1)).toBe(true);
  });

  it('drains immediately when there is nothing to do', async () => {
    await new Bench(1).dispatcher.drain();
  });

  it('refuses all waiting, prepared and lost work when no thread can start', async () => {
    const bench = new Bench(1, { maxBatch: 1 });
    bench.add(plainKey('one by one', 1), [1, 2, 3, 4]);
    const held = await bench.next();
    bench.call({ call: 'poseidon' }, 9);
    bench.executor.readyCount = 0;
    bench.executor.listener?.failed('the file is gone');
    expect(bench.answers.size).toBe(3);
    held.die();
    expect(new Set(bench.answers.values())).toEqual(new Set(['engine.worker_failed']));
    expect([...bench.answers.keys()].sort()).toEqual([1, 2, 3, 4]);
    expect(bench.calls.get(9)).toBe('engine.worker_failed');
    expect(bench.dispatcher.failure).toBe('the file is gone');
    expect(bench.dispatcher.stats.running).toBe(0);
    await bench.dispatcher.drain();
  });

  it('with a delay, builds an incomplete batch after the delay and a full one immediately', async () => {
    const bench = new Bench(2, { maxBatch: 3, maxBatchDelayMs: 200 });
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
  it('run once more together, then each alone', async () => {
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

  it('are refused when they lose a thread twice while running alone, and the rest of the batch is answered', async () => {
    const bench = new Bench(2);
    bench.add(a, [1, 2, 3, 4, 5, 6], from('bad'));
    while (bench.answers.size < 6) {
      const held = await bench.next();
      if (held.values.includes(5)) held.die();
      else held.done();
      await Promise.resolve();
    }
    expect(Object.fromEntries(bench.answers)).toEqual({
      1: true,
      2: true,
      3: true,
      4: true,
      6: true,
      5: 'engine.poison',
    });
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, poisoned: 1 });
    expect(bench.events.filter(({ event }) => event === 'engine.poisoned')).toHaveLength(1);
  });

  it('run again without new proofs in their batch, so that poison is found under load', async () => {
    const bench = new Bench(1);
    bench.add(a, [1, 2, 3]);
    let next = 100;
    let lost = 0;
    while (!bench.answers.has(2)) {
      bench.add(a, [next, next + 1]);
      next += 2;
      const held = await bench.next();
      bench.add(a, [next]);
      next += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (held.values.includes(2)) {
        lost += 1;
        held.die();
      } else held.done();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([bench.answers.get(2), lost]).toEqual(['engine.poison', 4]);
  });

  it('are answered when a receiver closes the engine', async () => {
    const bench = new Bench(2);
    bench.add(a, [1]);
    await Promise.resolve();
    const held = await bench.next();
    bench.add(b, [2]);
    const other = await bench.next();
    let drained: Promise<void> | undefined;
    const { answers, dispatcher } = bench;
    const receiver = {
      verdict: (index: number, verdict: Verdict) => {
        drained ??= dispatcher.drain();
        answers.verdict(index, verdict);
      },
      failed: () => undefined,
    };
    dispatcher.addProof(a, statementOf(3), {}, receiver, 3);
    held.done();
    (await bench.next()).done();
    await until(() => answers.size === 2);
    let isDrained = false;
    void drained?.then(() => {
      isDrained = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDrained).toBe(false);
    other.done();
    await drained;
    expect(answers.get(2)).toBe(true);
  });

  it('are not blamed for a thread that ended before it took them', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    for (let round = 0; round < 10; round += 1) {
      await until(() => bench.executor.serving === 1);
      bench.executor.listener?.ended(100 + round);
      bench.executor.return(false);
      await until(() => bench.executor.serving === 0);
    }
    (await bench.next()).done();
    await until(() => bench.answers.size === 1);
    expect([bench.answers.get(1), bench.events]).toEqual([true, []]);
  });

  it('keep their slot until the thread has ended, while other slots continue', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    const lost = await bench.next();
    bench.executor.return(false);
    bench.add(b, [2]);
    (await bench.next()).done();
    await until(() => bench.answers.size === 1);
    // answers written before its end still count
    lost.done();
    lost.die();
    await until(() => bench.answers.size === 2);
    expect(bench.events).toEqual([]);
  });
});
