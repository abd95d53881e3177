// Rules: spec/roots.md#rounds, `lease`, and spec/roots.md#misses
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/index.ts';
import { type RoundResult, SourceReader } from '../../../src/membership/sources/source-reader.ts';
import { type RootReader, SourceRunner } from '../../../src/membership/sources/source-runner.ts';
import { pollUntil } from '../../support/until.ts';
import { openTempStore } from '../../verification/support/temp-store.ts';
import { History, testSource } from './support/history.ts';

const LEASE = 'roots:test-source';
const source = testSource({ confirmations: 0, maxRange: 2000, pollSeconds: 0.02 });

let temp: Awaited<ReturnType<typeof openTempStore>>;
let history: History;
const runners: SourceRunner[] = [];

beforeAll(async () => {
  temp = await openTempStore();
});
afterAll(() => temp.close());

beforeEach(async () => {
  history = new History(temp.store, source);
  await history.node().open();
  await temp.store.rootSources.reset(source.id);
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
});

/** A node that counts its rounds. */
interface Node {
  readonly runner: SourceRunner;
  readonly results: (RoundResult | string)[];
  /** Times of early rounds, in milliseconds, with the roots that they were for. */
  readonly early: { readonly at: number; readonly roots: number }[];
}

function createNode(holder: string, options: { reader?: Partial<RootReader>; leaseMs?: number } = {}): Node {
  const results: Node['results'] = [];
  const early: Node['early'][number][] = [];
  const reader = { ...history.reader(), ...options.reader };
  const runner = new SourceRunner({
    source,
    reader: {
      ...reader,
      earlyRound: (roots) => {
        early.push({ at: Date.now(), roots: roots.length });
        return reader.earlyRound(roots);
      },
    },
    store: temp.store,
    holder,
    isShared: true,
    leaseMs: options.leaseMs ?? 60_000,
    keepMs: Number.MAX_SAFE_INTEGER,
    observer: { ended: (result) => results.push(result), failed: ({ code }) => results.push(code) },
    now: Date.now,
  });
  runners.push(runner);
  return { runner, results, early };
}

async function isCaughtUp(): Promise<boolean> {
  const state = await temp.store.rootSources.find(source.id);
  return state?.backfillTo === null && state.targetTime === history.now();
}

describe('nodes that share a store', () => {
  it.each([2, 3])('let one of %i poll', async (count) => {
    const nodes = Array.from({ length: count }, (_, index) => createNode(`node-${index}`));
    for (const { runner } of nodes) runner.start();
    history.contract.change(2000n);
    history.chain.mine();
    await pollUntil(isCaughtUp);
    const holder = await temp.store.leases.holder(LEASE, Date.now());
    const polling = nodes.filter(({ results }) => results.length > 0);
    expect(polling).toHaveLength(1);
    expect(nodes.map((_, index) => `node-${index}`)).toContain(holder);
    expect(await history.found()).toEqual(history.expected());
  });

  it.each([2, 3])('have the same rows if %i of them poll without a lease', async (count) => {
    const readers = Array.from({ length: count }, () => history.reader());
    for (let change = 0; change < 5; change++) {
      history.contract.change(BigInt(2000 + change));
      history.chain.mine();
      const results = await Promise.all(readers.map((reader) => reader.round()));
      // Whoever loses the race writes nothing.
      expect(results).toContain('advanced');
    }
    await history.settle();
    expect(await history.found()).toEqual(history.expected());
  });

  it('hand the lease over when one stops', async () => {
    const [one, other] = [createNode('one'), createNode('other', { leaseMs: 30 })];
    one.runner.start();
    await pollUntil(() => one.results.length > 0);
    other.runner.start();
    await one.runner.stop();
    await pollUntil(async () => (await temp.store.leases.holder(LEASE, Date.now())) === 'other');
    await pollUntil(() => other.results.length > 0);
  });

  it('leave the lease to others after three rounds that failed', async () => {
    const failing = createNode('failing', {
      reader: { round: () => Promise.reject(new ServiceError('roots.unreachable', 'no way out')) },
    });
    const other = createNode('other', { leaseMs: 30 });
    failing.runner.start();
    await pollUntil(() => failing.results.length > 0);
    other.runner.start();
    await pollUntil(() => other.results.length > 0);
    expect(failing.results).toEqual(Array(3).fill('roots.unreachable'));
    const state = await temp.store.rootSources.find(source.id);
    expect(state?.lastError).toContain('roots.unreachable');
  });

  it('lose the race with a stale version, and then read what the other has written', async () => {
    const fast = history.reader();
    await fast.round();
    const { commit } = temp.store.rootSources;
    history.contract.change(3000n);
    history.chain.mine();
    // The other node commits between the reading and the writing of this one.
    let isOvertaken = false;
    const overtaken = new SourceReader({
      ...history.parts(),
      store: {
        roots: temp.store.roots,
        rootSources: {
          ...temp.store.rootSources,
          commit: async (change) => {
            if (!isOvertaken) {
              isOvertaken = true;
              await fast.round();
            }
            return commit(change);
          },
        },
      },
    });
    expect(await overtaken.round()).toBe('lost_race');
    expect(await overtaken.round()).toBe('same');
    await history.settle();
    expect(await history.found()).toEqual(history.expected());
  });
});

describe('early rounds', () => {
  it('are run whoever has the lease', async () => {
    expect(await temp.store.leases.take(LEASE, 'another', Date.now(), Date.now() + 60_000)).toBe(true);
    const node = createNode('waiting');
    node.runner.start();
    await node.runner.lookFor(new Uint8Array(32).fill(1));
    expect(node.early).toHaveLength(1);
    expect(node.results).toHaveLength(1);
    expect((await history.found()).map(({ supersededAt }) => supersededAt)).toEqual([null]);
    await temp.store.leases.release(LEASE, 'another');
  });

  it('are at most one a second for a flood of unknown roots', async () => {
    const node = createNode('flooded');
    const roots = Array.from({ length: 300 }, (_, index) => new Uint8Array(32).fill(index % 250));
    const answered: Promise<void>[] = [];
    await Promise.all(roots.slice(0, 100).map((root) => node.runner.lookFor(root)));
    for (const root of roots.slice(100)) {
      answered.push(node.runner.lookFor(root));
      if (answered.length % 50 === 0) await delay(1);
    }
    await Promise.all(answered);
    expect(node.early.map(({ roots: count }) => count)).toEqual([100, 200]);
    const [first, second] = node.early.map(({ at }) => at);
    // A timer may be a millisecond early.
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(998);
  });

  it('that find nothing new do not put the next round off', async () => {
    const node = createNode('polling', { reader: { earlyRound: async () => 'same' } });
    await node.runner.lookFor(new Uint8Array(32));
    expect(await history.found()).toEqual([]);
    node.runner.start();
    await pollUntil(isCaughtUp);
  });
});
