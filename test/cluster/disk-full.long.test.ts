// Rules: spec/operations.md#postgresql-failures
import { afterAll, describe, expect, it } from 'vitest';
import { isDiskMountable, mountSmallDisk, type SmallDisk } from '../support/postgres/small-disk.ts';
import { pollUntil } from '../support/until.ts';
import type { Cluster } from './support/cluster.ts';
import { ClusterLoad } from './support/cluster-load.ts';
import { CLUSTER_SKIP, isClusterPossible, startLoadedCluster } from './support/loaded-cluster.ts';

const isPossible = isClusterPossible && isDiskMountable;
const skip = isDiskMountable ? CLUSTER_SKIP : ' (skipped: no file system can be mounted here)';
/** Room for a new server and some of its log. */
const DISK_MB = 300;
/** Refusals in which nothing may have been accepted. */
const REFUSALS = 100;

describe.skipIf(!isPossible)(`nodes whose PostgreSQL has a full disk${skip}`, () => {
  let disk: SmallDisk | undefined;
  let cluster: Cluster | undefined;

  afterAll(async () => {
    await cluster?.end();
    disk?.unmount();
  });

  it('answer 503 and never success, serve again when there is room, and have lost nothing', async () => {
    disk = mountSmallDisk(DISK_MB);
    const started = await startLoadedCluster({
      nodes: 2,
      // The crash of a server with a full disk may leave its standby behind; here it is about the server alone.
      isSynchronous: false,
      primaryFolder: disk.folder,
    });
    cluster = started.cluster;
    const { primary } = cluster;
    const load = await ClusterLoad.create(cluster, started.client, 'disk full');
    const { counts } = load.ledger;
    load.start();
    await load.untilServed();
    disk.fill();
    // Rows need no room as long as their pages have some; a new segment of the server's log does.
    await pollUntil(() =>
      primary.query('select pg_switch_wal()').then(
        () => false,
        () => true,
      ),
    );
    await cluster.unready();
    // What was committed before may be answered only now.
    await load.stop();
    const before = counts['verify: new'];
    load.start();
    const enough = (counts['verify: 503'] ?? 0) + REFUSALS;
    await pollUntil(() => (counts['verify: 503'] ?? 0) >= enough);
    expect(counts['verify: new']).toBe(before);
    disk.free();
    await primary.stop('immediate');
    await primary.start();
    await cluster.ready();
    await load.untilServed();
    await load.finish();
    console.log('disk full', counts);
    expect(load.ledger.faults).toEqual([]);
    expect(counts['verify: new']).toBeGreaterThan(before ?? 0);
  });
});
