// Rules: spec/engine.md#order-and-fairness and spec/engine.md#lost-batches
import { describe, expect, it } from 'vitest';
import type { CallOperation } from '../../../src/engine/operation.ts';
import { until } from '../../support/until.ts';
import { a, Bench, busyBench } from '../support/dispatcher-bench.ts';
import { plainKey } from '../support/proof-bench.ts';

describe('calls next to proofs', () => {
  const poseidon: CallOperation = { call: 'poseidon' };
  const sign: CallOperation = { call: 'sign' };

  it('go immediately to an idle worker, those of one turn together', async () => {
    const bench = new Bench(2);
    bench.add(a, [1]);
    await bench.next();
    bench.call(poseidon, 5);
    bench.call(poseidon, 6);
    await Promise.resolve();
    expect([bench.executor.serving, bench.dispatcher.depth, bench.dispatcher.stats.running]).toEqual([
      2, 0, 3,
    ]);
    const calls = await bench.next();
    expect([calls.operation, calls.values]).toEqual(['poseidon', [5, 6]]);
    calls.done();
    await until(() => bench.calls.size === 2);
    expect(Object.fromEntries(bench.calls)).toEqual({ 5: true, 6: true });
    expect(bench.dispatcher.stats).toMatchObject({ running: 1, verified: 0 });
  });

  it('precede proofs that no worker has started', async () => {
    const { bench, held } = await busyBench();
    bench.add(a, [2]);
    await Promise.resolve();
    bench.call(poseidon, 5);
    await new Promise((resolve) => setImmediate(resolve));
    held.done();
    const [calls, proofs] = [bench.executor.take(), bench.executor.take()];
    expect([calls?.operation, proofs?.values]).toEqual(['poseidon', [2]]);
    calls?.done();
    proofs?.done();
    await until(() => bench.answers.size + bench.calls.size === 3);
  });

  it('join a batch of their queue that no worker has started', async () => {
    const { bench, held } = await busyBench();
    for (const value of [4, 5, 6]) {
      bench.call(poseidon, value);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bench.dispatcher.depth).toBe(0);
    held.done();
    const calls = await bench.next();
    expect([calls.operation, calls.values]).toEqual(['poseidon', [4, 5, 6]]);
    calls.done();
    await until(() => bench.calls.size === 3);
  });

  it('stay in the queue while no worker is idle and a batch of other calls is ready', async () => {
    const { bench, held } = await busyBench();
    for (const value of [4, 5, 6]) {
      bench.call(value === 4 ? sign : poseidon, value);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bench.dispatcher.depth).toBe(2);
    held.done();
    const first = await bench.next();
    expect([first.operation, first.values]).toEqual(['sign', [4]]);
    bench.executor.listener?.answered();
    const second = await bench.next();
    expect([second.operation, second.values]).toEqual(['poseidon', [5, 6]]);
  });

  it('alternate with proofs on a single worker', async () => {
    const bench = new Bench(1, { maxBatch: 1 });
    const key = plainKey('one by one', 1);
    const seen: string[] = [];
    bench.add(key, [1, 2, 3]);
    for (const value of [4, 5, 6]) bench.call(poseidon, value);
    for (let step = 0; step < 6; step += 1) {
      const held = await bench.next();
      seen.push(held.operation);
      held.done();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toEqual(['poseidon', 'verify', 'poseidon', 'verify', 'poseidon', 'verify']);
    await until(() => bench.answers.size + bench.calls.size === 6);
  });

  it('never starve proofs, however many calls arrive', async () => {
    const bench = new Bench(1, { maxBatch: 1 });
    bench.add(plainKey('one by one', 1), [1]);
    const held = await bench.next();
    bench.add(plainKey('one by one', 1), [2]);
    await Promise.resolve();
    held.done();
    let calls = 0;
    for (let next = 0; !bench.answers.has(2); next += 1) {
      bench.call(poseidon, next % 256);
      bench.calls.clear();
      await new Promise((resolve) => setImmediate(resolve));
      const taken = await bench.next();
      if (taken.operation === 'poseidon') calls += 1;
      taken.done();
    }
    expect(calls).toBeLessThan(3);
  });

  it('start a new task on a worker that has returned', async () => {
    const bench = new Bench(1);
    bench.add(a, [1]);
    (await bench.next()).done();
    await until(() => bench.answers.size === 1);
    bench.executor.return();
    await until(() => bench.executor.serving === 0);
    bench.call(poseidon, 5);
    await Promise.resolve();
    expect([bench.executor.serving, bench.dispatcher.depth, bench.dispatcher.stats.running]).toEqual([
      1, 0, 1,
    ]);
    (await bench.next()).done();
    await until(() => bench.calls.size === 1);
  });

  it('run again when their worker is lost, and are refused when they lose further ones', async () => {
    const bench = new Bench(1);
    bench.call(poseidon, 5);
    bench.call(poseidon, 6);
    (await bench.next()).die();
    const again = await bench.next();
    expect(again.values).toEqual([5, 6]);
    again.fault('unreachable');
    while (bench.calls.size < 2) {
      const single = await bench.next();
      if (single.values[0] === 6) single.die();
      else single.done();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(Object.fromEntries(bench.calls)).toEqual({ 5: true, 6: 'engine.poison' });
    expect(bench.dispatcher.stats).toMatchObject({ running: 0, poisoned: 1 });
  });

  it('are not blamed for a thread that ended before it took them', async () => {
    const bench = new Bench(1);
    bench.call(poseidon, 5);
    for (let round = 0; round < 10; round += 1) {
      await until(() => bench.executor.serving === 1);
      bench.executor.listener?.ended(100 + round);
      bench.executor.return(false);
      await until(() => bench.executor.serving === 0);
    }
    (await bench.next()).done();
    await until(() => bench.calls.size === 1);
    expect([bench.calls.get(5), bench.events]).toEqual([true, []]);
  });
});
