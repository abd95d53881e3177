// Rules: spec/operations.md#many-nodes
import { describe, expect, it, onTestFinished } from 'vitest';
import { pollUntil } from '../support/until.ts';
import * as planted from './planted/planted-faults.ts';
import { ClusterLoad } from './support/cluster-load.ts';
import { loseAnswers } from './support/faults.ts';
import { type Ledger, ONLY_REPEATED } from './support/ledger.ts';
import { CLUSTER_SKIP, isClusterPossible, openedCluster } from './support/loaded-cluster.ts';

const NODES = 2;
/** A node must be unready before, and ready again before. */
const UNREADY_LIMIT_MS = 3500;
const READY_LIMIT_MS = 6000;
const CANCEL_MS = 1000;
/** Too short for the nodes to take it for an outage, in which they would refuse what they cannot settle. */
const LOST_MS = 300;
/** A fault whose effect depends on the moment is made so often at most. */
const MOST_ROUNDS = 30;

/** The fault of an asynchronous standby is planted in faults.long.test.ts, where it needs a cluster of its own. */
describe.skipIf(!isClusterPossible)(`the audit of a cluster${CLUSTER_SKIP}`, () => {
  const { cluster, client } = openedCluster({
    nodes: NODES,
    isSynchronous: true,
  });

  /** Starts all nodes again with a fault, or without one. */
  const plant = async (fault?: planted.PlantedFault): Promise<void> => {
    const env = fault === undefined ? {} : planted.plantedEnv(fault);
    const restart = async (index: number): Promise<void> => {
      await cluster.endNode(index, 'SIGKILL');
      await cluster.startNode(index, env);
    };
    await Promise.all(cluster.nodePorts.map((_, index) => restart(index)));
    await cluster.ready();
  };

  /** Runs work under load; returns what was noticed. */
  const noticed = async (
    name: string,
    work: (load: ClusterLoad) => Promise<void>,
    targets: 'nodes too' | 'balancer only' = 'nodes too',
  ): Promise<Ledger> => {
    const load = await ClusterLoad.create(cluster, client, `planted ${name}`, targets);
    load.start();
    await load.untilServed(20);
    await work(load);
    await load.stop();
    if (targets === 'nodes too') await load.audit();
    await load.close();
    const kinds = new Set(load.ledger.faults.map((fault) => fault.replace(/ of 2.*/, '')));
    console.log(name, load.ledger.faults.length, [...kinds].slice(0, 5));
    return load.ledger;
  };

  const cancelAndFailOver = async (): Promise<void> => {
    await cluster.cancelWaits(CANCEL_MS);
    await cluster.failOver();
    await cluster.ready();
  };

  it('notices answers before the commit: acknowledged nullifiers are lost', async () => {
    await plant(planted.ANSWER_BEFORE_COMMIT);
    const { faults } = await noticed('answer before commit', async () => {
      await cluster.primary.stop('immediate');
      await cluster.primary.start();
      await cluster.ready();
    });
    expect(faults).toContainEqual(expect.stringMatching(/^lost: a nullifier of/));
    expect(faults).toContain('a nullifier was new twice');
  });

  it('notices commits that count although their wait for the standby was cancelled', async () => {
    await plant(planted.CANCELLED_COMMIT);
    const { faults } = await noticed('cancelled commit', cancelAndFailOver);
    expect(faults).toContainEqual(expect.stringMatching(/^lost: a nullifier of/));
  });

  it('notices no lost acknowledgement where such commits do not count', async () => {
    await plant();
    const { faults } = await noticed('cancelled commit, sound', cancelAndFailOver);
    // Their rows were visible: others were told that they are there, which the failover made untrue.
    expect(faults.filter((fault) => !fault.includes(ONLY_REPEATED))).toEqual([]);
  });

  it('notices uniqueness that each node keeps in its memory', async () => {
    await plant(planted.UNIQUENESS_IN_MEMORY);
    const { faults } = await noticed('uniqueness in memory', ({ ledger }) =>
      pollUntil(() => ledger.faults.includes('a nullifier was new twice')),
    );
    expect(faults).toContain('a nullifier was new twice');
  });

  it('notices an unclear commit that is taken for reuse', async () => {
    await plant(planted.UNCLEAR_IS_REUSE);
    const { faults } = await noticed('unclear taken for reuse', async (load) => {
      for (let round = 0; round < MOST_ROUNDS && load.ledger.reusedAtFirstUse().length === 0; round++) {
        await loseAnswers(cluster, LOST_MS);
        await cluster.ready();
        await load.untilServed();
      }
    });
    expect(faults).toContainEqual(expect.stringContaining('was taken for reused at its first use'));
  });

  it('notices 500 where 503 is due', async () => {
    await plant(planted.INTERNAL_ERROR);
    const { faults } = await noticed('500', async ({ ledger }) => {
      await cluster.primary.stop('immediate');
      await pollUntil(() => ledger.faults.some((fault) => fault.includes('verify: 500')));
      await cluster.primary.start();
      await cluster.ready();
    });
    expect(faults).toContainEqual(expect.stringContaining('verify: 500'));
  });

  it('notices nodes that do not connect again', async () => {
    await plant(planted.NO_RECONNECT);
    await cluster.cutConnections();
    await cluster.unready();
    await expect(cluster.ready(READY_LIMIT_MS)).rejects.toThrow('a node is not ready');
  });

  it('notices nodes that stop without letting the balancer know', async () => {
    await plant(planted.NO_DRAIN);
    const failedOf = ({ counts }: Ledger): string[] =>
      Object.keys(counts).filter((kind) => /balancer|no answer|no connection/.test(kind));
    const ledger = await noticed(
      'no drain',
      async ({ ledger }) => {
        for (let round = 0; round < MOST_ROUNDS && failedOf(ledger).length === 0; round++) {
          await cluster.endNode(0, 'SIGTERM');
          await cluster.startNode(0, planted.plantedEnv(planted.NO_DRAIN));
          await cluster.ready();
        }
      },
      'balancer only',
    );
    expect(failedOf(ledger)).not.toEqual([]);
  });

  it('notices calls without a time limit: nodes stay ready on a frozen server', async () => {
    await plant(planted.NO_TIME_LIMIT);
    cluster.primary.freeze();
    onTestFinished(() => cluster.primary.thaw());
    await expect(cluster.unready(UNREADY_LIMIT_MS)).rejects.toThrow('a node is ready');
  });
});
