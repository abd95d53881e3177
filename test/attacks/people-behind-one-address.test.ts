/** Many honest people behind one address, and one who is not, at the usual limits (spec/operations.md#rate-limits). */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/config/sources/load.ts';
import { call, newMessage, postRequest } from '../bridge/support/bridge-client.ts';
import { casesOf } from '../support/cases.ts';
import { authorize } from '../support/signin/driver.ts';
import { type SigninService, startSigninService } from '../support/signin/service.ts';
import { openRequest } from '../support/test-wallet.ts';
import { otherAddresses, sendFrom } from './support/from-address.ts';

/** People who begin to sign in within a minute. */
const PEOPLE = 300;
/** Status polls of each of them in that minute, of the 30 that the page makes. */
const STATUS_POLLS = casesOf(28, 2);
/** Seconds of the life of a request on the bridge, which IDKit polls once a second. */
const SECONDS = casesOf(899, 185);
const MADE_UP = casesOf(10_000, 2000);
const CONNECTIONS = 8;
const WINDOW_MS = 60_000;

let service: SigninService;
let bridge: string;

/** Starts the service with the usual limits of the program in place of those of the tests. */
beforeEach(async () => {
  // The windows of the limits end only when a test lets time pass: neither the clock nor the limiter's own timer
  // ends them on a slow machine.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const { setTimeout: start } = globalThis;
  const later = (act: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): NodeJS.Timeout =>
    start(act, ms < WINDOW_MS ? ms : 1000 * ms, ...values);
  vi.stubGlobal('setTimeout', Object.assign(later, start));
  const { config } = await loadConfig({ env: {}, cwd: '/', flags: {} });
  const limits = Object.entries(config.rateLimits).map(([name, value]) => [`rateLimits.${name}`, `${value}`]);
  const begun = { 'signin.maxBegunBytesPerNetwork': String(config.signin.maxBegunBytesPerNetwork) };
  service = await startSigninService({ settings: { ...Object.fromEntries(limits), ...begun } });
  bridge = `${service.baseUrl}/bridge`;
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await service.end();
});

/** Runs a task for each item, some at the same time. */
async function forEach<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const connection = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await task(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

async function statusesOf(lines: readonly string[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  await forEach(lines, async (line) => {
    const { status } = await call(bridge, line);
    counts[status] = (counts[status] ?? 0) + 1;
  });
  return counts;
}

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Parameters of a request of the web client. */
const request = (): Record<string, string> => ({
  response_type: 'code',
  scope: 'openid',
  client_id: service.web.clientId,
  redirect_uri: service.web.redirectUri,
});

/** Posts a form as the back-end of the web client. */
function post(path: string, form: Readonly<Record<string, string>>): Promise<Response> {
  const { clientId, clientSecret } = service.web;
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret ?? '' });
  return fetch(service.baseUrl + path, { method: 'POST', body });
}

describe('an office at nine', () => {
  it(`has ${PEOPLE} people begin and end a sign-in within a minute, with their wallets in its network`, async () => {
    const { clientId } = service.web;
    await forEach(times(PEOPLE, String), async () => {
      const signIn = await service.begin();
      for (let poll = 0; poll < STATUS_POLLS; poll++) await signIn.status();
      expect((await fetch(`${service.baseUrl}/signin/logo/${clientId}`)).status).toBe(404);
      const request = await openRequest(signIn.connectUrl);
      expect(await request.answer({ error_code: 'user_rejected' })).toBe(201);
      expect(await signIn.settle()).toMatchObject({ status: 'refused' });
      expect((await signIn.finish()).parameters).toMatchObject({ error: 'access_denied' });
    });
  });

  it(`has ${PEOPLE} pages with IDKit, which put a request on the bridge, and a wallet answers each`, async () => {
    await forEach(times(PEOPLE, String), async () => {
      const id = await postRequest(bridge);
      for (let poll = 0; poll < STATUS_POLLS; poll++) {
        expect((await call(bridge, `GET /response/${id}`)).status).toBe(200);
      }
      expect((await call(bridge, `GET /request/${id}`)).status).toBe(200);
      expect((await call(bridge, `PUT /response/${id}`, newMessage())).status).toBe(201);
      expect((await call(bridge, `GET /response/${id}`)).body).toMatchObject({ status: 'completed' });
    });
  });

  /** What libraries of apps call for each person: silent checks from the pages, the rest from the back-end. */
  it.each([
    [
      'a silent check of oidc-client-ts',
      303,
      () => authorize(service.baseUrl, { ...request(), prompt: 'none' }),
    ],
    ['the metadata', 200, () => fetch(`${service.baseUrl}/.well-known/openid-configuration`)],
    ['the keys', 200, () => fetch(`${service.baseUrl}/jwks`)],
    ['the exchange of a code', 400, () => post('/token', { grant_type: 'authorization_code', code: 'none' })],
    ['a renewal', 400, () => post('/token', { grant_type: 'refresh_token', refresh_token: 'none' })],
    ['an introspection', 200, () => post('/introspect', { token: 'none' })],
    ['a revocation', 200, () => post('/revoke', { token: 'none' })],
    ['a pushed request', 201, () => post('/par', request())],
    ['the claims of a person', 401, () => fetch(`${service.baseUrl}/userinfo`)],
  ])(`has ${PEOPLE} people for whom an app makes %s within a minute`, async (_name, expected, send) => {
    const statuses = new Set<number>();
    await forEach(times(PEOPLE, String), async () => {
      const { status, body } = await send();
      await body?.cancel();
      statuses.add(status);
    });
    expect(statuses).toEqual(new Set([expected]));
  });

  it('has room for more sign-ins of its network than begin in some minutes', async () => {
    const { config } = await loadConfig({ env: {}, cwd: '/', flags: {} });
    expect(config.rateLimits.authorize).toBeGreaterThanOrEqual(3 * PEOPLE);
    // 6,144 bytes and those of request and signal (spec/sign-in.md#limits-of-open-sign-ins).
    expect(config.signin.maxBegunBytesPerNetwork / (6144 + 1024)).toBeGreaterThan(5 * PEOPLE);
  });
});

describe('ten sign-ins at once from one address', () => {
  it(`are polled once a second by IDKit, and every two by the page, for ${SECONDS} seconds`, async () => {
    const requests = await Promise.all(times(10, () => postRequest(bridge)));
    const signIns = await Promise.all(times(10, () => service.begin()));
    for (let second = 1; second <= SECONDS; second++) {
      vi.setSystemTime(Date.now() + 1000);
      expect(await statusesOf(requests.map((id) => `GET /response/${id}`))).toEqual({ 200: 10 });
      if (second % 2 === 0) for (const signIn of signIns) await signIn.status();
    }
    const answers = await Promise.all(
      requests.map((id) => call(bridge, `PUT /response/${id}`, newMessage())),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });
});

describe('made-up ids', () => {
  it(`are limited: of ${MADE_UP} calls in a minute, 120 are looked up, and honest pages are served`, async () => {
    const [posted, signIn] = [await postRequest(bridge), await service.begin()];
    const chosen = { ...newMessage(), request_id: 'f'.repeat(64) };
    expect((await call(bridge, 'POST /request', chosen)).status).toBe(200);
    const lines = times(MADE_UP, (at) => {
      const call = ['GET /response', 'HEAD /response', 'GET /request', 'HEAD /request'][at % 4];
      return `${call}/${at % 5 === 0 ? `made-up-${at}-0123456789` : randomUUID()}`;
    });
    expect(await statusesOf(lines)).toEqual({ 404: 120, 429: MADE_UP - 120 });
    const answers = times(20, () => call(bridge, `PUT /response/${randomUUID()}`, newMessage()));
    for (const { status } of await Promise.all(answers)) expect(status).toBe(429);

    for (const id of [posted, chosen.request_id]) {
      expect((await call(bridge, `GET /response/${id}`)).status).toBe(200);
      expect((await call(bridge, `HEAD /request/${id.toUpperCase()}`)).status).toBe(200);
    }
    expect((await call(bridge, 'POST /request', newMessage())).status).toBe(200);
    const request = await openRequest(signIn.connectUrl);
    expect(await request.answer({ error_code: 'user_rejected' })).toBe(201);
    expect(await signIn.settle()).toMatchObject({ status: 'refused' });

    vi.setSystemTime(Date.now() + 60_000);
    expect((await call(bridge, `GET /response/${randomUUID()}`)).status).toBe(404);
  });

  it('of one form are not told from others: malformed ones count too', async () => {
    expect(await statusesOf(times(150, (at) => `GET /response/x${at}`))).toEqual({ 400: 120, 429: 30 });
  });
});

describe('one address that begins as many sign-ins as it can', () => {
  it('is refused at /authorize, and other addresses are not', async () => {
    const statuses: Record<number, number> = {};
    await forEach(times(1230, String), async () => {
      const { status, body } = await authorize(service.baseUrl, request());
      await body?.cancel();
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
    expect(statuses).toEqual({ 303: 1200, 429: 30 });
    const [other = ''] = otherAddresses(1);
    const url = `${service.baseUrl}/authorize?${new URLSearchParams(request())}`;
    expect((await sendFrom(other, 'GET', url)).status).toBe(303);
  });
});
