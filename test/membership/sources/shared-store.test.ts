// Rules: spec/roots.md#rounds, `lease` and `commit`
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import type { RoundResult } from '../../../src/membership/sources/reader/source-reader.ts';
import { type RootReader, SourceRunner } from '../../../src/membership/sources/source-runner.ts';
import type { RootEventRow, RootSourceRow } from '../../../src/storage/root-sources.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { pollUntil } from '../../support/until.ts';
import { openTempStore, type TempStore } from '../../verification/support/temp-store.ts';
import { History, testSource } from './support/history.ts';
import { openPostgresStore } from './support/postgres-store.ts';
import type { ExpectedLife } from './support/replay.ts';

const LEASE = 'roots:test-source';
const source = testSource({ confirmations: 0, maxRange: 2000, pollSeconds: 0.02 });

describe('nodes that share a store', () => {
  describe('libsql', () => describeNodes(openTempStore));

  describe.skipIf(POSTGRES_BIN === undefined)(`PostgreSQL${POSTGRES_SKIP}`, () =>
    describeNodes(openPostgresStore),
  );
});

/** A node that counts its rounds and its requests. */
interface Node {
  readonly name: string;
  readonly runner: SourceRunner;
  readonly results: (RoundResult | string)[];
  requests: number;
}

function describeNodes(open: () => Promise<TempStore>): void {
  let temp: TempStore;
  let history: History;
  const runners: SourceRunner[] = [];

  beforeAll(async () => {
    temp = await open();
  });
  afterAll(() => temp?.close());

  beforeEach(async () => {
    history = new History(temp.store, source);
    await history.reset();
  });
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
  });

  function createNode(name: string, leaseMs = 60_000, reader: Partial<RootReader> = {}): Node {
    const node: Omit<Node, 'runner'> = { name, results: [], requests: 0 };
    const runner = new SourceRunner({
      source,
      holder: name,
      isShared: true,
      leaseMs,
      reader: { ...history.reader(() => node.requests++), ...reader },
      store: temp.store,
      keepMs: Number.MAX_SAFE_INTEGER,
      observer: {
        ended: (result) => node.results.push(result),
        failed: ({ code }) => node.results.push(code),
      },
      now: Date.now,
    });
    runners.push(runner);
    return Object.assign(node, { runner });
  }

  /** Makes a block that changes the root. */
  function change(root: bigint): void {
    history.contract.change(root);
    history.chain.mine();
  }

  async function isCaughtUp(): Promise<boolean> {
    const state = await temp.store.rootSources.find(source.id);
    return state?.backfillTo === null && state.targetTime === history.now();
  }

  async function stored(): Promise<[RootSourceRow | undefined, RootEventRow[], ExpectedLife[]]> {
    const { rootSources } = temp.store;
    return [await rootSources.find(source.id), await rootSources.events(source.id), await history.found()];
  }

  it.each([2, 3])('let one of %i ask the providers; the others send no request', async (count) => {
    const nodes = Array.from({ length: count }, (_, index) => createNode(`node-${index}`));
    for (const { runner } of nodes) runner.start();
    for (let root = 2000n; root < 2005n; root++) {
      change(root);
      await pollUntil(isCaughtUp);
    }
    const holder = await temp.store.leases.holder(LEASE, Date.now());
    const polling = nodes.filter(({ requests }) => requests > 0);
    expect(polling.map(({ name }) => name)).toEqual([holder]);
    expect(nodes.filter(({ results }) => results.length > 0)).toEqual(polling);
    await history.expectFollowed();
  });

  it.each([2, 3])('have the same rows if %i of them poll without a lease', async (count) => {
    const nodes = Array.from({ length: count }, () => ({ requests: 0 }));
    const readers = nodes.map((node) => history.reader(() => node.requests++));
    const results: RoundResult[] = [];
    for (let root = 2000n; root < 2010n; root++) {
      change(root);
      const round = await Promise.all(readers.map((reader) => reader.round()));
      // Whoever loses the race writes nothing.
      expect(round).toContain('advanced');
      results.push(...round);
      await history.expectFollowed();
    }
    expect(results).toContain('lost_race');
    expect(nodes.filter(({ requests }) => requests === 0)).toEqual([]);
  });

  it('hand the lease over when one stops', async () => {
    const [one, other] = [createNode('one'), createNode('other', 30)];
    one.runner.start();
    await pollUntil(() => one.results.length > 0);
    other.runner.start();
    await one.runner.stop();
    await pollUntil(async () => (await temp.store.leases.holder(LEASE, Date.now())) === 'other');
    await pollUntil(() => other.results.length > 0);
  });

  it('leave the lease to others after three rounds that failed', async () => {
    const failing = createNode('failing', 60_000, {
      round: () => Promise.reject(new ServiceError('roots.unreachable', 'no way out')),
    });
    const other = createNode('other', 30);
    failing.runner.start();
    await pollUntil(() => failing.results.length > 0);
    other.runner.start();
    await pollUntil(() => other.results.length > 0);
    expect(failing.results).toEqual(Array(3).fill('roots.unreachable'));
    const state = await temp.store.rootSources.find(source.id);
    expect(state?.lastError).toContain('roots.unreachable');
  });

  it('lose the race with a stale version, write nothing, and then read what the other has written', async () => {
    const fast = history.reader();
    await fast.round();
    change(3000n);
    // The other node commits between the reading and the writing of this one.
    let overtaken: Awaited<ReturnType<typeof stored>> | undefined;
    const slow = history.nodeThat(async (_, written) => {
      if (overtaken !== undefined) return;
      expect(await fast.round()).toBe('advanced');
      overtaken = await stored();
      expect(written.source.version).toBeLessThan(overtaken[0]?.version ?? 0);
      expect(written.lives).not.toEqual([]);
    });
    expect(await slow.round()).toBe('lost_race');
    expect(await stored()).toEqual(overtaken);
    await history.expectFollowed();
    expect(await slow.round()).toBe('same');
  });
}
