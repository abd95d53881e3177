// Rules: spec/operations.md#many-nodes
import { afterEach, describe, expect, it } from 'vitest';
import { isPoolerInstalled } from '../support/postgres/pooler.ts';
import { auditRefreshes } from './support/audit-refreshes.ts';
import type { Cluster, ClusterOptions } from './support/cluster.ts';
import { ClusterLoad } from './support/cluster-load.ts';
import { FAULTS, TWICE } from './support/faults.ts';
import { CLUSTER_SKIP, isClusterPossible, startLoadedCluster } from './support/loaded-cluster.ts';

/** `ROUNDS=10` makes each fault so many times, and those of `TWICE` twice as many; by default each is made once. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
const IS_SHORT = process.env.ROUNDS === undefined;
const NODES = 3;

describe.skipIf(!isClusterPossible)(`three nodes on one PostgreSQL${CLUSTER_SKIP}`, () => {
  let cluster: Cluster | undefined;

  afterEach(async () => {
    await cluster?.end();
    cluster = undefined;
  });

  const start = async (
    isSynchronous: boolean,
    options: Partial<ClusterOptions> = {},
  ): Promise<{ cluster: Cluster; load: ClusterLoad }> => {
    const started = await startLoadedCluster({ nodes: NODES, isSynchronous, ...options });
    cluster = started.cluster;
    return { cluster, load: await ClusterLoad.create(cluster, started.client, 'cluster') };
  };

  it(
    'lose nothing that was acknowledged and accept nothing twice, whatever fails',
    async () => {
      const { cluster, load } = await start(true);
      const { ledger } = load;
      for (let round = 0; round < (IS_SHORT ? 1 : ROUNDS * 2); round++) {
        for (const [name, fault] of Object.entries(FAULTS)) {
          if (round >= ROUNDS && !TWICE.includes(name)) continue;
          load.start();
          await load.untilServed(10);
          const start = performance.now();
          await fault(cluster, round, ledger);
          const end = performance.now();
          await cluster.ready();
          const [tookMs, readyMs] = [end - start, performance.now() - end].map(Math.round);
          console.log(`${name}: ${tookMs} ms, ready after ${readyMs} ms`);
          await load.untilServed();
          // Enough for what is expected of all rounds together.
          await load.untilSeen(['token: 200', 'refresh: 200'], 2);
          await load.stop();
          expect(ledger.faults, name).toEqual([]);
        }
      }
      await load.audit();
      const audit = await auditRefreshes(cluster, load);
      await load.close();
      console.log(ROUNDS, ledger.counts, { ...audit, acknowledgedNullifiers: ledger.createdAt.size });
      expect(ledger.faults).toEqual([]);
      expect(audit.faults).toEqual([]);
      expect(ledger.createdAt.size).toBeGreaterThan(100);
      expect(ledger.redeemed.size).toBeGreaterThan(1);
      expect(audit.acknowledged).toBeGreaterThan(1);
    },
    300_000 + ROUNDS * 180_000,
  );

  it('are known to lose acknowledged nullifiers with a standby that nobody waits for', async () => {
    const { cluster, load } = await start(false);
    load.start();
    await load.untilServed();
    await cluster.detachStandby();
    await load.untilServed();
    await load.stop();
    await cluster.failOver();
    await cluster.ready();
    await load.audit();
    await load.close();
    expect(load.ledger.faults.some((fault) => fault.startsWith('lost: a nullifier'))).toBe(true);
  });

  it.skipIf(!isPoolerInstalled)(
    'serve again after the PgBouncer between them and the server was killed',
    async () => {
      const { cluster, load } = await start(true, {
        nodes: 2,
        isPooled: true,
        env: { PROOFGATE_STORAGE_PREPARE: 'false' },
      });
      load.start();
      await load.untilServed(10);
      await cluster.pooler.kill();
      await cluster.unready();
      await cluster.pooler.start();
      await cluster.ready();
      await load.untilServed();
      await load.finish();
      console.log('pooler killed', load.ledger.counts);
      expect(load.ledger.faults).toEqual([]);
      expect(load.ledger.createdAt.size).toBeGreaterThan(10);
    },
  );
});
