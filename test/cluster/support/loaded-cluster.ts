import { STANDBY_SKIP } from '../../support/postgres/postgres-programs.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { isBalancerInstalled } from './balancer.ts';
import { Cluster, type ClusterOptions } from './cluster.ts';
import { ClusterLoad, LOAD_ENV } from './cluster-load.ts';

/** To be added to the name of a suite that is skipped without a cluster. */
export const CLUSTER_SKIP: string = isBalancerInstalled
  ? STANDBY_SKIP
  : ' (skipped: HAProxy is not installed)';

/** Whether a cluster can be started here. */
export const isClusterPossible: boolean = CLUSTER_SKIP === '';

/** Starts a cluster with the settings and the records of `ClusterLoad`; returns it with the client that signs in. */
export async function startLoadedCluster(
  options: Omit<ClusterOptions, 'prepare'>,
): Promise<{ readonly cluster: Cluster; readonly client: TestClient }> {
  let client: TestClient | undefined;
  const cluster = await Cluster.start({
    ...options,
    env: { ...LOAD_ENV, ...options.env },
    prepare: async (store) => {
      client = await ClusterLoad.prepare(store);
    },
  });
  if (client === undefined) throw new Error('the store was not prepared');
  return { cluster, client };
}
