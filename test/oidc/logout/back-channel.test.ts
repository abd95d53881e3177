// Rules: spec/sign-in.md#back-channel-logout and spec/sign-in.md#logout-token
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestClient } from '../../support/signin/clients.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import { claimsOf, type Stay, signInToStay, silently } from '../../support/signin/stay.ts';
import { approve } from '../../support/test-wallet.ts';
import { pollUntil } from '../../support/until.ts';
import { type Receiver, startReceiver } from '../../webhooks/support/receiver.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

let service: SigninService;
let receiver: Receiver;
let client: TestClient;
/** Time by which the clock of the service is ahead. */
let aheadMs = 0;
beforeAll(async () => {
  // What is due is sent once a second, by an interval.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  service = await startSigninService({
    settings: { 'signin.sessionSeconds': '3600' },
    now: () => Date.now() + aheadMs,
  });
  receiver = await startReceiver();
  client = await service.addClient({ backchannelLogoutUri: receiver.url });
});
afterAll(async () => {
  await receiver?.close();
  await service?.end();
  vi.useRealTimers();
});

const stay = (by = client): Promise<Stay> => signInToStay(service.baseUrl, by);
const signOut = (query: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${service.baseUrl}/logout?${new URLSearchParams(query)}`);
const tokenOf = (index: number): string =>
  new URLSearchParams(receiver.received[index]?.body).get('logout_token') ?? '';
/** Lets what is due be sent until a condition holds. */
const sendUntil = (condition: () => boolean): Promise<void> =>
  pollUntil(() => {
    vi.advanceTimersByTime(1000);
    return condition();
  });
const notices = async (): Promise<number | undefined> => (await service.store.rowCounts()).logout_notices;

describe('an app with a backchannel_logout_uri', () => {
  it('is told of a sign-out by a signed logout token, which names session and person', async () => {
    const { sid, sub, idToken } = await stay();
    await signOut({ id_token_hint: idToken });
    await sendUntil(() => receiver.received.length === 1);
    const keys = createRemoteJWKSet(new URL(`${service.baseUrl}/jwks`));
    const { payload, protectedHeader } = await jwtVerify(tokenOf(0), keys, {
      issuer: service.baseUrl,
      audience: client.clientId,
      typ: 'logout+jwt',
      algorithms: ['RS256'],
    });
    expect(Object.keys(payload).sort()).toEqual(
      ['aud', 'events', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub'].sort(),
    );
    expect(payload).toMatchObject({ sid, sub, events: { [EVENT]: {} } });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);
    expect(protectedHeader.typ).toBe('logout+jwt');
    await pollUntil(async () => (await notices()) === 0);
    // a logout token is no ID token of ours, and no access token
    expect((await signOut({ id_token_hint: tokenOf(0) })).status).toBe(400);
    const { status } = await fetch(`${service.baseUrl}/userinfo`, {
      headers: { authorization: `Bearer ${tokenOf(0)}` },
    });
    expect(status).toBe(401);
    await signOut({ id_token_hint: idToken });
    expect(await notices()).toBe(0);
  });

  it('is told again with the same jti after a failure', async () => {
    const before = receiver.received.length;
    const { idToken } = await stay();
    receiver.answer(503);
    await signOut({ id_token_hint: idToken });
    await sendUntil(() => service.app.log().includes('"event":"logout.notice_failed"'));
    // The next attempt follows after four to six seconds.
    aheadMs = 6000;
    await sendUntil(() => receiver.received.length === before + 2);
    const [first, second] = [claimsOf(tokenOf(before)), claimsOf(tokenOf(before + 1))];
    expect(second.jti).toBe(first.jti);
    // It ends when the service has read the receiver's answer.
    await pollUntil(async () => (await notices()) === 0);
  });

  it('is told nothing of the sign-outs of others', async () => {
    const before = receiver.received.length;
    const { idToken } = await stay(service.web);
    await signOut({ id_token_hint: idToken });
    expect([receiver.received.length, await notices()]).toEqual([before, 0]);
  });
});

it('is not told of the end by a new proof in the same browser, or by a change of the app', async () => {
  const before = receiver.received.length;
  const changing = await service.addClient({ backchannelLogoutUri: receiver.url });
  const { cookie } = await stay(changing);
  const again = await service.begin({
    client_id: changing.clientId,
    redirect_uri: changing.redirectUri,
    prompt: 'login',
  });
  await approve(again.connectUrl);
  await again.settle();
  const path = `${service.baseUrl}/authorize/${again.txn}/continue`;
  await fetch(path, { redirect: 'manual', headers: { cookie: `${again.cookie}; ${cookie}` } });
  expect(await silently(service.baseUrl, changing, cookie)).toBe('login_required');
  await stay(changing);
  await service.store.apps.update(changing.clientId, { status: 'disabled' }, Date.now());
  expect([receiver.received.length, await notices()]).toEqual([before, 0]);
});
