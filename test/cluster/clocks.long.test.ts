// Rules: spec/operations.md#many-nodes
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProofgate } from '../support/server/server-process.ts';
import { SECRET_HMAC_KEY, type TestClient } from '../support/signin/clients.ts';
import { auditRefreshes } from './support/audit-refreshes.ts';
import type { Cluster } from './support/cluster.ts';
import { ClusterLoad } from './support/cluster-load.ts';
import { CLUSTER_SKIP, isClusterPossible, startLoadedCluster } from './support/loaded-cluster.ts';

/** How far the clock of each node is ahead. */
const AHEAD_MS = [5000, 0, -5000] as const;
/** Kinds of answers if every request was served, and how many of each are waited for. */
const SERVED = [
  'refresh: 200',
  'refresh: 429',
  'token: 200',
  'token: 400',
  'verify: new',
  'verify: repeated',
];
const OF_EACH = 6;

const clockEnv = (aheadMs: number): Record<string, string> => {
  const preload = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));
  return { NODE_OPTIONS: `--import=file://${preload}?${aheadMs}` };
};

describe.skipIf(!isClusterPossible)(`nodes whose clocks differ by 10 s${CLUSTER_SKIP}`, () => {
  let cluster: Cluster;
  let client: TestClient;

  beforeAll(async () => {
    ({ cluster, client } = await startLoadedCluster({
      nodes: AHEAD_MS.length,
      isSynchronous: true,
      nodeEnv: (index) => clockEnv(AHEAD_MS[index] ?? 0),
    }));
  });

  afterAll(() => cluster?.end());

  it('complete sign-ins, issue one credential in a window, and lose nothing', async () => {
    const load = await ClusterLoad.create(cluster, client, 'clocks');
    load.start();
    await load.untilSeen(SERVED, OF_EACH);
    await load.stop();
    await load.audit();
    const audit = await auditRefreshes(cluster, load, 2 * Math.max(...AHEAD_MS));
    await load.close();
    console.log('clocks', load.ledger.counts, audit);
    expect(load.ledger.faults).toEqual([]);
    expect(audit.faults).toEqual([]);
    const kinds = Object.keys(load.ledger.counts);
    expect(kinds).toEqual(expect.arrayContaining(SERVED));
    // On a machine with other load a node that has just started may refuse while it opens its sessions.
    expect(kinds.filter((kind) => !SERVED.includes(kind) && !kind.endsWith(': 503'))).toEqual([]);
  });

  it('warn about it, as does the diagnosis', async () => {
    const warned = cluster.nodes.map((node) => node.output().includes('"event":"node.clock_offset"'));
    expect(warned).toEqual([true, false, true]);
    const doctor = await runProofgate(['doctor', '--json'], {
      PROOFGATE_PROFILE: 'test',
      PROOFGATE_STORAGE_URL: cluster.storeUrl,
      PROOFGATE_KEYS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
      ...clockEnv(AHEAD_MS[0]),
    });
    expect(doctor.output).toMatch(/clock offset.*[45][0-9]{3} ms ahead of the database server/s);
  });
});
