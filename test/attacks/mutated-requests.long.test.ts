/**
 * Mutated requests to every public endpoint over raw sockets. A long run can be interrupted and continued:
 *
 *   MUTATIONS=10000000 MUTATION_STATE=FILE npm test -- test/attacks/mutated-requests.long.test.ts
 *
 * `MUTATION_SEED` sets the first seed. The state file has progress, statuses, findings and the server's memory.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { residentMib } from '../../bench/load/processes/process-cpu.ts';
import { openStore } from '../../src/storage/open-store.ts';
import { freePort } from '../support/free-port.ts';
import { type ServerProcess, startServer } from '../support/server/server-process.ts';
import { SECRET_HMAC_KEY, type TestClient } from '../support/signin/clients.ts';
import { registerLoadApp } from '../support/signin/register-load-app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { addWalletRoots } from '../support/test-wallet.ts';
import { type MutationState, openState, runCases, saveState } from './support/mutation-run.ts';
import { registerCorpus, requestCorpus } from './support/request-corpus.ts';

const MUTATIONS = Number(process.env.MUTATIONS ?? 12_000);
const STATE_FILE = process.env.MUTATION_STATE;
const SEED = Number(process.env.MUTATION_SEED ?? 20_261_123);
/** Cases between two memory samples; each block makes new templates. */
const BLOCK = Math.min(100_000, Math.ceil(MUTATIONS / 4));
const CONNECTIONS = 640;
const LIMITS_OFF = ['AUTHORIZE', 'STATUS', 'TOKEN', 'INTROSPECT', 'REVOKE', 'BRIDGE', 'CLIENT_AUTH_FAILURES'];

describe('every public endpoint under mutated requests', () => {
  const dataDir = temporaryFolder('mutations', afterAll);
  let server: ServerProcess;
  let client: TestClient;
  let baseUrl: string;

  beforeAll(async () => {
    const store = await openStore({
      url: `libsql:${dataDir}/proofgate.db`,
      groupMaxRows: 512,
      groupMaxDelayMs: 0,
    });
    await store.migrate();
    await registerLoadApp(store);
    await addWalletRoots(store);
    client = await registerCorpus(store);
    await store.close();
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    server = await startServer(dataDir, {
      PROOFGATE_BASE_URL: baseUrl,
      PROOFGATE_SERVER_PORT: String(port),
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
      PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
      PROOFGATE_LOG_LEVEL: 'fatal',
      // Only a trusted proxy may set the request id, by which the test matches answers to requests.
      PROOFGATE_PROXY_TRUSTED: '127.0.0.1/32',
      PROOFGATE_PROXY_HEADER: 'x-forwarded-for',
      ...Object.fromEntries(LIMITS_OFF.map((name) => [`PROOFGATE_RATE_LIMITS_${name}`, '0'])),
    });
  });
  afterAll(() => server.end('SIGTERM'));

  it(
    `answers ${MUTATIONS} of them without a crash, an internal error or an answer that belongs to another`,
    async () => {
      const state = openState(STATE_FILE, SEED);
      const port = Number(new URL(baseUrl).port);
      while (state.done < MUTATIONS && state.findings.length === 0) {
        const corpus = await requestCorpus(baseUrl, client);
        const end = Math.min(MUTATIONS, state.done + BLOCK);
        await runCases({ port, corpus, connections: CONNECTIONS }, state, end);
        if (server.child.exitCode !== null) state.findings.push(`the server ended: ${server.output()}`);
        else state.residentMib.push(Math.round(residentMib(server.child.pid ?? 0)));
        saveState(STATE_FILE, state);
        if (STATE_FILE !== undefined) console.log(`${state.done} done`, state.statuses, state.findings);
      }
      expect(state.findings).toEqual([]);
      expect(state.statuses['200'] ?? 0).toBeGreaterThan(MUTATIONS / 50);
      expect(state.statuses['400'] ?? 0).toBeGreaterThan(MUTATIONS / 10);
      expectSteadyMemory(state);
      expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    },
    MUTATIONS * 20 + 60_000,
  );
});

/**
 * Expects that the last quarter of a run needs little more memory than the second: a leak keeps growing. A run of few
 * samples proves nothing, because the heap has not reached its steady size.
 */
function expectSteadyMemory({ residentMib: samples }: MutationState): void {
  if (samples.length < 8) return;
  const quarter = Math.floor(samples.length / 4);
  const most = (part: readonly number[]): number => Math.max(...part);
  expect(most(samples.slice(-quarter))).toBeLessThan(most(samples.slice(quarter, 2 * quarter)) * 1.25 + 32);
}
