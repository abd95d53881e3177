// Rules: spec/operations.md#migrations
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';
import { pollUntil } from '../support/until.ts';
import { auditRefreshes } from './support/audit-refreshes.ts';
import { ALL_SERVED, ClusterLoad, type LoadTarget } from './support/cluster-load.ts';
import { buildFormerRelease, type FormerRelease, findFormerRelease } from './support/former-release.ts';
import {
  CLUSTER_SKIP,
  isClusterPossible,
  replaceNode,
  startLoadedCluster,
} from './support/loaded-cluster.ts';
import { makeNextRelease } from './support/next-release.ts';
import { SingleNode } from './support/single-node.ts';

const SIGN_INS = 4;

const found = findFormerRelease();
const FORMER_SKIP = 'reason' in found ? ` (skipped: ${found.reason})` : '';

let built: Promise<FormerRelease> | undefined;
function buildOnce(): Promise<FormerRelease> {
  if (!('commit' in found)) throw new Error(found.reason);
  built ??= buildFormerRelease(found.commit);
  return built;
}

afterAll(async () => (await built)?.remove());

/** Sends until some sign-ins and refreshes have ended, and expects that every request was served. */
async function expectService(load: ClusterLoad): Promise<void> {
  const { counts, faults, refusals } = load.ledger;
  const ended = (what: string): number =>
    Object.entries(counts).reduce((sum, [kind, count]) => sum + (kind.startsWith(what) ? count : 0), 0);
  load.ledger.beginPhase();
  load.start();
  await pollUntil(() => ended('token') / 3 + ended('sign-in') >= SIGN_INS && ended('refresh') >= SIGN_INS);
  await load.stop();
  expect([...faults, ...refusals]).toEqual([]);
  expect(Object.keys(counts).sort()).toEqual(ALL_SERVED);
}

/** Expects that nothing that was acknowledged has been lost, and no error but the documented 503 was answered. */
async function expectNothingLost(target: LoadTarget, load: ClusterLoad): Promise<void> {
  await load.audit();
  expect(load.ledger.faults).toEqual([]);
  expect(load.ledger.createdAt.size).toBeGreaterThan(0);
  expect(load.ledger.redeemed.size).toBeGreaterThan(0);
  expect((await auditRefreshes(target, load)).faults).toEqual([]);
}

describe('a node on libsql', () => {
  let node: SingleNode;
  let load: ClusterLoad;

  afterEach(async () => {
    await load?.close();
    await node?.end();
  });

  /** Makes the store with a release and starts that. */
  const begin = async (release?: FormerRelease): Promise<void> => {
    node = await SingleNode.create();
    let client: TestClient | undefined;
    const prepare = async (store: Parameters<typeof ClusterLoad.prepare>[0]): Promise<void> => {
      await store.migrate();
      client = await ClusterLoad.prepare(store);
    };
    if (release === undefined) await node.withStore(prepare);
    else {
      const store = await release.openStore(node.storage);
      await prepare(store);
      await store.close();
    }
    await node.start(release?.program);
    if (client === undefined) throw new Error('the store was not prepared');
    load = await ClusterLoad.create(node, client, 'upgrade');
  };

  /** Replaces the program under load, and expects that it serves and nothing is lost. */
  const replace = async (program?: string): Promise<void> => {
    load.ledger.beginPhase();
    const redeemed = load.ledger.redeemed.size;
    load.start();
    await pollUntil(() => load.ledger.redeemed.size > redeemed);
    expect(await node.stop()).toBe(0);
    await node.start(program);
    await load.stop();
    console.log('libsql, while the program was replaced', load.ledger.counts);
    await expectService(load);
    await expectNothingLost(node, load);
  };

  it('is upgraded to the next release under load, and goes back, and loses nothing', async () => {
    const next = makeNextRelease();
    onTestFinished(() => next.remove());
    await begin();
    await replace(next.program);
    expect(node.output).toContain('"event":"store.migrating"');
    await replace();
  }, 300_000);

  it('is not taken for served by the former release if the next one has removed a column that it needs', async () => {
    const next = makeNextRelease(
      'alter table authorization_codes rename column code_challenge to challenge;\n',
      (source) =>
        source
          .replaceAll('code_challenge', 'challenge')
          .replace(
            /codeChallenge: (optional\([\w$]+\))/,
            "codeChallenge: { ...$1, texts: () => ['challenge'] }",
          ),
    );
    onTestFinished(() => next.remove());
    await begin();
    await node.stop();
    await node.start(next.program);
    await expectService(load);
    await node.stop();
    await node.start();
    await expect(expectService(load)).rejects.toThrow(/sign-in: /);
  }, 300_000);

  describe.skipIf('reason' in found)(`of the former release in the history${FORMER_SKIP}`, () => {
    const former = opened(buildOnce);

    it('is upgraded under load and loses nothing; the former release starts again or refuses the store', async () => {
      await begin(former);
      await replace();
      if (former.heedsRequirements) {
        await replace(former.program);
      } else {
        await node.stop();
        await expect(node.start(former.program)).rejects.toThrow(/store\.newer/);
        await node.start();
        await expectService(load);
      }
    }, 300_000);
  });
});

describe.skipIf(!isClusterPossible || 'reason' in found)(
  `nodes on PostgreSQL of the former release in the history${CLUSTER_SKIP}${FORMER_SKIP}`,
  () => {
    const former = opened(buildOnce);

    it('are upgraded one after the other under load without a failed request, and go back or refuse', async () => {
      const { cluster, client } = await startLoadedCluster({
        nodes: 2,
        isSynchronous: false,
        release: former,
      });
      onTestFinished(() => cluster.end());
      const load = await ClusterLoad.create(cluster, client, 'from the former', 'balancer only');
      const replace = (index: number, program?: string): Promise<void> =>
        replaceNode(cluster, load, index, program);
      load.start();
      await pollUntil(() => load.ledger.redeemed.size > 0);
      await replace(0);
      // Both releases serve now. A sign-in that meets both must begin again, since they name its cookie differently.
      const verified = load.ledger.createdAt.size;
      await pollUntil(() => load.ledger.createdAt.size > verified + 1);
      if (!former.heedsRequirements) {
        await expect(startAgain()).rejects.toThrow(/store\.newer/);
      } else await replace(1, former.program);
      await replace(1);
      if (former.heedsRequirements) await replace(0, former.program);
      await load.untilSeen(ALL_SERVED);
      await load.stop();
      console.log('PostgreSQL, from the former', load.ledger.counts);
      await expectNothingLost(cluster, load);
      await load.close();
      expect(load.ledger.refusals).toEqual([]);
      const kinds = Object.keys(load.ledger.counts).filter((kind) => kind !== 'sign-in: not finished');
      expect(kinds.sort()).toEqual(ALL_SERVED);

      /** A further node of the former release; the one that runs goes on. */
      function startAgain(): Promise<void> {
        return cluster.startNode(
          2,
          { PROOFGATE_SERVER_PORT: '0', PROOFGATE_STORAGE_URL: cluster.storeUrl },
          former.program,
        );
      }
    }, 300_000);
  },
);
