import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCredential } from '../../../src/credential/parse.ts';
import { createEngine } from '../../../src/engine/create-engine.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { RefreshClient } from '../../support/refresh/client.ts';
import { type TestHolder, testHolder } from '../../support/refresh/holder.ts';
import {
  type LoadRequest,
  loadRequests,
  refreshUntilGone,
  type SentRefresh,
  sendRefresh,
} from '../../support/refresh/load.ts';
import { type RefreshPair, startRefreshPair } from '../../support/refresh/pair.ts';

const WINDOW_SECONDS = 86_400;

const statusesOf = (sent: readonly SentRefresh[]) => sent.map(({ end }) => end?.answer.status).toSorted();
const credentialsOf = (sent: readonly SentRefresh[]) =>
  sent.flatMap(({ end }) =>
    end?.answer.credential === undefined ? [] : [parseCredential(end.answer.credential)],
  );

let engine: Engine;
let limited: RefreshPair;
let unlimited: RefreshPair;

beforeAll(async () => {
  const settings = { backend: 'auto', maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 } as const;
  engine = await createEngine({ workers: 0, ...settings });
  limited = await startRefreshPair(5, engine);
  unlimited = await startRefreshPair(0, engine);
}, 240_000);

afterAll(async () => {
  await limited.end();
  await unlimited.end();
  await engine.close();
});

describe.each([
  ['one process', 1],
  ['two processes on one store', 2],
])('parallel refreshes of one holder with a limit on %s', (place, processes) => {
  it('issue five credentials to six requests under a limit of five, and one 429 with Retry-After', async () => {
    const name = `six, ${place}`;
    await limited.enrol([name]);
    const requests = await loadRequests(limited.clients[0], name, 'plain');
    const sent = await limited.sendAtOnce(Array.from({ length: 6 }, () => requests).flat(), processes);
    expect(statusesOf(sent)).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = sent.find(({ end }) => end?.answer.status === 429)?.end?.answer;
    expect(refused?.body.error).toBe('RATE_LIMIT_EXCEEDED');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(WINDOW_SECONDS / 2);
    await expect(limited.bindingsOf(name)).resolves.toMatchObject([{ issuedCount: 5 }]);
    await expect(limited.audit()).resolves.toMatchObject({ faults: [] });
  });

  it('bind one of fifty subs that arrive first, and refuse 49 with SUB_MISMATCH', async () => {
    const name = `fifty, ${place}`;
    await limited.enrol([name]);
    const { idComm } = testHolder(name);
    const requests: LoadRequest[] = [];
    for (let index = 0; index < 50; index++) {
      const holder: TestHolder = { idComm, sub: testHolder(name, `${name} sub ${index}`).sub };
      requests.push({ holder, package: undefined, call: await limited.clients[0].call(holder) });
    }
    const sent = await limited.sendAtOnce(requests, processes);
    expect(statusesOf(sent)).toEqual([200, ...Array.from({ length: 49 }, () => 400)]);
    const errors = sent.flatMap(({ end }) => end?.answer.body.error ?? []);
    expect(errors).toEqual(Array.from({ length: 49 }, () => 'SUB_MISMATCH'));
    await expect(limited.bindingsOf(name)).resolves.toMatchObject([{ issuedCount: 1 }]);
    await expect(limited.audit()).resolves.toMatchObject({ faults: [] });
  });
});

describe('parallel refreshes on two processes', () => {
  it('issue fifty ids with one genesis to fifty first requests with one sub and no limit', async () => {
    await unlimited.enrol(['same sub']);
    const requests = await loadRequests(unlimited.clients[0], 'same sub', 'plain');
    const sent = await unlimited.sendAtOnce(Array.from({ length: 50 }, () => requests).flat(), 2);
    expect(statusesOf(sent)).toEqual(Array.from({ length: 50 }, () => 200));
    const credentials = credentialsOf(sent);
    expect(new Set(credentials.map(({ fields }) => fields.id)).size).toBe(50);
    expect(new Set(credentials.map(({ fields }) => fields.genesisIssuedAt)).size).toBe(1);
    expect(new Set(credentials.map(({ pk }) => pk.join())).size).toBe(1);
    await expect(unlimited.audit()).resolves.toMatchObject({ records: 50, bindings: 1, faults: [] });
  });

  it('are all answered by one process when the other is killed, and every binding and count is correct', async () => {
    const names = Array.from({ length: 16 }, (_, index) => `crowd ${index}`);
    await unlimited.enrol(names);
    const [dying, living] = unlimited.clients;
    const kinds = ['plain', 'package', 'contested'] as const;
    const requests: LoadRequest[] = [];
    for (const [index, name] of names.entries()) {
      requests.push(...(await loadRequests(dying, name, kinds[index % kinds.length] ?? 'plain')));
    }
    let killed: Promise<void> | undefined;
    const [cut, answered] = await Promise.all([
      refreshUntilGone(dying, requests, 6, () => {
        killed ??= unlimited.one.killAtWrite(20, 1000);
      }),
      sendInTurn(living, [...requests, ...requests], 6),
    ]);
    await killed;
    unlimited.note([...cut, ...answered]);
    expect(cut.some(({ end }) => end === undefined)).toBe(true);
    expect(answered.filter(({ end }) => end === undefined)).toEqual([]);
    const audit = await unlimited.audit();
    expect(audit.faults).toEqual([]);
    expect(audit.bindings).toBe(1 + names.length);
  });
});

/** Sends each request once, `width` at a time. */
async function sendInTurn(
  client: RefreshClient,
  requests: readonly LoadRequest[],
  width: number,
): Promise<SentRefresh[]> {
  const sent: SentRefresh[] = [];
  let turn = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let request = requests[turn++]; request !== undefined; request = requests[turn++]) {
        sent.push(await sendRefresh(client, request));
      }
    }),
  );
  return sent;
}
