import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCredential } from '../../../src/credential/parse.ts';
import { createEngine } from '../../../src/engine/create-engine.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { BindingRow } from '../../../src/storage/refresh/issuance.ts';
import type { Store } from '../../../src/storage/store.ts';
import { auditIssuance } from '../../support/refresh/audit.ts';
import { openRefreshClient, type RefreshClient } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { type KillableRefresh, startKillableRefresh } from '../../support/refresh/killable-refresh.ts';
import {
  LOAD_ORB,
  type LoadRequest,
  loadRequests,
  loadSignupId,
  refreshUntilGone,
  type SentRefresh,
  sendRefresh,
} from '../../support/refresh/load.ts';
import { enrolHolders, registerOrbKey } from '../../support/refresh/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** `KILLS=200` makes the run longer. */
const KILLS = Number(process.env.KILLS ?? 10);
const CLIENTS = 12;
const HOLDERS_PER_ROUND = 20;
const LIMIT = 5;
const LATEST_KILL_MS = 3000;
const WINDOW_SECONDS = 86_400;
const KINDS = ['plain', 'package', 'plain', 'contested'] as const;
const dataDir = temporaryFolder('refresh-kill', afterAll);

const numberOfRound = (round: number, below: number): number =>
  createHash('sha256').update(`refresh ${round}`).digest().readUInt32BE() % below;
/** Returns the time of a kill, 0 to 799 ms after the first credential of the round. */
const momentOf = (round: number): number => numberOfRound(round, 800);
/** Returns the number of changes of the write-ahead log before a kill, from 1 to 100. */
const writeOf = (round: number): number => 1 + numberOfRound(round, 100);

const namesOf = (round: number): string[] =>
  Array.from({ length: HOLDERS_PER_ROUND }, (_, index) => `round ${round} holder ${index}`);
const ROUNDS = Array.from({ length: KILLS }, (_, round) => round);
const NAMES = ROUNDS.flatMap(namesOf);

async function prepare(store: Store): Promise<void> {
  await registerOrbKey(store, LOAD_ORB.orbId, LOAD_ORB.pem, Date.now());
  for (const name of NAMES) {
    const record = { orbId: LOAD_ORB.orbId, signupId: loadSignupId(name) };
    await enrolHolders(store, [testHolder(name)], Date.now(), record);
  }
}

/** Makes the requests of a round's holders, with their kinds mixed. */
async function requestsOf(client: RefreshClient, round: number): Promise<LoadRequest[]> {
  const requests: LoadRequest[] = [];
  for (const [index, name] of namesOf(round).entries()) {
    requests.push(...(await loadRequests(client, name, KINDS[index % KINDS.length] ?? 'plain')));
  }
  return requests;
}

/** Sends one more request of each holder; returns them with the faults that an audit does not find. */
async function retry(
  client: RefreshClient,
  requests: readonly LoadRequest[],
  bindings: ReadonlyMap<LoadRequest, BindingRow | undefined>,
): Promise<{ readonly sent: SentRefresh[]; readonly faults: string[] }> {
  const faults: string[] = [];
  const sent: SentRefresh[] = [];
  const retried = new Set<string>();
  for (const request of requests) {
    const binding = bindings.get(request);
    const isLoser = binding !== undefined && Buffer.compare(binding.sub, request.holder.sub) !== 0;
    const key = Buffer.from(request.holder.idComm).toString('hex');
    if (isLoser || retried.has(key)) continue;
    retried.add(key);
    const again = await sendRefresh(client, request);
    sent.push(again);
    const answer = again.end?.answer;
    const count = binding?.issuedCount ?? 0;
    const expected = count < LIMIT ? 200 : 429;
    if (answer?.status !== expected) {
      faults.push(
        `a retry after ${count} credentials: expected ${expected}, got ${answer?.status} ${answer?.body.error}`,
      );
    }
    if (answer?.credential === undefined || binding === undefined) continue;
    const genesis = Number(parseCredential(answer.credential).fields.genesisIssuedAt) * 1000;
    if (genesis !== binding.genesisIssuedAt) faults.push('a retry has another genesis');
  }
  return { sent, faults };
}

describe('a process that is killed with SIGKILL under refreshes', () => {
  let engine: Engine;
  let service: KillableRefresh | undefined;
  let client: RefreshClient | undefined;

  beforeAll(async () => {
    const settings = { backend: 'auto', maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 } as const;
    engine = await createEngine({ workers: 0, ...settings });
  });

  afterAll(async () => {
    await service?.kill();
    await client?.close();
    await engine.close();
  });

  it(
    `loses no acknowledged credential and leaves no binding without one over ${KILLS} kills`,
    async () => {
      const started = await startKillableRefresh(dataDir, prepare);
      service = started;
      client = await openRefreshClient(started.publicUrl);
      const sent: SentRefresh[] = [];
      const faults: string[] = [];
      let former: LoadRequest[] = [];
      let fresh = await requestsOf(client, 0);
      for (const round of ROUNDS) {
        // some holders of the round before have room in their window, and some do not
        const requests = [...fresh, ...former, ...fresh.toReversed()];
        const begunAt = Date.now();
        const isAtWrite = round % 2 === 1;
        let killed = isAtWrite ? started.killAtWrite(writeOf(round), LATEST_KILL_MS) : undefined;
        const inRound = await refreshUntilGone(client, requests, CLIENTS, () => {
          killed ??= killAfter(started, momentOf(round));
        });
        await killed;
        sent.push(...inRound);
        const [next] = await Promise.all([requestsOf(client, round + 1), started.start()]);
        const left = await started.withStore((store) => readAfterKill(store, fresh, begunAt));
        const again = await retry(client, fresh, left.bindings);
        sent.push(...again.sent);
        faults.push(...[...left.faults, ...again.faults].map((fault) => `round ${round}: ${fault}`));
        former = fresh;
        fresh = next;
      }
      const code = await started.stop();
      const enrolled = NAMES.map((name) => testHolder(name).idComm);
      const rules = { limit: LIMIT, windowSeconds: WINDOW_SECONDS, enrolled };
      const audit = await started.withStore((store) => auditIssuance(store, engine, sent, rules));
      faults.push(...audit.faults);
      const { acknowledged, unanswered, lostAnswers, records, bindings } = audit;
      console.log(
        `kill -9: ${KILLS} kills, ${acknowledged} credentials acknowledged, ${faults.length} faults,`,
        `${records} records, ${bindings} bindings; ${unanswered} requests were cut, ${lostAnswers} of them after their commit`,
      );
      expect(faults).toEqual([]);
      expect(acknowledged).toBeGreaterThan(KILLS * HOLDERS_PER_ROUND);
      expect(unanswered).toBeGreaterThan(KILLS);
      expect(code).toBe(0);
    },
    120_000 + KILLS * 60_000,
  );
});

function killAfter(service: KillableRefresh, ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(service.kill()), ms);
  });
}

/**
 * Reads the bindings and records of a round's holders after a kill.
 *
 * @param since - Milliseconds since the epoch, before any record of these holders.
 * @returns The binding of each request's holder, and a fault for each binding whose count is not that of its records.
 */
async function readAfterKill(
  store: Store,
  requests: readonly LoadRequest[],
  since: number,
): Promise<{ readonly bindings: Map<LoadRequest, BindingRow | undefined>; readonly faults: string[] }> {
  const bindings = new Map<LoadRequest, BindingRow | undefined>();
  const faults: string[] = [];
  const records = await store.issuance.list(since, 10_000);
  for (const request of requests) {
    const { idComm } = request.holder;
    const [binding] = await store.issuance.bindingsOf(idComm);
    bindings.set(request, binding);
    const count = records.filter((row) => Buffer.compare(row.idComm, idComm) === 0).length;
    if (binding === undefined ? count > 0 : count === 0 || count !== binding.issuedCount) {
      faults.push(
        `after the kill a binding counts ${binding?.issuedCount} credentials, but there are ${count} records`,
      );
    }
  }
  return { bindings, faults };
}
