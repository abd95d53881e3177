// Rules: spec/sign-in.md#bridge-capacity
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAppOfTest } from '../support/server/app-of-test.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { useSharedSignin } from '../support/signin/shared-service.ts';
import { openRequest } from '../support/test-wallet.ts';
import { call, expectRefusal, newId, newMessage, postRequest } from './support/bridge-client.ts';

const LIFE_MS = 900_000;

async function start(
  settings: Readonly<Record<string, string>> = {},
  now?: () => number,
): Promise<StartedApp & { base: string }> {
  const app = await startAppOfTest({ settings, ...(now ? { now } : {}) });
  return { ...app, base: `${app.publicUrl}/bridge` };
}

/** A service with default settings, for tests that do not affect each other. */
let shared: StartedApp & { base: string };
beforeAll(async () => {
  // The limits have their default values.
  const app = await startApp();
  shared = { ...app, base: `${app.publicUrl}/bridge` };
});
afterAll(() => shared?.stop());

describe('an entry of the bridge', () => {
  it('expires after 900 s, counted again when it is taken and when it is answered, and is then swept', async () => {
    let now = 1_700_000_000_000;
    const { base, openStore } = await start({}, () => now);
    const unused = await postRequest(base);
    const used = await postRequest(base);
    now += LIFE_MS - 1;
    expect((await call(base, `HEAD /request/${unused}`)).status).toBe(200);
    expect((await call(base, `GET /request/${used}`)).status).toBe(200);
    now += 1;
    expectRefusal(await call(base, `GET /request/${unused}`), 404, 'request_id');
    expect((await call(base, `HEAD /request/${unused}`)).status).toBe(404);
    expectRefusal(await call(base, `GET /response/${unused}`), 404, 'request_id');
    expect((await call(base, `HEAD /response/${unused}`)).status).toBe(404);
    expectRefusal(await call(base, `PUT /response/${unused}`, newMessage()), 400, 'request_id');
    now += LIFE_MS - 2;
    expect((await call(base, `GET /response/${used}`)).body).toEqual({ status: 'retrieved', response: null });
    expect((await call(base, `PUT /response/${used}`, newMessage())).status).toBe(201);
    now += LIFE_MS;
    expectRefusal(await call(base, `GET /response/${used}`), 404, 'request_id');
    const own = { ...newMessage(), request_id: unused };
    expect((await call(base, 'POST /request', own)).status).toBe(200);

    const store = await openStore();
    expect((await store.rowCounts()).bridge_messages).toBe(2);
    await store.sweep(now, 1000);
    expect((await store.rowCounts()).bridge_messages).toBe(1);
    await store.close();
  });
});

describe('the bounds of the bridge', () => {
  it('refuse further entries with 503 until one is completed or expires', async () => {
    let now = 1_700_000_000_000;
    const { base } = await start({ 'bridge.maxEntries': '2' }, () => now);
    const first = await postRequest(base);
    await call(base, 'POST /response', newMessage());
    const tooMany = async (): Promise<void> => {
      expectRefusal(await call(base, 'POST /request', newMessage()), 503);
      expectRefusal(await call(base, 'POST /response', newMessage()), 503);
      expectRefusal(await call(base, `PUT /request/${newId()}`, newMessage()), 503);
    };
    await tooMany();
    expect((await call(base, `PUT /request/${first}`, newMessage())).status).toBe(201);
    await call(base, `GET /request/${first}`);
    await tooMany();
    expect((await call(base, `PUT /response/${first}`, newMessage())).status).toBe(201);
    await tooMany();
    await call(base, `GET /response/${first}`);
    await postRequest(base);
    await tooMany();
    now += LIFE_MS;
    await postRequest(base);
  });

  it('refuse bytes beyond bridge.maxBytes with 503, and the wallet can answer later', async () => {
    const { base } = await start({
      'bridge.maxBytes': '5242880',
      'bridge.bodyLimitBytes': '3000000',
      'http.bodyLimitBytes': '3000000',
    });
    const large = newMessage(2_000_000);
    const small = newMessage();
    const id = await postRequest(base, small);
    const first = await postRequest(base, large);
    expectRefusal(await call(base, `PUT /response/${id}`, large), 503);
    expect((await call(base, `GET /response/${id}`)).body).toEqual({ status: 'initialized', response: null });
    expectRefusal(await call(base, 'POST /request', large), 503);
    expect((await call(base, `GET /request/${first}`)).body).toEqual(large);
    expect((await call(base, `PUT /response/${id}`, large)).status).toBe(201);
    expect((await call(base, `GET /response/${id}`)).body).toEqual({ status: 'completed', response: large });
  });
});

describe('the share of an address', () => {
  it('is enforced with 429 and the time until its oldest message expires, and is freed when a message is taken', async () => {
    let now = 1_700_000_000_000;
    const { base } = await start({ 'bridge.maxEntriesPerAddress': '2' }, () => now);
    const first = await postRequest(base);
    now += 60_000;
    await call(base, 'POST /response', newMessage());
    for (const line of ['POST /request', 'POST /response', `PUT /request/${newId()}`]) {
      const refused = await call(base, line, newMessage());
      expectRefusal(refused, 429);
      expect(refused.headers.get('retry-after')).toBe('840');
    }
    expect((await call(base, `PUT /response/${first}`, newMessage())).status).toBe(201);
    expectRefusal(await call(base, 'POST /request', newMessage()), 429);
    expect((await call(base, `GET /response/${first}`)).status).toBe(200);
    await postRequest(base);
  });

  it('has room for the answer to every request that was taken', async () => {
    const { base } = await start({ 'bridge.maxBytesPerAddress': '69888' });
    const ids: string[] = [];
    for (;;) {
      const reply = await call(base, 'POST /request', newMessage());
      if (reply.status === 429) break;
      ids.push((reply.body as { request_id: string }).request_id);
    }
    expect(ids).toHaveLength(16);
    // 16 characters of iv, and 4080 of payload
    const answer = newMessage(3060);
    for (const id of ids) {
      expect((await call(base, `GET /request/${id}`)).status).toBe(200);
      expect((await call(base, `PUT /response/${id}`, answer)).status).toBe(201);
    }
  });

  it('does not let a third party replace the request of a sign-in whose id is known', async () => {
    const service = await useSharedSignin();
    const base = `${service.baseUrl}/bridge`;
    const signIn = await service.begin();
    const { link } = await openRequest(signIn.connectUrl);
    const own = { ...newMessage(), request_id: link.requestId };
    expectRefusal(await call(base, 'POST /request', own), 409, 'request_id');
    expectRefusal(await call(base, `PUT /request/${link.requestId}`, newMessage()), 409, 'request_id');
    expect(await signIn.status()).toMatchObject({ status: 'connected' });
  });
});

describe('the size of a body', () => {
  const DEFAULTS = {};
  it.each([
    [DEFAULTS, 65_536],
    [{ 'bridge.bodyLimitBytes': '1024' }, 1024],
    [{ 'bridge.bodyLimitBytes': '5242880', 'http.bodyLimitBytes': '5242880' }, 5_242_880],
  ])('is limited to the byte with %j', async (settings: Record<string, string>, limit) => {
    const { base } = settings === DEFAULTS ? shared : await start(settings);
    const message = newMessage(Math.floor((limit - 100) / 4) * 3);
    const exact = JSON.stringify(message).padEnd(limit);
    const id = await postRequest(base);
    for (const line of ['POST /request', 'POST /response', `PUT /response/${id}`, `PUT /request/${id}`]) {
      expectRefusal(await call(base, line, `${exact} `), 413);
      expect((await call(base, line, exact)).status).toBeLessThan(300);
    }
    expect((await call(base, `GET /request/${id}`)).body).toEqual(message);
  });
});

describe('rateLimits.bridge', () => {
  it('answers 429 beyond that number of creations, answers and unknown ids of an address, also by the alias', async () => {
    const { base, publicUrl, logLines } = await start({ 'rateLimits.bridge': '5' });
    const id = await postRequest(base);
    expect((await call(base, `PUT /response/${id}`, newMessage())).status).toBe(201);
    expect((await call(base, `PUT /request/${newId()}`, newMessage())).status).toBe(201);
    for (const line of [`HEAD /request/${newId()}`, 'GET /request/short']) {
      expect((await call(base, line)).status).not.toBe(429);
    }
    for (const at of [base, publicUrl]) {
      expectRefusal(await call(at, 'POST /request', newMessage()), 429);
      expectRefusal(await call(at, 'POST /response', newMessage()), 429);
      expectRefusal(await call(at, `PUT /response/${id}`, newMessage()), 429);
      expectRefusal(await call(at, `GET /request/${newId()}`), 429);
    }
    expect((await call(base, `HEAD /response/${newId()}`)).headers.get('access-control-allow-origin')).toBe(
      '*',
    );
    expect((await call(base, 'OPTIONS /request')).status).toBe(204);
    expect((await fetch(`${publicUrl}/healthz`)).status).toBe(200);
    expect((await call(publicUrl, `GET /response/${id}`)).status).toBe(200);
    expect(logLines('"status":429')).toHaveLength(1);
  });

  it('does not count polls of a request, which rateLimits.bridgePolls limits for each', async () => {
    const { base, publicUrl } = await start({ 'rateLimits.bridge': '2', 'rateLimits.bridgePolls': '6' });
    const [one, other] = [await postRequest(base), await postRequest(base)];
    for (let count = 0; count < 3; count++) {
      expect((await call(base, `HEAD /request/${one}`)).status).toBe(200);
      expect((await call(publicUrl, `GET /response/${one.toUpperCase()}`)).status).toBe(200);
    }
    expectRefusal(await call(base, `GET /response/${one}`), 429);
    expectRefusal(await call(publicUrl, `GET /request/${one}`), 429);
    expect((await call(base, `GET /request/${other}`)).status).toBe(200);
  });

  it('bounds all calls of an address by rateLimits.bridgePerAddress', async () => {
    const { base, publicUrl } = await start({ 'rateLimits.bridgePerAddress': '3' });
    const id = await postRequest(base);
    for (const line of [`GET /response/${id}`, `GET /response/${newId()}`]) {
      expect((await call(base, line)).status).not.toBe(429);
    }
    expectRefusal(await call(base, `GET /response/${id}`), 429);
    expectRefusal(await call(publicUrl, 'POST /request', newMessage()), 429);
  });

  it('is off in profile test', async () => {
    const { base } = shared;
    const replies = await Promise.all(
      Array.from({ length: 150 }, () => call(base, `GET /response/${newId()}`)),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([404]));
  });
});
