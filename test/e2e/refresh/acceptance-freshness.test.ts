import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../../src/storage/store.ts';
import { openRefreshClient, type RefreshAnswer, type RefreshClient } from '../../support/refresh/client.ts';
import { ownHeaders, portOf } from '../../support/refresh/draft.ts';
import { type TestHolder, testHolder } from '../../support/refresh/holder.ts';
import { enrolHolders, startRefreshService } from '../../support/refresh/service.ts';
import { openStateReader } from '../../support/refresh/state.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const EXTERNAL_NULLIFIER = 'freshness of this test';
const NO_STORE = { 'content-type': 'application/json', 'cache-control': 'no-store' };
const REFUSED = {
  success: false,
  error: 'INVALID_PROOF',
  message: 'The proof does not hold for this request',
};

/** Concatenates the text of the external nullifier and the bytes of a challenge. */
function preImage(challenge: string, text = EXTERNAL_NULLIFIER): Buffer {
  return Buffer.concat([Buffer.from(text), Buffer.from(challenge.slice(2), 'hex')]);
}

async function challengeOf(client: RefreshClient): Promise<string> {
  const response = await client.get('/api/v1/challenge');
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly challenge: string }).challenge;
}

const summary = ({ status, body }: RefreshAnswer): unknown[] => [status, body.error ?? 'issued'];
const ISSUED = [200, 'issued'];
const INVALID = [401, 'INVALID_PROOF'];

describe('freshness mode over two processes with one store', () => {
  const folder = temporaryFolder('freshness', afterAll);
  let server: ServerProcess;
  /** The other process is this one. */
  let app: StartedApp;
  let one: RefreshClient;
  let other: RefreshClient;
  let store: Store;

  beforeAll(async () => {
    const url = `libsql:${join(folder, 'shared.db')}`;
    const settings = {
      'storage.url': url,
      'storage.allowSharedFile': 'true',
      'keys.masterKey': Buffer.alloc(32, 1).toString('base64'),
      'signin.enabled': 'false',
      'refresh.verificationKey': 'trapdoor-4',
      'refresh.challengeRequired': 'true',
      'refresh.externalNullifier': EXTERNAL_NULLIFIER,
      'rateLimits.refreshProofAttemptsPerMinute': '0',
    };
    server = await startServer(join(folder, 'one'), environmentOf(settings));
    app = await startApp({ dataDir: join(folder, 'other'), settings });
    one = await openRefreshClient(server.publicUrl);
    other = await openRefreshClient(app.publicUrl);
    store = await openMigratedStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await store?.close();
    await server?.end('SIGTERM');
    await app?.stop();
  });

  async function enrolled(name: string): Promise<TestHolder> {
    const holder = testHolder(name);
    await enrolHolders(store, [holder], Date.now());
    return holder;
  }

  it('issues distinct challenges of 32 bytes that caches may not store', async () => {
    const port = portOf(server.publicUrl);
    const before = Math.floor(Date.now() / 1000);
    const answer = await rawRequest(port, requestText('GET /api/v1/challenge?x=1'));
    expect(answer.status).toBe(200);
    expect(ownHeaders(answer)).toEqual(NO_STORE);
    const body = JSON.parse(answer.body.toString()) as { readonly expires_at: number };
    expect(Object.keys(body)).toEqual(['challenge', 'expires_at']);
    expect(body).toEqual({
      challenge: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      expires_at: expect.any(Number),
    });
    expect(Number.isInteger(body.expires_at)).toBe(true);
    expect(body.expires_at - before).toBeGreaterThanOrEqual(300);
    const more = await Promise.all(Array.from({ length: 20 }, () => challengeOf(one)));
    expect(new Set(more).size).toBe(20);
    const head = await rawRequest(port, requestText('HEAD /api/v1/challenge'));
    expect([head.status, head.body.length, headerOf(head, 'cache-control')]).toEqual([200, 0, 'no-store']);
    const post = await rawRequest(port, requestText('POST /api/v1/challenge', ['Content-Length: 0']));
    expect([post.status, ownHeaders(post)]).toEqual([405, { ...NO_STORE, allow: 'GET, HEAD' }]);
  });

  it('accepts a proof over a challenge of another node, once across both nodes', async () => {
    const holder = await enrolled('once');
    const challenge = await challengeOf(one);
    const call = await other.call(holder, { preImage: preImage(challenge) });
    expect(summary(await other.send(call))).toEqual(ISSUED);
    for (const client of [other, one]) {
      const again = await client.send(call);
      expect([again.status, again.body]).toEqual([401, REFUSED]);
      expect(again.headers.get('www-authenticate')).toBe('ZkpProof realm="refresh"');
    }
    expect(await store.issuance.bindingsOf(holder.idComm)).toMatchObject([{ issuedCount: 1 }]);
  });

  it('issues one credential when many holders prove the same challenge in parallel', async () => {
    const holders = await Promise.all(Array.from({ length: 8 }, (_, index) => enrolled(`race ${index}`)));
    const challenge = await challengeOf(one);
    const calls = await Promise.all(
      holders.map((holder) => one.call(holder, { preImage: preImage(challenge) })),
    );
    const answers = await Promise.all(calls.map((call, index) => (index % 2 === 0 ? one : other).send(call)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(401)]);
    const bindings = await Promise.all(holders.map(({ idComm }) => store.issuance.bindingsOf(idComm)));
    expect(bindings.flat()).toMatchObject([{ issuedCount: 1 }]);
  });

  it('spends a proved challenge even if a later check refuses', async () => {
    const holder = testHolder('enrolled later');
    const call = await one.call(holder, { preImage: preImage(await challengeOf(one)) });
    expect(summary(await other.send(call))).toEqual([404, 'NO_SIGNUP_RECORD']);
    await enrolHolders(store, [holder], Date.now());
    expect(summary(await one.send(call))).toEqual(INVALID);
    const next = await one.call(holder, { preImage: preImage(await challengeOf(other)) });
    expect(summary(await one.send(next))).toEqual(ISSUED);
  });

  it('does not spend a challenge without a valid proof over it', async () => {
    const holder = await enrolled('kept');
    const options = { preImage: preImage(await challengeOf(one)) };
    expect(summary(await one.refresh(holder, { ...options, isFalse: true }))).toEqual(INVALID);
    // a proof for another holder
    const foreign = await one.call(testHolder('foreign'), options);
    const stolen = { ...(await one.call(holder, options)), headers: foreign.headers };
    expect(summary(await other.send(stolen))).toEqual(INVALID);
    expect(summary(await other.refresh(holder, options))).toEqual(ISSUED);
  });

  it('refuses any other pre-image: missing, invented, cut, extended, with another text, or as text', async () => {
    const holder = await enrolled('other pre-images');
    const challenge = await challengeOf(one);
    const right = preImage(challenge);
    const wrongOptions = [
      { externalNullifier: EXTERNAL_NULLIFIER },
      { preImage: Buffer.from(EXTERNAL_NULLIFIER) },
      { preImage: preImage(`0x${'5a'.repeat(32)}`) },
      { preImage: right.subarray(0, -1) },
      { preImage: Buffer.concat([right, Buffer.of(0)]) },
      { preImage: preImage(challenge, 'proofgate-refresh') },
      { externalNullifier: `${EXTERNAL_NULLIFIER}${challenge}` },
      { preImage: right.subarray(EXTERNAL_NULLIFIER.length) },
    ];
    for (const options of wrongOptions) expect(summary(await one.refresh(holder, options))).toEqual(INVALID);
    expect(summary(await one.refresh(holder, { preImage: right }))).toEqual(ISSUED);
  });
});

describe('freshness mode', () => {
  it('accepts a challenge until it expires and not from then on', async () => {
    let clock = Date.UTC(2026, 5, 1, 12);
    const service = await startRefreshService({
      settings: { 'refresh.challengeRequired': 'true', 'refresh.challengeTtlSeconds': '30' },
      now: () => clock,
    });
    onTestFinished(() => service.end());
    const holder = testHolder('expiry');
    await service.enrol([holder]);
    const freshOptions = async () => ({
      preImage: preImage(await challengeOf(service.client), 'proofgate-refresh'),
    });
    const [early, late] = [await freshOptions(), await freshOptions()];
    clock += 29_999;
    expect(summary(await service.client.refresh(holder, early))).toEqual(ISSUED);
    clock += 1;
    const answer = await service.client.refresh(holder, late);
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    expect(summary(await service.client.refresh(holder, await freshOptions()))).toEqual(ISSUED);
  });

  it('keeps the challenge, and issues nothing, when an attempt exceeds the limit', async () => {
    let clock = Date.UTC(2026, 5, 1, 12);
    const service = await startRefreshService({
      settings: { 'refresh.challengeRequired': 'true', 'rateLimits.refreshProofAttemptsPerMinute': '2' },
      now: () => clock,
    });
    onTestFinished(() => service.end());
    const holder = testHolder('attempts');
    await service.enrol([holder]);
    const options = { preImage: preImage(await challengeOf(service.client), 'proofgate-refresh') };
    await challengeOf(service.client);
    const state = openStateReader(join(service.app.dataDir, 'proofgate.db'));
    onTestFinished(() => state.close());
    const refused = await service.client.refresh(holder, options);
    expect(summary(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect([state.read(), state.attempts()]).toEqual([{ bindings: [], credentials: [] }, 2]);
    const challenge = await service.client.get('/api/v1/challenge');
    expect([challenge.status, await challenge.json()]).toEqual([
      429,
      { success: false, error: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' },
    ]);
    clock += 60_000;
    expect(summary(await service.client.refresh(holder, options))).toEqual(ISSUED);
  });
});
