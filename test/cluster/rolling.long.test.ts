// Rules: spec/operations.md#many-nodes
import { createRequire } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProofgate } from '../support/server/server-process.ts';
import { authorize, openSignIn, redeemCode } from '../support/signin/driver.ts';
import { openRequest, proveRequest } from '../support/test-wallet.ts';
import { pollUntil } from '../support/until.ts';
import { ALL_SERVED, ClusterLoad } from './support/cluster-load.ts';
import {
  CLUSTER_SKIP,
  commandEnv,
  isClusterPossible,
  openedCluster,
  replaceNode,
} from './support/loaded-cluster.ts';
import { makeNextRelease } from './support/next-release.ts';

const NODES = 3;
const manifest = createRequire(import.meta.url)('../../package.json') as { readonly version: string };

describe.skipIf(!isClusterPossible)(`nodes that share a PostgreSQL${CLUSTER_SKIP}`, () => {
  const { cluster, client } = openedCluster({
    nodes: NODES,
    isSynchronous: true,
  });

  /** Versions of the nodes, without the commit of a build that is not released. */
  const versions = (): Promise<string[]> =>
    cluster.withStore(async (store) =>
      (await store.nodes.list()).map(({ version }) => version.replace(/-dev\b.*/, '')),
    );

  it('are replaced one after the other under load without a failed request', async () => {
    const load = await ClusterLoad.create(cluster, client, 'rolling', 'balancer only');
    load.start();
    await load.untilServed();
    for (let index = 0; index < NODES; index++) await replaceNode(cluster, load, index);
    await load.untilSeen(ALL_SERVED);
    await load.stop();
    await load.close();
    const kinds = Object.keys(load.ledger.counts).sort();
    console.log('rolling restart', load.ledger.counts);
    expect([...load.ledger.faults, ...load.ledger.refusals]).toEqual([]);
    expect(kinds).toEqual(ALL_SERVED);
  }, 300_000);

  it('are upgraded to the next release one after the other under load, and go back, without a failed request', async () => {
    const next = makeNextRelease();
    onTestFinished(() => next.remove());
    const load = await ClusterLoad.create(cluster, client, 'upgrade', 'balancer only');
    const replace = (index: number, program?: string): Promise<void> =>
      replaceNode(cluster, load, index, program);
    load.start();
    await replace(0, next.program);
    // A node of the former release starts again on a store that the next one has migrated.
    await replace(1);
    expect((await versions()).sort()).toEqual([manifest.version, manifest.version, next.version]);
    await replace(1, next.program);
    await replace(2, next.program);
    expect(await versions()).toEqual([next.version, next.version, next.version]);
    await replace(0);
    await load.untilSeen(ALL_SERVED);
    await load.finish();
    console.log('rolling upgrade', load.ledger.counts);
    expect([...load.ledger.faults, ...load.ledger.refusals]).toEqual([]);
    expect(Object.keys(load.ledger.counts).sort()).toEqual(ALL_SERVED);
    const newest = 'select max(version) as version from schema_migrations';
    const version = String(next.migration);
    expect(await cluster.primary.query(newest, cluster.database)).toEqual([{ version }]);
  }, 300_000);

  it('complete a sign-in that began at one, was proved at a second and is redeemed at a third', async () => {
    await cluster.ready();
    const [one = '', two = '', three = ''] = cluster.nodeUrls;
    // The page is at the issuer, which is the balancer.
    const response = await authorize(one, {
      response_type: 'code',
      scope: 'openid',
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
    });
    expect([response.status, await response.text()]).toEqual([303, '']);
    const txn = response.headers.get('location')?.split('/').at(-1) ?? '';
    const [cookie = ''] = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    const begun = await openSignIn(one, txn, cookie);
    const request = await openRequest(await begun.readConnectUrl(), two);
    expect(await request.answer(await proveRequest(request.plaintext, { person: 'ada' }))).toBe(201);
    const atThird = await openSignIn(three, txn, cookie);
    expect(await atThird.settle()).toMatchObject({ status: 'completed' });
    const { parameters } = await (await openSignIn(two, txn, cookie)).finish();
    const redeem = async (url: string): Promise<{ status: number; token: string }> => {
      const response = await redeemCode(url, client, parameters.code);
      const body = (await response.json()) as { access_token?: string };
      return { status: response.status, token: body.access_token ?? '' };
    };
    const { status, token } = await redeem(three);
    expect(status).toBe(200);
    const userinfo = async (url: string): Promise<number> =>
      (await fetch(`${url}/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await Promise.all(cluster.nodeUrls.map(userinfo))).toEqual([200, 200, 200]);
    expect((await redeem(one)).status).toBe(400);
    expect(await Promise.all(cluster.nodeUrls.map(userinfo))).toEqual([401, 401, 401]);
  });

  it('publish the same signing keys', async () => {
    const [one, two, three] = await Promise.all(cluster.nodeUrls.map(keyIds));
    expect(one).toHaveLength(2);
    expect([two, three]).toEqual([one, one]);
  });

  it('follow a change that a command makes within storage.cacheSeconds', async () => {
    const env = commandEnv(cluster);
    const codes = (): Promise<string[]> =>
      Promise.all(
        cluster.nodeUrls.map(async (url) => {
          const response = await redeemCode(url, client, 'x');
          return ((await response.json()) as { error: string }).error;
        }),
      );
    expect(await codes()).toEqual(['invalid_grant', 'invalid_grant', 'invalid_grant']);
    expect((await runProofgate(['apps', 'disable', client.clientId], env)).code).toBe(0);
    await pollUntil(async () => (await codes()).every((code) => code === 'invalid_client'));
    expect((await runProofgate(['apps', 'enable', client.clientId], env)).code).toBe(0);
    await pollUntil(async () => (await codes()).every((code) => code === 'invalid_grant'));
    const rotated = await runProofgate(['keys', 'rotate', '--force', '--json'], env);
    const { next } = JSON.parse(rotated.output.split('\n').find((line) => line.startsWith('{')) ?? '') as {
      next: string;
    };
    await pollUntil(async () =>
      (await Promise.all(cluster.nodeUrls.map(keyIds))).every((kids) => kids.includes(next)),
    );
  });

  it('are listed for operators, and refuse one with another master key', async () => {
    const env = { ...commandEnv(cluster, 2), PROOFGATE_SERVER_PORT: '0', PROOFGATE_ADMIN_PORT: '0' };
    const listed = await runProofgate(['nodes', 'list', '--json'], env);
    expect((JSON.parse(listed.output) as { nodes: unknown[] }).nodes).toHaveLength(NODES);
    const refused = await runProofgate(['serve'], env);
    expect(refused.code).toBe(78);
    expect(refused.output).toContain('keys.masterKey: node ');
  });
});

/** Ids of the signing keys that a node publishes. */
async function keyIds(url: string): Promise<string[]> {
  const body = (await (await fetch(`${url}/jwks.json`)).json()) as { keys: { kid: string }[] };
  return body.keys.map(({ kid }) => kid).sort();
}
