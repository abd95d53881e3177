// Rules: spec/roots.md#misses
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RoundResult } from '../../../src/membership/sources/reader/source-reader.ts';
import { type RootReader, SourceRunner } from '../../../src/membership/sources/source-runner.ts';
import { pollUntil } from '../../support/until.ts';
import { useTempStore } from '../../verification/support/temp-store.ts';
import { History, testSource } from './support/history.ts';

const LEASE = 'roots:test-source';
const source = testSource({ confirmations: 0, maxRange: 2000, pollSeconds: 0.02 });

const temp = useTempStore();
let history: History;
const runners: SourceRunner[] = [];

beforeEach(async () => {
  history = new History(temp.store, source);
  await history.reset();
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
});

/** A node that counts its rounds. */
interface Node {
  readonly runner: SourceRunner;
  readonly results: (RoundResult | string)[];
  /** Times of unscheduled rounds, in milliseconds, with their numbers of roots. */
  readonly unscheduled: { readonly at: number; readonly roots: number }[];
}

function createNode(
  holder: string,
  options: { reader?: Partial<RootReader>; now?: () => number } = {},
): Node {
  const results: Node['results'] = [];
  const unscheduled: Node['unscheduled'][number][] = [];
  const reader = { ...history.reader(), ...options.reader };
  const runner = new SourceRunner({
    source,
    reader: {
      ...reader,
      unscheduledRound: (roots) => {
        unscheduled.push({ at: Date.now(), roots: roots.length });
        return reader.unscheduledRound(roots);
      },
    },
    store: temp.store,
    holder,
    isShared: true,
    leaseMs: 60_000,
    keepMs: Number.MAX_SAFE_INTEGER,
    observer: { ended: (result) => results.push(result), failed: ({ code }) => results.push(code) },
    now: options.now ?? Date.now,
  });
  runners.push(runner);
  return { runner, results, unscheduled };
}

async function isCaughtUp(): Promise<boolean> {
  const state = await temp.store.rootSources.find(source.id);
  return state?.backfillTo === null && state.targetTime === history.now();
}

describe('unscheduled rounds', () => {
  it('are run whoever has the lease', async () => {
    expect(await temp.store.leases.take(LEASE, 'another', Date.now(), Date.now() + 60_000)).toBe(true);
    const node = createNode('waiting');
    node.runner.start();
    await node.runner.lookFor(new Uint8Array(32).fill(1));
    expect(node.unscheduled).toHaveLength(1);
    expect(node.results).toHaveLength(1);
    expect((await history.found()).map(({ supersededAt }) => supersededAt)).toEqual([null]);
    await temp.store.leases.release(LEASE, 'another');
  });

  it('are at most one a second for a flood of unknown roots', async () => {
    // On this clock the second round is a whole second after the first root that waits for it, however long the first
    // round takes.
    const stopped = Date.now();
    const node = createNode('flooded', { now: () => stopped });
    const roots = Array.from({ length: 300 }, (_, index) => new Uint8Array(32).fill(index % 250));
    const answered: Promise<void>[] = [];
    await Promise.all(roots.slice(0, 100).map((root) => node.runner.lookFor(root)));
    for (const root of roots.slice(100)) {
      answered.push(node.runner.lookFor(root));
      if (answered.length % 50 === 0) await nextTurn();
    }
    await Promise.all(answered);
    expect(node.unscheduled.map(({ roots: count }) => count)).toEqual([100, 200]);
    const [first, second] = node.unscheduled.map(({ at }) => at);
    // A timer may be a millisecond early.
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(998);
  });

  it('that find nothing new do not put the next round off', async () => {
    const node = createNode('polling', { reader: { unscheduledRound: async () => 'same' } });
    await node.runner.lookFor(new Uint8Array(32));
    expect(await history.found()).toEqual([]);
    node.runner.start();
    await pollUntil(isCaughtUp);
  });
});
