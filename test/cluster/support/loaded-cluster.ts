import { expect } from 'vitest';
import { opened } from '../../support/opened.ts';
import { STANDBY_SKIP } from '../../support/postgres/postgres-programs.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { SECRET_HMAC_KEY } from '../../support/signin/clients.ts';
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

/** Starts such a cluster before the tests of the suite, and ends it after them. */
export function openedCluster(...given: Parameters<typeof startLoadedCluster>): {
  readonly cluster: Cluster;
  readonly client: TestClient;
} {
  const loaded = opened(
    () => startLoadedCluster(...given),
    ({ cluster }) => cluster.end(),
  );
  return { cluster: opened(() => loaded.cluster), client: opened(() => loaded.client) };
}

/** Replaces a node by one of a program, by default that of this tree, while the load runs. */
export async function replaceNode(
  cluster: Cluster,
  load: ClusterLoad,
  index: number,
  program?: string,
): Promise<void> {
  expect(await cluster.endNode(index, 'SIGTERM')).toBe(0);
  await cluster.startNode(index, {}, program);
  await cluster.ready();
  await load.untilServed();
}

/** Environment of a command on the store of a cluster; `keyByte` fills the master key. */
export function commandEnv({ storeUrl }: Cluster, keyByte = 1): Record<string, string> {
  return {
    PROOFGATE_PROFILE: 'test',
    PROOFGATE_STORAGE_URL: storeUrl,
    PROOFGATE_KEYS_MASTER_KEY: Buffer.alloc(32, keyByte).toString('base64'),
    PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
  };
}
