// Rules: spec/sign-in.md#sign-out
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { startSigninOfTest, useSharedSignin } from '../../support/signin/shared-service.ts';
import { type Stay, signInToStay, silently } from '../../support/signin/stay.ts';

const AFTER = 'https://shop.example/bye?x=1';
const STATE = 'a b&c=é\r\n\u0000"<>\'';
const NATIVE = {
  tokenEndpointAuthMethod: 'none',
  applicationType: 'native',
  redirectUris: ['com.example.shop:/cb'],
  postLogoutRedirectUris: ['http://127.0.0.1/bye', 'com.example.shop:/bye'],
} as const;
let now = Date.now();
const service = opened(
  () =>
    startSigninService({
      settings: { 'signin.sessionSeconds': '3600', 'rateLimits.page': '0' },
      now: () => now,
    }),
  'end',
);
const client = opened(() => service.addClient({ name: 'Shop <1>', postLogoutRedirectUris: [AFTER] }));
const other = opened(() => service.addClient({ name: 'Forum', redirectUris: ['https://forum.example/cb'] }));

type Parameters = Readonly<Record<string, string>>;
const stay = (by = client, person = 'alice'): Promise<Stay> => signInToStay(service.baseUrl, by, person);
const isLive = async (session: Stay, by = client): Promise<boolean> =>
  (await silently(service.baseUrl, by, session.cookie)) === 'signed in';

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly cookies: readonly string[];
  readonly text: string;
}

const send = async (path: string, init: RequestInit): Promise<Answer> => {
  const response = await fetch(`${service.baseUrl}${path}`, { redirect: 'manual', ...init });
  const { status, headers } = response;
  return {
    status,
    location: headers.get('location'),
    cookies: headers.getSetCookie(),
    text: await response.text(),
  };
};
const get = (parameters: Parameters, headers: Parameters = {}): Promise<Answer> =>
  send(`/logout?${new URLSearchParams(parameters)}`, { headers });
const post = (parameters: Parameters, headers: Parameters = {}): Promise<Answer> =>
  send('/logout', { method: 'POST', headers, body: new URLSearchParams(parameters) });
const carriedBy = ({ text }: Answer): string => {
  const value = /name="request" value="([^"]*)"/.exec(text)?.[1] ?? '';
  return value.replaceAll('&amp;', '&').replaceAll('&#39;', "'");
};
const confirm = (page: Answer, headers: Parameters): Promise<Answer> =>
  send('/logout/confirm', {
    method: 'POST',
    headers,
    body: new URLSearchParams({ request: carriedBy(page) }),
  });
const gone = ({ clientId }: TestClient): string =>
  `__Host-pg_session_${clientId}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`;
const heading = ({ text }: Answer): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';

describe('a sign-out with the ID token of the app', () => {
  it.each(['GET', 'POST'])('by %s ends its session at once, and returns to the app', async (method) => {
    const session = await stay();
    const parameters = { id_token_hint: session.idToken, post_logout_redirect_uri: AFTER, state: 's 1' };
    const call = method === 'GET' ? get : post;
    const answer = await call(parameters, { cookie: session.cookie });
    expect(answer).toMatchObject({ status: 303, location: `${AFTER}&state=s%201`, cookies: [gone(client)] });
    expect(await isLive(session)).toBe(false);
    expect(await call(parameters)).toMatchObject({ status: 303, location: `${AFTER}&state=s%201` });
  });

  it('from another site needs no cookie, and changes none', async () => {
    const [session, elsewhere] = [await stay(), await stay()];
    const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
    const answer = await post({ id_token_hint: session.idToken }, headers);
    expect([answer.status, heading(answer), answer.cookies]).toEqual([
      200,
      'You are signed out of Shop &lt;1&gt;',
      [],
    ]);
    expect([await isLive(session), await isLive(elsewhere)]).toEqual([false, true]);
  });

  it('is accepted when the token has expired', async () => {
    const session = await stay();
    now += 3_500_000;
    const { idToken } = session;
    expect(await isLive(session)).toBe(true);
    now += 200_000;
    expect(await get({ id_token_hint: idToken, post_logout_redirect_uri: AFTER })).toMatchObject({
      status: 303,
      location: AFTER,
    });
  });

  it('ends the present session of the same person on the browser, too', async () => {
    const former = await stay();
    const present = await stay();
    await get({ id_token_hint: former.idToken }, { cookie: present.cookie });
    expect(await isLive(present)).toBe(false);
  });

  it('does not end the session of another person, nor take their cookie', async () => {
    const [alice, bob] = [await stay(), await stay(client, 'bob')];
    const answer = await get({ id_token_hint: alice.idToken }, { cookie: bob.cookie });
    expect(answer.cookies).toEqual([]);
    expect([await isLive(alice), await isLive(bob)]).toEqual([false, true]);
  });

  it('without a session ends that of the same person on the browser, and of nobody else', async () => {
    const { parameters } = await service.complete({
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      response_type: 'id_token',
      nonce: 'n',
    });
    const hint = { id_token_hint: parameters.id_token ?? '' };
    const [alice, bob] = [await stay(), await stay(client, 'bob')];
    expect((await get(hint, { cookie: bob.cookie })).cookies).toEqual([]);
    expect((await get(hint)).status).toBe(200);
    expect([await isLive(alice), await isLive(bob)]).toEqual([true, true]);
    expect((await get(hint, { cookie: alice.cookie })).cookies).toEqual([gone(client)]);
    expect(await isLive(alice)).toBe(false);
  });

  it('ends no session of another app', async () => {
    const [shop, forum] = [await stay(), await stay(other)];
    await get({ id_token_hint: shop.idToken }, { cookie: `${shop.cookie}; ${forum.cookie}` });
    expect([await isLive(shop), await isLive(forum, other)]).toEqual([false, true]);
  });

  it('leaves the tokens of the app valid', async () => {
    const session = await stay();
    await get({ id_token_hint: session.idToken });
    const { status } = await send('/userinfo', {
      headers: { authorization: `Bearer ${session.accessToken}` },
    });
    expect(status).toBe(200);
  });

  it('returns to a native app at any loopback port', async () => {
    const native = await service.addClient(NATIVE);
    for (const uri of ['http://127.0.0.1:51234/bye', 'com.example.shop:/bye']) {
      const answer = await get({ client_id: native.clientId, post_logout_redirect_uri: uri, state: 'x' });
      expect(answer).toMatchObject({ status: 303, location: `${uri}?state=x` });
    }
  });
});

describe('a sign-out without an ID token', () => {
  it('asks the person, who then returns to the app with every character of the state', async () => {
    const session = await stay();
    const { cookie } = session;
    const request = { client_id: client.clientId, post_logout_redirect_uri: AFTER, state: STATE };
    const page = await post(request, { cookie });
    expect([page.status, heading(page), page.cookies]).toEqual([200, 'Sign out?', []]);
    expect(page.text).toContain('<li>Shop &lt;1&gt;</li>');
    expect(page.text).toContain('<b>shop.example</b>');
    expect(await isLive(session)).toBe(true);
    const answer = await confirm(page, { cookie });
    expect(answer).toMatchObject({
      status: 303,
      location: `${AFTER}&state=${encodeURIComponent(STATE)}`,
      cookies: [gone(client)],
    });
    expect(await isLive(session)).toBe(false);
  });

  it('names the apps of the browser, and ends the sessions of all', async () => {
    const [shop, forum] = [await stay(), await stay(other)];
    const cookie = `a=b; ${shop.cookie}; ${forum.cookie}; __Host-pg_session_app_x=1`;
    const page = await get({}, { cookie });
    expect(page.text.match(/<li>[^<]*<\/li>/g)).toEqual(['<li>Shop &lt;1&gt;</li>', '<li>Forum</li>']);
    const answer = await confirm(page, { cookie });
    expect([answer.status, heading(answer)]).toEqual([200, 'You are signed out']);
    expect(answer.cookies).toEqual([gone(client), gone(other)]);
    expect([await isLive(shop), await isLive(forum, other)]).toEqual([false, false]);
  });

  it('with a client_id ends its session only', async () => {
    const [shop, forum] = [await stay(), await stay(other)];
    const cookie = `${shop.cookie}; ${forum.cookie}`;
    const page = await get({ client_id: other.clientId }, { cookie });
    expect(page.text.match(/<li>[^<]*<\/li>/g)).toEqual(['<li>Forum</li>']);
    const answer = await confirm(page, { cookie });
    expect(heading(answer)).toBe('You are signed out of Forum');
    expect([await isLive(shop), await isLive(forum, other)]).toEqual([true, false]);
  });

  it('and without a session returns at once, or says so', async () => {
    const request = { client_id: client.clientId, post_logout_redirect_uri: AFTER, state: 's' };
    expect(await get(request)).toMatchObject({ status: 303, location: `${AFTER}&state=s` });
    expect(heading(await get({}))).toBe('You are not signed in');
    expect(heading(await get({ client_id: other.clientId }))).toBe('You are not signed in to Forum');
    const session = await stay();
    const page = await get({}, { cookie: session.cookie });
    await get({ id_token_hint: session.idToken });
    expect((await confirm(page, { cookie: session.cookie })).status).toBe(200);
  });

  it.each([
    ['Origin', { origin: 'https://shop.example' }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-site' }],
  ])('is not confirmed by a form of another site, by %s', async (_name, headers) => {
    const session = await stay();
    const { cookie } = session;
    const answer = await confirm(await get({}, { cookie }), {
      cookie,
      accept: 'application/json',
      ...headers,
    });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'access_denied', code: 'access_denied' });
    expect(await isLive(session)).toBe(true);
  });

  it('is checked again when it is confirmed', async () => {
    const carried = new URLSearchParams({
      client_id: client.clientId,
      post_logout_redirect_uri: 'https://evil.example/',
    });
    const answer = await send('/logout/confirm', {
      method: 'POST',
      body: new URLSearchParams({ request: carried.toString() }),
    });
    expect([answer.status, answer.location]).toEqual([400, null]);
  });

  it('is asked in the language of the app, and answered in it', async () => {
    const { cookie } = await stay();
    const page = await get({ ui_locales: 'xx de' }, { cookie });
    expect(heading(page)).toBe('Abmelden?');
    expect(heading(await confirm(page, { cookie, 'accept-language': 'fr' }))).toBe('Sie sind abgemeldet');
    expect(heading(await get({}, { 'accept-language': 'ja' }))).toBe('サインインしていません');
  });
});

describe('a refused sign-out', () => {
  const json = { accept: 'application/json' };

  it.each<[string, (session: Stay) => Parameters, Parameters]>([
    [
      'a hint that is no token',
      () => ({ id_token_hint: 'a.b.c' }),
      { code: 'invalid_request', attribute: 'id_token_hint' },
    ],
    [
      'an access token as the hint',
      ({ accessToken }) => ({ id_token_hint: accessToken }),
      { code: 'invalid_request', attribute: 'id_token_hint' },
    ],
    [
      'the id of another client',
      ({ idToken }) => ({ id_token_hint: idToken, client_id: other.clientId }),
      { code: 'invalid_request', attribute: 'client_id' },
    ],
    [
      'an unknown client',
      () => ({ client_id: 'app_0' }),
      { error: 'invalid_client', code: 'app_not_found', attribute: 'client_id' },
    ],
    [
      'an address that is not registered byte for byte',
      ({ idToken }) => ({ id_token_hint: idToken, post_logout_redirect_uri: `${AFTER}&` }),
      { code: 'invalid_redirect_uri', attribute: 'post_logout_redirect_uri' },
    ],
    [
      'a redirect URI as the address',
      ({ idToken }) => ({ id_token_hint: idToken, post_logout_redirect_uri: client.redirectUri }),
      { code: 'invalid_redirect_uri', attribute: 'post_logout_redirect_uri' },
    ],
    [
      'an address without a client',
      () => ({ post_logout_redirect_uri: AFTER }),
      { code: 'required', attribute: 'client_id' },
    ],
  ])('for %s is told to the person, and ends nothing', async (_case, parametersOf, body) => {
    const session = await stay();
    const answer = await get(parametersOf(session), { cookie: session.cookie, ...json });
    expect([answer.status, answer.location, answer.cookies]).toEqual([400, null, []]);
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'invalid_request', ...body });
    const page = await get(parametersOf(session), { cookie: session.cookie, accept: 'text/html' });
    expect([page.status, heading(page)]).toEqual([400, 'Something is wrong with this request']);
    expect(await isLive(session)).toBe(true);
  });

  it('for a disabled client says so', async () => {
    const { clientId } = await service.addClient({ status: 'disabled' });
    const { status, text } = await get({ client_id: clientId }, json);
    expect([status, JSON.parse(text).code]).toEqual([400, 'sign_in_not_enabled']);
  });

  it.each(['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'])(
    'for a repeated %s names it; unknown parameters are ignored',
    async (name) => {
      const { status, text } = await send(`/logout?${name}=a&${name}=a`, { headers: json });
      expect([status, JSON.parse(text).attribute]).toEqual([400, name]);
      expect((await send('/logout?logout_hint=a&logout_hint=b', {})).status).toBe(200);
    },
  );

  it('for its size or form has the code of it', async () => {
    const long = 'x'.repeat(32_768);
    expect((await get({ state: long }, json)).status).toBe(414);
    expect((await post({ state: long }, json)).status).toBe(413);
    const body = new URLSearchParams({ request: 'x'.repeat(170_000) });
    expect((await send('/logout/confirm', { method: 'POST', body })).status).toBe(413);
    expect(
      (await send('/logout', { method: 'POST', body: 'a=b', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(400);
    expect((await send('/logout?state=%', {})).status).toBe(400);
  });

  it('for its method names the others, and no page of another origin may read it', async () => {
    for (const method of ['OPTIONS', 'PUT', 'HEAD']) {
      const response = await fetch(`${service.baseUrl}/logout`, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

it('carries a large state through the form', async () => {
  const { cookie } = await stay();
  const state = '/é'.repeat(1500);
  const request = { client_id: client.clientId, post_logout_redirect_uri: AFTER, state };
  const page = await post(request, { cookie });
  expect(page.status).toBe(200);
  expect(await confirm(page, { cookie })).toMatchObject({
    location: `${AFTER}&state=${encodeURIComponent(state)}`,
  });
});

it('has answers that no cache keeps, that no frame shows, and that send no referrer', async () => {
  const { headers } = await fetch(`${service.baseUrl}/logout`);
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    vary: 'Accept-Language',
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  });
});

describe('while sessions are off', () => {
  it('there is no sign-out, and discovery does not name one', async () => {
    const off = await useSharedSignin();
    const document = (await (
      await fetch(`${off.baseUrl}/.well-known/openid-configuration`)
    ).json()) as object;
    for (const name of Object.keys(document)) expect(name).not.toMatch(/end_session|logout/);
    for (const [method, path] of [
      ['GET', '/logout'],
      ['POST', '/logout'],
      ['POST', '/logout/confirm'],
    ]) {
      expect((await fetch(`${off.baseUrl}${path}`, { method: method ?? '' })).status).toBe(404);
    }
  });
});

it('is named in the discovery document', async () => {
  const response = await fetch(`${service.baseUrl}/.well-known/openid-configuration`);
  expect(await response.json()).toMatchObject({
    end_session_endpoint: `${service.baseUrl}/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  });
});

it('is limited with the pages of sign-in', async () => {
  const limited = await startSigninOfTest({
    settings: { 'signin.sessionSeconds': '3600', 'rateLimits.page': '1' },
  });
  const statuses: number[] = [];
  for (const path of ['/logout', '/logout']) statuses.push((await fetch(`${limited.baseUrl}${path}`)).status);
  const form = { method: 'POST', body: new URLSearchParams({ request: '' }) };
  statuses.push((await fetch(`${limited.baseUrl}/logout/confirm`, form)).status);
  expect(statuses).toEqual([200, 429, 429]);
});
