import { describe, expect, it } from 'vitest';
import { createReadThroughCache, type ReadThroughCache } from '../../src/storage/read-through-cache.ts';
import { type Gate, gate } from '../support/gate.ts';
import { until } from '../support/until.ts';

interface Value {
  readonly text: string;
}

function subject(options: { maxReads?: number; maxEntries?: number } = {}) {
  const rows = new Map<string, Value>();
  const reads: string[] = [];
  const held: Gate<void>[] = [];
  const state = { now: 1000, change: 0, isHeld: false, running: 0, mostRunning: 0 };
  const cache: ReadThroughCache<Value> = createReadThroughCache({
    async read(key) {
      reads.push(key);
      state.mostRunning = Math.max(state.mostRunning, ++state.running);
      if (state.isHeld) {
        const hold = gate<void>();
        held.push(hold);
        await hold.promise.finally(() => state.running--);
      } else state.running--;
      return rows.get(key);
    },
    maxAgeMs: 5000,
    maxEntries: options.maxEntries ?? 100,
    maxReads: options.maxReads ?? 4,
    now: () => state.now,
    changes: { count: () => state.change },
  });
  return { cache, rows, reads, held, state };
}

describe('read-through cache', () => {
  it('reads a value once and returns it until it is too old', async () => {
    const { cache, rows, reads, state } = subject();
    rows.set('a', { text: '1' });
    expect(await cache.get('a')).toEqual({ text: '1' });
    rows.set('a', { text: '2' });
    state.now += 5000;
    expect(await cache.get('a')).toEqual({ text: '1' });
    state.now += 1;
    expect(await cache.get('a')).toEqual({ text: '2' });
    expect(reads).toEqual(['a', 'a']);
  });

  it('reads a value again after a change, also one that came during its read', async () => {
    const { cache, rows, reads, held, state } = subject();
    rows.set('a', { text: '1' });
    await cache.get('a');
    state.change++;
    expect(cache.peek('a')).toBeUndefined();
    state.isHeld = true;
    const reading = cache.get('a');
    await until(() => held.length === 1);
    state.change++;
    held[0]?.open();
    expect(await reading).toEqual({ text: '1' });
    expect(cache.peek('a')).toBeUndefined();
    state.isHeld = false;
    expect(await cache.get('a')).toBe(cache.peek('a'));
    expect(reads).toEqual(['a', 'a', 'a']);
  });

  it('does not cache that a value is absent', async () => {
    const { cache, rows } = subject();
    expect(await cache.get('a')).toBeUndefined();
    rows.set('a', { text: 'added' });
    expect(await cache.get('a')).toEqual({ text: 'added' });
  });

  it('drops a value that is absent when it is read again', async () => {
    const { cache, rows, state } = subject();
    rows.set('a', { text: '1' });
    await cache.get('a');
    rows.delete('a');
    state.now += 5001;
    expect(await cache.get('a')).toBeUndefined();
    state.now -= 5001;
    expect(await cache.get('a')).toBeUndefined();
  });

  it('lets concurrent misses of one key share one read', async () => {
    const { cache, rows, reads, held, state } = subject();
    rows.set('a', { text: '1' });
    state.isHeld = true;
    const answers = [cache.get('a'), cache.get('a'), cache.get('a')];
    await until(() => held.length === 1);
    held[0]?.open();
    expect(await Promise.all(answers)).toEqual(new Array(3).fill({ text: '1' }));
    expect(reads).toEqual(['a']);
  });

  it('counts the age from the beginning of the read', async () => {
    const { cache, rows, reads, held, state } = subject();
    rows.set('a', { text: '1' });
    state.isHeld = true;
    const answer = cache.get('a');
    await until(() => held.length === 1);
    state.now += 5001;
    held[0]?.open();
    expect(await answer).toEqual({ text: '1' });
    state.isHeld = false;
    await cache.get('a');
    expect(reads).toEqual(['a', 'a']);
  });

  it('bounds the concurrent reads of many misses, and answers all', async () => {
    const { cache, held, reads, state } = subject({ maxReads: 3 });
    state.isHeld = true;
    const answers = Array.from({ length: 50 }, (_, index) => cache.get(`k${index}`));
    for (let released = 0; released < 50; released++) {
      await until(() => held.length > released);
      held[released]?.open();
    }
    expect(await Promise.all(answers)).toEqual(new Array(50).fill(undefined));
    expect(reads).toHaveLength(50);
    expect(state.mostRunning).toBe(3);
  });

  it('rejects all callers that wait for a failed read, and reads again later', async () => {
    const { cache, rows, held, state } = subject({ maxReads: 1 });
    rows.set('a', { text: '1' });
    state.isHeld = true;
    const answers = [cache.get('a'), cache.get('a')];
    const outcomes = Promise.allSettled(answers);
    await until(() => held.length === 1);
    held[0]?.fail(new Error('gone'));
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    state.isHeld = false;
    expect(await cache.get('a')).toEqual({ text: '1' });
  });

  it('evicts the oldest entries beyond its maximum', async () => {
    const { cache, rows, reads } = subject({ maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) {
      rows.set(key, { text: key });
      await cache.get(key);
    }
    for (const key of ['b', 'c', 'a']) await cache.get(key);
    expect(reads).toEqual(['a', 'b', 'c', 'a']);
  });
});
