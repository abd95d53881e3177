// Rules: spec/operations.md#many-nodes
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProofgate } from '../support/server/server-process.ts';
import { auditRefreshes } from './support/audit-refreshes.ts';
import { ALL_SERVED, ClusterLoad } from './support/cluster-load.ts';
import { CLUSTER_SKIP, commandEnv, isClusterPossible, openedCluster } from './support/loaded-cluster.ts';

/** How far the clock of each node is ahead. */
const AHEAD_MS = [5000, 0, -5000] as const;
/** How many answers of each kind are waited for. */
const OF_EACH = 6;

const clockEnv = (aheadMs: number): Record<string, string> => {
  const preload = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));
  return { NODE_OPTIONS: `--import=file://${preload}?${aheadMs}` };
};

describe.skipIf(!isClusterPossible)(`nodes whose clocks differ by 10 s${CLUSTER_SKIP}`, () => {
  const { cluster, client } = openedCluster({
    nodes: AHEAD_MS.length,
    isSynchronous: true,
    nodeEnv: (index) => clockEnv(AHEAD_MS[index] ?? 0),
  });

  it('complete sign-ins, issue one credential in a window, and lose nothing', async () => {
    const load = await ClusterLoad.create(cluster, client, 'clocks');
    load.start();
    await load.untilSeen(ALL_SERVED, OF_EACH);
    await load.stop();
    await load.audit();
    const audit = await auditRefreshes(cluster, load, 2 * Math.max(...AHEAD_MS));
    await load.close();
    console.log('clocks', load.ledger.counts, audit);
    expect(load.ledger.faults).toEqual([]);
    expect(audit.faults).toEqual([]);
    const kinds = Object.keys(load.ledger.counts);
    expect(kinds).toEqual(expect.arrayContaining([...ALL_SERVED]));
    // On a machine with other load a node that has just started may refuse while it opens its sessions.
    expect(kinds.filter((kind) => !ALL_SERVED.includes(kind) && !kind.endsWith(': 503'))).toEqual([]);
  });

  it('warn about it, as does the diagnosis', async () => {
    const warned = cluster.nodes.map((node) => node.output().includes('"event":"node.clock_offset"'));
    expect(warned).toEqual([true, false, true]);
    const doctor = await runProofgate(['doctor', '--json'], {
      ...commandEnv(cluster),
      ...clockEnv(AHEAD_MS[0]),
    });
    expect(doctor.output).toMatch(/clock offset.*[45][0-9]{3} ms ahead of the database server/s);
  });
});
