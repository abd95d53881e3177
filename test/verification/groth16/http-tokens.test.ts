// Rules: spec/verification.md#token-of-an-app
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAppOfTest } from '../../support/server/app-of-test.ts';
import { RawClient, requestText } from '../../support/server/raw-client.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { addClient, PUBLIC_CLIENT, SECRET_HMAC_KEY, type TestClient } from '../../support/signin/clients.ts';
import { memberOf, postProofs } from '../support/groth16.ts';
import { expectError, REFUSED, type VerifyReply } from '../support/verify-client.ts';

const KEY = 'semaphore-depth30';
const REALM = 'https://verify.example';
const SETTINGS = {
  'groth16.requireToken': 'true',
  'apps.secretHmacKey': SECRET_HMAC_KEY,
  verifyUrl: REALM,
  'signin.enabled': 'false',
};

let app: StartedApp;
let client: TestClient;
let disabled: TestClient;
let open: TestClient;

beforeAll(async () => {
  app = await startApp({ settings: SETTINGS });
  const store = await app.openStore();
  client = await addClient(store);
  disabled = await addClient(store, { status: 'disabled' });
  open = await addClient(store, PUBLIC_CLIENT);
  await store.close();
});

afterAll(() => app.stop());

const post = (authorization?: string): Promise<VerifyReply> =>
  postProofs(app.publicUrl, KEY, memberOf(), authorization === undefined ? {} : { authorization });
const tokenOf = ({ clientId, clientSecret }: TestClient): string => `${clientId}.${clientSecret}`;
const reasons = async (): Promise<string> => {
  const text = await (await fetch(`${app.adminUrl}/metrics`)).text();
  return [...text.matchAll(/^proofgate_client_auth_failures_total\{reason="(\w+)"\} (\d+)/gm)]
    .map(([, reason, count]) => `${reason} ${count}`)
    .sort()
    .join(', ');
};

function expectUnauthenticated(reply: VerifyReply, detail: string, challenge: string): void {
  expectError(reply, 401, { code: 'unauthenticated', detail });
  expect(reply.headers.get('www-authenticate')).toBe(challenge);
}

describe('the token of an app, while sign-in is off', () => {
  it('admits its requests, with the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await post(`${scheme} ${tokenOf(client)}`)).body).toEqual({ valid: true });
    }
    expect(app.log()).toContain(`"appId":"${client.clientId}"`);
    expect(app.log()).not.toContain(client.clientSecret);
  });

  it('is asked for where there is none, or another scheme', async () => {
    const { clientId, clientSecret } = client;
    const basic = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    for (const header of [undefined, basic, 'Bearer', `${tokenOf(client)}`]) {
      const reply = await post(header);
      expectUnauthenticated(reply, 'A bearer token of an app is required.', `Bearer realm="${REALM}"`);
    }
  });

  it('is refused where it is wrong, of another app, of a disabled or public app, or malformed', async () => {
    const tokens = [
      `${client.clientId}.sk_${'0'.repeat(48)}`,
      `${open.clientId}.${client.clientSecret}`,
      tokenOf(disabled),
      `${open.clientId}.sk_${'0'.repeat(48)}`,
      `${open.clientId}.`,
      client.clientSecret,
      `.${client.clientSecret}`,
      `app_${'0'.repeat(32)}.${client.clientSecret}`,
      'x'.repeat(4000),
      `${tokenOf(client)}.x`,
      `${tokenOf(client)} x`,
      app.dataDir,
    ];
    const challenge = `Bearer realm="${REALM}", error="invalid_token", error_description="Token is invalid or expired."`;
    for (const token of tokens) {
      expectUnauthenticated(await post(`Bearer ${token}`), 'The token is not valid.', challenge);
    }
    expect(await reasons()).toBe(
      'disabled_client 1, no_credentials 4, public_client 2, unknown_client 1, unreadable_header 6, wrong_secret 2',
    );
  });

  it('is checked before the body is sent', async () => {
    const raw = await RawClient.open(Number(new URL(app.publicUrl).port));
    raw.send(requestText(`POST /api/v1/groth16/${KEY}`, ['Content-Length: 1000']));
    expect((await raw.response()).status).toBe(401);
    raw.destroy();
  });

  it('does not work once it is removed from the store', async () => {
    const store = await app.openStore();
    const removed = await addClient(store);
    await store.apps.remove(removed.clientId);
    await store.close();
    expect((await post(`Bearer ${tokenOf(removed)}`)).status).toBe(401);
  });
});

describe('the settings groth16.*', () => {
  it('limit failed tokens of an address, not right ones', async () => {
    const limited = await startAppOfTest({ settings: { ...SETTINGS, 'rateLimits.clientAuthFailures': '2' } });
    const store = await limited.openStore();
    const right = await addClient(store);
    await store.close();
    const send = (token: string): Promise<VerifyReply> =>
      postProofs(limited.publicUrl, KEY, memberOf(), { authorization: `Bearer ${token}` });
    const wrong = `${right.clientId}.sk_${'0'.repeat(48)}`;
    expect([(await send(wrong)).status, (await send(wrong)).status]).toEqual([401, 401]);
    expectError(await send(wrong), 429, {
      code: 'rate_limit_exceeded',
      detail: 'Too many failed authentications. Please try again later.',
    });
    expect((await send(tokenOf(right))).body).toEqual({ valid: true });
  });

  it('switch the endpoint off: 404 in the body of the interface, also with a right token', async () => {
    const off = await startAppOfTest({ settings: { ...SETTINGS, 'groth16.enabled': 'false' } });
    const headers = { authorization: `Bearer ${tokenOf(client)}` };
    const reply = await postProofs(off.publicUrl, KEY, memberOf(), headers);
    expectError(reply, 404, REFUSED.notFound);
  });

  it('limit the proofs of an address per second, a request with as many as it may have always fitting', async () => {
    // The window has as many seconds: on no machine does it end between two of these requests.
    const most = 60;
    const settings = { 'verify.rateLimitPerSecond': '1', 'groth16.maxProofs': String(most) };
    const limited = await startAppOfTest({ settings });
    const send = (count: number): Promise<VerifyReply> =>
      postProofs(limited.publicUrl, KEY, { proofs: Array(count).fill(memberOf()) });
    expect((await send(most - 1)).status).toBe(200);
    // The second proof of this request is over the limit, and then the first of the next.
    expectError(await send(2), 429, REFUSED.tooMany);
    expectError(await send(1), 429, REFUSED.tooMany);
    const whole = await startAppOfTest({ settings });
    const proofs = Array(most).fill(memberOf());
    expect((await postProofs(whole.publicUrl, KEY, { proofs })).status).toBe(200);
  });
});
