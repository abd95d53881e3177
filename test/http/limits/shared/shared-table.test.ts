// Rules: spec/operations.md#rate-limits
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import type { TextHash } from '../../../../src/http/limits/shared/keyed-hash.ts';
import { SharedTable, tableMemory } from '../../../../src/http/limits/shared/shared-table.ts';
import { casesOf } from '../../../support/cases.ts';
import type { CountThreadData } from './support/count-thread.ts';

const RULE = { limit: 10, windowMs: 1000 };
/** Entries of a bucket. */
const ENTRIES = 15;

const hashOf = (key: number): TextHash => ({ low: key, high: key + 1 });

/** Counts in fixed windows as the table has to, without bounds. */
class PlainTable {
  readonly #entries = new Map<number, { count: number; endsAt: number }>();

  add(key: number, amount: number, windowMs: number, now: number): { count: number; endsAt: number } {
    const open = this.#open(key, now) ?? { count: 0, endsAt: now + windowMs };
    const entry = { count: open.count + amount, endsAt: open.endsAt };
    this.#entries.set(key, entry);
    return entry;
  }

  read(key: number, now: number): number {
    return this.#open(key, now)?.count ?? 0;
  }

  subtract(key: number, amount: number, now: number): void {
    const open = this.#open(key, now);
    if (open === undefined) return;
    open.count -= amount;
    if (open.count <= 0) this.#entries.delete(key);
  }

  put(key: number, count: number, windowMs: number, now: number): void {
    this.#entries.set(key, { count, endsAt: now + windowMs });
  }

  update(key: number, count: number, now: number): boolean {
    const open = this.#open(key, now);
    if (open !== undefined) open.count = count;
    return open !== undefined;
  }

  delete(key: number): void {
    this.#entries.delete(key);
  }

  #open(key: number, now: number): { count: number; endsAt: number } | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.endsAt > now ? entry : undefined;
  }
}

describe('a table with room for all keys', () => {
  it('equals the plain table for any sequence of operations', () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'read', 'subtract', 'put', 'update', 'delete'),
      key: fc.nat(ENTRIES - 1),
      amount: fc.integer({ min: 1, max: 20 }),
      passedMs: fc.constantFrom(0, 1, 400, 999, 1000, 1001),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const table = new SharedTable(tableMemory(1));
        const plain = new PlainTable();
        let now = 1_700_000_000_000;
        for (const { kind, key, amount, passedMs } of steps) {
          now += passedMs;
          const hash = hashOf(key);
          if (kind === 'add') {
            expect(table.add(hash, amount, RULE, now)).toEqual(plain.add(key, amount, RULE.windowMs, now));
          } else if (kind === 'subtract') {
            table.subtract(hash, amount, now);
            plain.subtract(key, amount, now);
          } else if (kind === 'put') {
            table.put(hash, amount, RULE, now);
            plain.put(key, amount, RULE.windowMs, now);
          } else if (kind === 'update') {
            expect(table.update(hash, amount, now)).toBe(plain.update(key, amount, now));
          } else if (kind === 'delete') {
            table.delete(hash);
            plain.delete(key);
          }
          expect(table.read(hash, now)).toBe(plain.read(key, now));
        }
      }),
      { numRuns: casesOf(500, 100) },
    );
  });

  it('begins a new window if the clock was set back before the open one began', () => {
    const table = new SharedTable(tableMemory(1));
    table.add(hashOf(1), 7, RULE, 5_000_000);
    expect(table.add(hashOf(1), 1, RULE, 1_000_000)).toEqual({ count: 1, endsAt: 1_001_000 });
  });
});

describe('a full bucket', () => {
  it('loses an entry whose window has ended, else the one with the smallest fraction of its limit', () => {
    const table = new SharedTable(tableMemory(1));
    const now = 1_000_000;
    for (let key = 0; key < ENTRIES; key++) table.add(hashOf(key), 5, RULE, now);
    table.add(hashOf(3), 1, { limit: 100, windowMs: 1000 }, now);
    table.add(hashOf(20), 1, RULE, now);
    expect(table.read(hashOf(3), now)).toBe(0);
    for (let key = 0; key < ENTRIES; key++) {
      if (key !== 3) expect(table.read(hashOf(key), now)).toBe(5);
    }
    table.add(hashOf(21), 1, RULE, now);
    expect([table.read(hashOf(20), now), table.read(hashOf(21), now)]).toEqual([0, 1]);
    table.put(hashOf(7), 9, { limit: 10, windowMs: 1 }, now);
    table.add(hashOf(22), 1, RULE, now + 1);
    expect([7, 21, 22].map((key) => table.read(hashOf(key), now + 1))).toEqual([0, 1, 1]);
  });

  it('does not lose the count of an address beyond its limit to any number of new addresses', () => {
    const table = new SharedTable(tableMemory(4));
    table.add(hashOf(0), 11, RULE, 0);
    for (let key = 1; key < 10_000; key++) table.add(hashOf(key), 1, RULE, 0);
    expect(table.read(hashOf(0), 0)).toBe(11);
  });
});

describe('several threads', () => {
  it('lose no count of keys in one bucket', async () => {
    const build = await rolldown({
      platform: 'node',
      input: fileURLToPath(new URL('./support/count-thread.ts', import.meta.url)),
    });
    const { output } = await build.generate({ format: 'cjs' });
    await build.close();
    const [memory, keys] = [tableMemory(1), 8];
    const start = new Int32Array(new SharedArrayBuffer(4));
    const workerData: CountThreadData = { memory, keys, operations: casesOf(1_000_000, 50_000), start };
    const workers = Array.from({ length: 4 }, () => new Worker(output[0].code, { eval: true, workerData }));
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    Atomics.store(start, 0, 1);
    Atomics.notify(start, 0);
    const reports = await Promise.all(workers.map((worker) => once(worker, 'message')));
    const sums = Array.from({ length: keys }, (_, key) =>
      reports.reduce((sum, [own]: number[][]) => sum + (own?.[key] ?? 0), 0),
    );
    const table = new SharedTable(memory);
    expect(sums.map((_, key) => table.read(hashOf(key), 1_000_000))).toEqual(sums);
  });

  it('go on after one has ended within an operation', () => {
    const memory = tableMemory(1);
    const table = new SharedTable(memory);
    table.add(hashOf(1), 2, RULE, 0);
    // The lock of the bucket.
    new Int32Array(memory)[0] = 1;
    expect(table.add(hashOf(1), 1, RULE, 0).count).toBe(3);
    expect(new Int32Array(memory)[0]).toBe(0);
  });
});
