// Rules: spec/roots.md#rounds, spec/roots.md#first-start and spec/roots.md#reorganisation. The other tests use libsql.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { alteringCalls, alteringLogs } from '../../support/chain/behaviours.ts';
import { hexWords } from '../../support/chain/scripted-contracts.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { History, testSource } from './support/history.ts';

const KINDS = ['identity-manager', 'bridged', 'registry4'] as const;
const INVENTED = hexWords(31_337n);
const LEASE = 'roots:test-source';

describe.skipIf(POSTGRES_BIN === undefined)(`root sources on PostgreSQL${POSTGRES_SKIP}`, () => {
  let server: PostgresServer;
  let store: Store;
  let history: History;

  beforeAll(async () => {
    server = await PostgresServer.create({ fsync: 'off' });
    const url = server.url(await server.createDatabase());
    store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
    await store.migrate();
  });
  afterAll(async () => {
    await store?.close();
    await server?.remove();
  });

  describe.each(KINDS)('of the kind %s', (kind) => {
    beforeEach(async () => {
      history = new History(store, testSource({ kind }));
      await history.node().open();
      await store.rootSources.reset(history.source.id);
    });

    /** Changes the root in each of some blocks, and adds as many blocks as are not confirmed. */
    function change(...roots: readonly number[]): void {
      for (const root of roots) {
        history.contract.change(BigInt(root));
        history.chain.mine();
      }
      history.chain.mineMany(2);
    }

    it('read the look-back after the current root, and go on where they were interrupted', async () => {
      change(...Array.from({ length: 30 }, (_, index) => 5000 + index));
      await expect(history.nodeThatEndsAt(4).round()).rejects.toThrow('the process ends');
      expect(await history.current()).toEqual([hexWords(5029n)]);
      expect((await store.rootSources.find(history.source.id))?.backfillTo).not.toBeNull();
      await history.expectSettled();
    });

    it('follow a reorganisation that drops roots and has others', async () => {
      change(1, 2, 3);
      const node = history.node();
      await node.round();
      history.chain.drop(4);
      change(4, 1_000_001);
      history.chain.mineMany(3);
      await node.round();
      await history.expectFollowed();
    });

    it('believe no provider that lies alone', async () => {
      const [liar] = history.clients;
      if (liar !== undefined) {
        liar.behaviour = (backend) =>
          alteringLogs((logs) => logs.slice(1))(alteringCalls(() => INVENTED)(backend));
      }
      const node = history.node();
      change(1, 2);
      await node.round();
      change(3);
      await node.round();
      await history.expectFollowed();
    });

    it('write nothing after a lost race, and then go on from what the winner wrote', async () => {
      const fast = history.node();
      await fast.round();
      change(1);
      const slow = history.nodeThat(async (commits) => {
        if (commits === 1) await fast.round();
      });
      expect(await slow.round()).toBe('lost_race');
      await history.expectFollowed();
      change(2);
      expect(await slow.round()).toBe('advanced');
      await history.expectFollowed();
    });

    it('lose all races but one at the same version', async () => {
      await history.settle();
      change(1, 2);
      const nodes = Array.from({ length: 4 }, () => history.node());
      const results = await Promise.all(nodes.map((node) => node.round()));
      expect(results).toContain('advanced');
      await history.expectSettled();
      const events = await store.rootSources.events(history.source.id);
      expect(new Set(events.map(({ block, logIndex }) => `${block} ${logIndex}`)).size).toBe(events.length);
    });
  });

  it('share one lease', async () => {
    const { leases } = store;
    const taken = await Promise.all(
      ['a', 'b', 'c', 'd'].map((holder) => leases.take(LEASE, holder, 1000, 2000)),
    );
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
    expect(await leases.take(LEASE, 'late', 2000, 3000)).toBe(true);
    expect(await leases.holder(LEASE, 2500)).toBe('late');
    await leases.release(LEASE, 'late');
    expect(await leases.holder(LEASE, 2500)).toBeUndefined();
  });
});
