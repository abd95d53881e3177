// Rules: spec/sign-in.md#choices, spec/sign-in.md#refresh-tokens
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { authorize, type SignInAnswer, type SignInParameters } from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { approve } from '../../support/test-wallet.ts';

const SCOPE = 'openid offline_access email';
const BOX = 'name="offline"';

describe('a sign-in with the scope offline_access', () => {
  const service = opened(() => startSigninService({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');
  const allowed = opened(() => service.addClient({ refreshTokens: true, name: 'Tea & Co' }));

  const requestOf = (client: TestClient, more: SignInParameters = {}): SignInParameters => ({
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    scope: SCOPE,
    ...more,
  });
  const complete = (agreesTo: readonly string[], more: SignInParameters = {}): Promise<SignInAnswer> =>
    service.complete(requestOf(allowed, more), { agreesTo });
  const token = async (client: TestClient, form: SignInParameters): Promise<Record<string, unknown>> => {
    const { clientId: client_id, clientSecret: client_secret } = client;
    const body = new URLSearchParams({ ...form, client_id, client_secret });
    const response = await fetch(`${service.baseUrl}/token`, { method: 'POST', body });
    expect(response.status).toBe(200);
    return (await response.json()) as Record<string, unknown>;
  };
  const redeem = (code = '', client = allowed): Promise<Record<string, unknown>> =>
    token(client, { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri });
  const refresh = ({ refresh_token }: Record<string, unknown>): Promise<Record<string, unknown>> =>
    token(allowed, { grant_type: 'refresh_token', refresh_token: String(refresh_token) });

  it('yields a refresh token that works, where the person agreed', async () => {
    const { parameters } = await complete(['offline']);
    const tokens = await redeem(parameters.code);
    expect(tokens.scope).toBe(SCOPE);
    expect(await refresh(tokens)).toMatchObject({ scope: SCOPE, refresh_token: expect.any(String) });
  });

  it('keeps the session of the sign-in in refreshed ID tokens', async () => {
    const sidOf = ({ id_token }: Record<string, unknown>): unknown => decodeJwt(String(id_token)).sid;
    const first = await redeem((await complete(['stay', 'offline'])).parameters.code);
    expect(sidOf(first)).toEqual(expect.any(String));
    expect(sidOf(await refresh(first))).toBe(sidOf(first));
    const other = await redeem((await complete(['offline'])).parameters.code);
    expect([sidOf(other), sidOf(await refresh(other))]).toEqual([undefined, undefined]);
  });

  it.each([
    ['did not tick the box', []],
    ['ticked another box only', ['stay']],
  ])('succeeds without it where the person %s', async (_name, agreesTo) => {
    const { parameters } = await complete(agreesTo);
    const tokens = await redeem(parameters.code);
    expect(tokens.scope).toBe('openid email');
    expect(tokens).not.toHaveProperty('refresh_token');
  });

  it('succeeds without it where the person changed their mind', async () => {
    const signIn = await service.begin(requestOf(allowed));
    for (const choices of [['stay', 'offline'], ['stay']]) await signIn.agree(choices);
    expect(await signIn.page()).toMatch(/name="stay" value="on" checked/);
    expect(await signIn.page()).not.toMatch(/name="offline" value="on" checked/);
  });

  it('asks on the page, in words that name the app, the box not ticked', async () => {
    const signIn = await service.begin(requestOf(allowed, { ui_locales: 'en' }));
    const page = await signIn.page();
    expect(page).toContain('Let Tea &amp; Co stay connected while you are away');
    expect(page).toContain('For up to 30 days');
    expect(page).toContain(BOX);
    expect(page).not.toMatch(/name="offline" value="on" checked/);
    expect((await signIn.agree(['offline'])).status).toBe(303);
    const again = await signIn.page();
    expect(again).toMatch(/name="offline" value="on" checked/);
    // Without a script there is a button that takes it back and keeps the other choice.
    expect(again).toContain('Do not let the app stay connected');
  });

  it('has no refresh token and no box for a client that may not have them', async () => {
    const signIn = await service.begin(requestOf(service.web));
    expect(await signIn.page()).not.toContain(BOX);
    await signIn.cancel();
    const { parameters } = await service.complete(requestOf(service.web), { agreesTo: ['offline'] });
    const tokens = await redeem(parameters.code, service.web);
    expect(tokens.scope).toBe('openid email');
    expect(tokens).not.toHaveProperty('refresh_token');
  });

  it('has no box without the scope, and what is sent all the same has no effect', async () => {
    const signIn = await service.begin(requestOf(allowed, { scope: 'openid' }));
    expect(await signIn.page()).not.toContain(BOX);
    const { parameters } = await complete(['offline'], { scope: 'openid' });
    expect(await redeem(parameters.code)).not.toHaveProperty('refresh_token');
  });

  it('drops the scope where there is no code', async () => {
    const implicit = { response_type: 'id_token token', nonce: 'n' };
    const signIn = await service.begin(requestOf(allowed, implicit));
    expect(await signIn.page()).not.toContain(BOX);
    await signIn.cancel();
    const { parameters } = await complete(['offline'], implicit);
    expect(parameters.scope).toBe('openid email');
  });

  it('names the granted scope in the authorization response of a hybrid flow', async () => {
    const hybrid = { response_type: 'code token' };
    expect((await complete(['offline'], hybrid)).parameters.scope).toBe(SCOPE);
    expect((await complete([], hybrid)).parameters.scope).toBe('openid email');
  });

  it('is answered from a session without it: what was agreed to is not kept', async () => {
    const signIn = await service.begin(requestOf(allowed));
    await signIn.agree(['stay', 'offline']);
    await approve(signIn.connectUrl);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    const response = await signIn.continue();
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .find((pair) => pair?.startsWith('__Host-pg_session_'));
    const parameters = { response_type: 'code', prompt: 'none', ...requestOf(allowed) };
    const silent = await fetch(`${service.baseUrl}/authorize?${new URLSearchParams(parameters)}`, {
      redirect: 'manual',
      headers: { cookie: String(cookie) },
    });
    const code = new URL(silent.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const tokens = await redeem(code);
    expect(tokens.scope).toBe('openid email');
    expect(tokens).not.toHaveProperty('refresh_token');
    expect((await authorize(service.baseUrl, parameters)).headers.get('location')).toContain(
      'login_required',
    );
  });
});
