import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCredential } from '../../../src/credential/parse.ts';
import { createEngine } from '../../../src/engine/create-engine.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { BindingRow } from '../../../src/storage/refresh/issuance.ts';
import { type Audit, auditIssuance } from '../../support/refresh/audit.ts';
import { openRefreshClient, type RefreshClient } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { type KillableRefresh, startKillableRefresh } from '../../support/refresh/killable-refresh.ts';
import { type LoadRequest, loadRequests, type SentRefresh, sendRefresh } from '../../support/refresh/load.ts';
import { enrolHolders } from '../../support/refresh/service.ts';
import { holdWriteLock } from '../../support/server/libsql-write-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const WAITING = Array.from({ length: 12 }, (_, index) => `waiting ${index}`);
const COMMITTED = ['committed 0', 'committed 1', 'committed 2'];
const HOLDERS = [...WAITING, ...COMMITTED].map((name) => testHolder(name));

const dataDir = temporaryFolder('refresh-steps', afterAll);
let engine: Engine;
let service: KillableRefresh;
let client: RefreshClient;
const sent: SentRefresh[] = [];

beforeAll(async () => {
  const settings = { backend: 'auto', maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 } as const;
  engine = await createEngine({ workers: 0, ...settings });
  service = await startKillableRefresh(dataDir, (store) => enrolHolders(store, HOLDERS, Date.now()));
  client = await openRefreshClient(service.publicUrl);
});

afterAll(async () => {
  await service.kill();
  await client.close();
  await engine.close();
});

const requestOf = async (name: string): Promise<LoadRequest> => {
  const [request] = await loadRequests(client, name, 'plain');
  if (request === undefined) throw new Error(`no request of holder ${name}`);
  return request;
};

async function send(request: LoadRequest): Promise<SentRefresh> {
  const one = await sendRefresh(client, request);
  sent.push(one);
  return one;
}

function audit(): Promise<Audit> {
  const rules = { limit: 5, windowSeconds: 86_400, enrolled: HOLDERS.map(({ idComm }) => idComm) };
  return service.withStore((store) => auditIssuance(store, engine, sent, rules));
}

async function bindingOf({ holder }: LoadRequest): Promise<BindingRow | undefined> {
  const [binding] = await service.withStore((store) => store.issuance.bindingsOf(holder.idComm));
  return binding;
}

describe('kill -9 at a step of issuance', () => {
  it('before the transaction binds, counts and records nothing, and each retry is a first refresh', async () => {
    const requests = await Promise.all(WAITING.map(requestOf));
    const stranger = await requestOf('stranger');
    const lock = holdWriteLock(service.database);
    const waiting = Promise.all(requests.map((request) => sendRefresh(client, request)));
    // the workers handle the earlier requests before these
    for (let turn = 0; turn < 3; turn++) {
      expect((await client.send(stranger.call)).body.error).toBe('NO_SIGNUP_RECORD');
    }
    await service.kill();
    const ended = await waiting;
    lock.release();
    expect(ended.flatMap(({ end }) => end?.answer.credential ?? [])).toEqual([]);
    await service.start();
    await expect(audit()).resolves.toMatchObject({ records: 0, bindings: 0, faults: [] });
    const retries = await Promise.all(requests.map(send));
    expect(retries.map(({ end }) => end?.answer.status)).toEqual(WAITING.map(() => 200));
    const after = await audit();
    expect(after).toMatchObject({ records: WAITING.length, bindings: WAITING.length, faults: [] });
  });

  it('after the commit keeps and counts the record, and the retry gets its genesis and a new id', async () => {
    for (const name of COMMITTED) {
      const request = await requestOf(name);
      const first = send(request);
      await service.withStore(async (store) => {
        while ((await store.issuance.bindingsOf(request.holder.idComm)).length === 0) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        await service.kill();
      });
      const before = (await first).end?.answer.credential;
      await service.start();
      const binding = await bindingOf(request);
      expect(binding).toMatchObject({ issuedCount: 1 });
      const again = (await send(request)).end?.answer.credential ?? '';
      const { fields } = parseCredential(again);
      expect(Number(fields.genesisIssuedAt) * 1000).toBe(binding?.genesisIssuedAt);
      if (before !== undefined) expect(fields.id).not.toBe(parseCredential(before).fields.id);
      await expect(bindingOf(request)).resolves.toMatchObject({
        ...binding,
        issuedCount: 2,
        lastIssuedAt: expect.any(Number),
      });
    }
    const after = await audit();
    expect(after.faults).toEqual([]);
    expect(after.records).toBe(WAITING.length + 2 * COMMITTED.length);
  });
});
