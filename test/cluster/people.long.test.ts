// Rules: spec/sign-in.md#people
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { addClient, type TestClient } from '../support/signin/clients.ts';
import { CROWD_ENV, Crowd4 } from '../support/signin/crowd4.ts';
import { addWallet4State } from '../support/test-wallet4.ts';
import { Cluster } from './support/cluster.ts';
import { CLUSTER_SKIP, isClusterPossible } from './support/loaded-cluster.ts';

const PEOPLE = ['ada', 'blaise', 'carl'];
const ROUNDS = 4;

describe.skipIf(!isClusterPossible)(`people at three nodes on one PostgreSQL${CLUSTER_SKIP}`, () => {
  let cluster: Cluster | undefined;

  afterAll(async () => {
    await cluster?.end();
  });

  it('have one sub and sessions of their own, also those who sign in twice at once while a node is killed', async () => {
    const clients: TestClient[] = [];
    const started = await Cluster.start({
      nodes: 3,
      isSynchronous: true,
      env: CROWD_ENV,
      prepare: async (store) => {
        for (const binding of ['bound', 'paired'] as const) clients.push(await addClient(store, { binding }));
      },
    });
    cluster = started;
    await started.ready();
    await started.withStore(async (store) => {
      await addWallet4State(store);
      for (const client of clients) {
        const crowd = new Crowd4({ baseUrl: started.balancer.url, client, store });
        let failed = 0;
        for (let round = 0; round < ROUNDS; round++) {
          const victim = round % started.nodePorts.length;
          const killed = delay(500).then(() => started.endNode(victim, 'SIGKILL'));
          const tries = [...PEOPLE, ...PEOPLE].map(async (person) => {
            try {
              await crowd.signIn(person);
            } catch {
              // The node that served it was killed.
              failed += 1;
            }
          });
          await Promise.all([...tries, killed]);
          await started.startNode(victim);
          await started.ready();
        }
        for (const person of PEOPLE) await crowd.signIn(person);
        expect(await crowd.faults(store)).toEqual([]);
        expect(crowd.count).toBeGreaterThan(PEOPLE.length);
        console.log(`${client.clientId}: ${crowd.count} sign-ins, ${failed} cut off`);
      }
    });
  }, 240_000);
});
