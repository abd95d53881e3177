// Rules: spec/refresh.md#issuance-guarantees
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCredential } from '../../../src/credential/parse.ts';
import type { RefreshAnswer } from '../../support/refresh/client.ts';
import { type TestHolder, testHolder } from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';

const START = Date.UTC(2026, 5, 1, 12);

let folder: string;
/** Milliseconds added to the clock by each read, so that no two requests begin in the same second. */
let stepMs = 0;
let clock = START;
let one: RefreshService;
let other: RefreshService;

const now = (): number => {
  clock += stepMs;
  return clock;
};

/** Two nodes on one store. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proofgate-refresh-'));
  const settings = {
    'storage.url': `libsql:${join(folder, 'shared.db')}`,
    'storage.allowSharedFile': 'true',
    'keys.masterKey': Buffer.alloc(32, 1).toString('base64'),
  };
  one = await startRefreshService({ settings, now });
  other = await startRefreshService({ settings, now });
});

afterAll(async () => {
  await one.end();
  await other.end();
  rmSync(folder, { recursive: true });
});

async function enrolled(name: string): Promise<TestHolder> {
  const holder = testHolder(name);
  await one.enrol([holder]);
  return holder;
}

/** Sends concurrent requests of these holders, alternating between the nodes. */
async function sendConcurrently(holders: readonly TestHolder[]): Promise<RefreshAnswer[]> {
  const calls = await Promise.all(holders.map((holder) => one.client.call(holder)));
  return await Promise.all(calls.map((call, index) => (index % 2 === 0 ? one : other).client.send(call)));
}

async function recordsOf({ idComm }: Pick<TestHolder, 'idComm'>) {
  const rows = await one.store.issuance.list(0, 1000);
  return rows.filter((row) => Buffer.compare(row.idComm, idComm) === 0);
}

const issuedOf = (answers: readonly RefreshAnswer[]) =>
  answers.flatMap(({ credential }) => (credential === undefined ? [] : [parseCredential(credential).fields]));

const errorsOf = (answers: readonly RefreshAnswer[]) => answers.flatMap(({ body }) => body.error ?? []);

describe('the time of a refresh', () => {
  it('is read once, so that issuance, genesis and expiry are of one moment', async () => {
    const holder = await enrolled('one moment');
    stepMs = 1000;
    const [answer] = await sendConcurrently([holder]).finally(() => {
      stepMs = 0;
    });
    const [row] = await recordsOf(holder);
    const { genesisIssuedAt = 0, issuedAt = 0, expiresAt = 0 } = row ?? {};
    expect(genesisIssuedAt).toBe(Math.floor(issuedAt / 1000) * 1000);
    expect(expiresAt).toBe(new Date(genesisIssuedAt).setUTCFullYear(2029));
    expect(answer?.credential).toContain(`"genesis_issued_at":${genesisIssuedAt / 1000},`);
  });
});

describe('concurrent refreshes over two nodes', () => {
  it('issue five credentials and one 429 for six requests under a limit of five', async () => {
    const holder = await enrolled('six');
    const answers = await sendConcurrently(Array.from({ length: 6 }, () => holder));
    const issued = issuedOf(answers);
    expect(issued).toHaveLength(5);
    expect(new Set(issued.map(({ id }) => id)).size).toBe(5);
    expect(errorsOf(answers)).toEqual(['RATE_LIMIT_EXCEEDED']);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('86400');
    await expect(one.store.issuance.bindingsOf(holder.idComm)).resolves.toMatchObject([{ issuedCount: 5 }]);
  });

  it('bind one of fifty subs and refuse the others with SUB_MISMATCH', async () => {
    const { idComm } = await enrolled('fifty');
    const holders = Array.from({ length: 50 }, (_, index) => ({
      idComm,
      sub: testHolder('fifty', `sub ${index}`).sub,
    }));
    const answers = await sendConcurrently(holders);
    const [issued, ...others] = issuedOf(answers);
    expect(others).toEqual([]);
    expect(errorsOf(answers)).toEqual(Array.from({ length: 49 }, () => 'SUB_MISMATCH'));
    const winner = holders[answers.findIndex(({ status }) => status === 200)];
    expect(Buffer.from(issued?.sub ?? [])).toEqual(Buffer.from(winner?.sub ?? []));
    await expect(one.store.issuance.bindingsOf(idComm)).resolves.toMatchObject([
      { sub: winner?.sub, issuedCount: 1 },
    ]);
    await expect(recordsOf({ idComm })).resolves.toHaveLength(1);
  });

  it('succeed with one genesis if first refreshes with one sub arrive in different seconds', async () => {
    const holder = await enrolled('same sub');
    stepMs = 1000;
    const answers = await sendConcurrently(Array.from({ length: 5 }, () => holder)).finally(() => {
      stepMs = 0;
    });
    const issued = issuedOf(answers);
    expect(issued).toHaveLength(5);
    expect(new Set(issued.map(({ genesisIssuedAt }) => genesisIssuedAt)).size).toBe(1);
    expect(new Set(issued.map(({ expiresAt }) => expiresAt)).size).toBe(5);
  });

  it('do not interfere with each other for fifty holders', async () => {
    const holders = Array.from({ length: 50 }, (_, index) => testHolder(`crowd ${index}`));
    await one.enrol(holders);
    const answers = await sendConcurrently(holders);
    expect(errorsOf(answers)).toEqual([]);
    expect(issuedOf(answers).map(({ sub }) => Buffer.from(sub).toString('hex'))).toEqual(
      holders.map(({ sub }) => Buffer.from(sub).toString('hex')),
    );
  });
});
