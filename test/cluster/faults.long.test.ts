// Rules: spec/operations.md#many-nodes
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/index.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../support/postgres/postgres-programs.ts';
import { auditIssuance } from '../support/refresh/audit.ts';
import type { TestClient } from '../support/signin/clients.ts';
import { isBalancerInstalled } from './support/balancer.ts';
import { Cluster } from './support/cluster.ts';
import { ClusterLoad, LOAD_ENV } from './support/cluster-load.ts';

/** `ROUNDS=10` makes the run longer: each fault is made so many times, and those of `TWICE` twice as many. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
const NODES = 3;
const FREEZE_MS = 5000;
const DAY_SECONDS = 86_400;

type Fault = (cluster: Cluster, round: number) => Promise<void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  'a node is killed': async (cluster, round) => {
    await cluster.endNode(round % NODES, 'SIGKILL');
    await delay(300);
    await cluster.startNode(round % NODES);
  },
  'a node is replaced in order': async (cluster, round) => {
    expect(await cluster.endNode(round % NODES, 'SIGTERM')).toBe(0);
    await cluster.startNode(round % NODES);
  },
  'the primary dies and the standby takes over': (cluster) => cluster.failOver(),
  'the server is restarted': async ({ primary }, round) => {
    await primary.stop(round % 2 === 0 ? 'fast' : 'immediate');
    await primary.start();
  },
  'the server is frozen': async ({ primary }) => {
    primary.freeze();
    await delay(FREEZE_MS);
    primary.thaw();
  },
  'all connections are cut': async ({ primary, database }) => {
    await primary.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    );
  },
  'the server has no connection left': async ({ primary, database }) => {
    const others = await primary.takeConnections();
    // The sessions of the nodes are cut, and most of their slots are taken before they can open others.
    await others.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    );
    const more = await primary.takeConnections();
    await delay(1000);
    await Promise.all([others.free(), more.free()]);
  },
};
const TWICE = ['a node is killed', 'a node is replaced in order', 'all connections are cut'];

const isPossible = POSTGRES_BIN !== undefined && isBalancerInstalled;
const skip = isBalancerInstalled ? POSTGRES_SKIP : ' (skipped: HAProxy is not installed)';

describe.skipIf(!isPossible)(`three nodes on one PostgreSQL${skip}`, () => {
  let cluster: Cluster | undefined;

  afterEach(async () => {
    await cluster?.end();
    cluster = undefined;
  });

  const start = async (isSynchronous: boolean): Promise<{ cluster: Cluster; load: ClusterLoad }> => {
    let client: TestClient | undefined;
    const started = await Cluster.start({
      nodes: NODES,
      isSynchronous,
      env: LOAD_ENV,
      prepare: async (store) => {
        client = await ClusterLoad.prepare(store);
      },
    });
    cluster = started;
    if (client === undefined) throw new Error('the store was not prepared');
    return { cluster: started, load: await ClusterLoad.create(started, client, `cluster ${isSynchronous}`) };
  };

  it(
    'lose nothing that was acknowledged and accept nothing twice, whatever fails',
    async () => {
      const { cluster, load } = await start(true);
      const { ledger } = load;
      for (let round = 0; round < ROUNDS * 2; round++) {
        for (const [name, fault] of Object.entries(FAULTS)) {
          if (round >= ROUNDS && !TWICE.includes(name)) continue;
          load.start();
          await delay(700);
          await fault(cluster, round);
          await cluster.ready();
          await delay(300);
          await load.stop();
          expect(ledger.faults, name).toEqual([]);
        }
      }
      await load.audit();
      const engine = await createEngine({
        workers: 0,
        backend: 'auto',
        maxQueue: 64,
        maxBatch: 64,
        maxBatchDelayMs: 0,
      });
      const audit = await cluster.withStore((store) =>
        auditIssuance(store, engine, load.refreshes, {
          limit: 1,
          // A node that waited for another one's commit counts from a time before it.
          windowSeconds: DAY_SECONDS + 1,
          enrolled: load.enrolled,
        }),
      );
      await engine.close();
      await load.close();
      console.log(ROUNDS, ledger.counts, { ...audit, acknowledgedNullifiers: ledger.createdAt.size });
      expect(ledger.faults).toEqual([]);
      expect(audit.faults).toEqual([]);
      expect(ledger.createdAt.size).toBeGreaterThan(100);
      expect(ledger.redeemed.size).toBeGreaterThan(1);
      expect(audit.acknowledged).toBeGreaterThan(1);
    },
    300_000 + ROUNDS * 120_000,
  );

  it('are known to lose acknowledged nullifiers with a standby that nobody waits for', async () => {
    const { cluster, load } = await start(false);
    load.start();
    await delay(500);
    await cluster.detachStandby();
    await delay(1000);
    await load.stop();
    await cluster.failOver();
    await cluster.ready();
    await load.audit();
    await load.close();
    expect(load.ledger.faults.some((fault) => fault.startsWith('lost: a nullifier'))).toBe(true);
  }, 120_000);
});
