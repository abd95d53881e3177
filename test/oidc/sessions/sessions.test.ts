import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerSecrets } from '../../../src/oidc/answer-secrets.ts';
import { type InteropBrowser, openInteropBrowser } from '../../support/interop/browser.ts';
import { opened } from '../../support/opened.ts';
import {
  authorize,
  beginSignIn,
  readAnswer,
  redeemCode,
  type SignInAnswer,
} from '../../support/signin/driver.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import { approve } from '../../support/test-wallet.ts';

const SESSION_SECONDS = 3600;

let service: SigninService;
let clockMs = Date.now();
const now = (): number => clockMs;

beforeAll(async () => {
  const settings = { 'signin.sessionSeconds': String(SESSION_SECONDS), 'storage.cacheSeconds': '0' };
  service = await startSigninService({ now, settings });
});
afterAll(() => service?.end());

/** Address of an authorization request for an ID token, which says who has signed in and when. */
function urlOf(parameters: Readonly<Record<string, string>> = {}, { baseUrl, web } = service): string {
  const { clientId: client_id, redirectUri: redirect_uri } = web;
  const request = { response_type: 'id_token', client_id, redirect_uri, scope: 'openid', nonce: 'n' };
  return `${baseUrl}/authorize?${new URLSearchParams({ ...request, ...parameters })}`;
}

const claimsOf = ({ parameters }: SignInAnswer) => decodeJwt(parameters.id_token ?? '');

/** Opens a browser with a session of the web client. */
async function signedIn(person = 'alice', tree: 'orb' | 'device' = 'orb') {
  const browser = openInteropBrowser(service.baseUrl);
  const answer = await browser.signIn(urlOf(), { person, tree, agreesTo: ['stay'] });
  return { browser, answer, claims: claimsOf(answer), idToken: answer.parameters.id_token ?? '' };
}

const silently = async (browser: InteropBrowser, more: Readonly<Record<string, string>> = {}) =>
  (await browser.ask(urlOf({ prompt: 'none', ...more }))).parameters;

/** Whether the person is asked for a proof, with and without `prompt=none`. */
async function expectAsked(browser: InteropBrowser, more: Readonly<Record<string, string>> = {}) {
  expect((await silently(browser, more)).error).toBe('login_required');
  expect((await browser.visit(urlOf(more))).url).toMatch(/\/authorize\/[\w-]{43}$/);
}

/** Cookie of the session of the web client. */
function sessionCookie(browser: InteropBrowser): string {
  const name = `__Host-pg_session_${service.web.clientId}=`;
  const pairs = browser.cookieFor(`${service.baseUrl}/`).split('; ');
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length) ?? '';
}

describe('a session', () => {
  it('is offered by a box that is not ticked, and begins only if the person ticks it', async () => {
    const signIn = await service.begin({ response_type: 'id_token', nonce: 'n' });
    const box = /<input type="checkbox" name="stay"[^>]*>/.exec(await signIn.page())?.[0] ?? '';
    expect(box).toBe('<input type="checkbox" name="stay" value="on">');
    await approve(signIn.connectUrl);
    await signIn.settle();
    const response = await signIn.continue();
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(claimsOf(await readAnswer(response))).not.toHaveProperty('sid');
  });

  it('has a cookie of 256 bits for its client, of which the store has the hash alone', async () => {
    const signIn = await service.begin({ response_type: 'id_token', nonce: 'n' });
    await fetch(`${service.baseUrl}/authorize/${signIn.txn}/agree`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: signIn.cookie },
      body: new URLSearchParams({ stay: 'on' }),
    });
    expect(await signIn.page()).toContain('<input type="checkbox" name="stay" value="on" checked>');
    await approve(signIn.connectUrl);
    await signIn.settle();
    const [cookie = ''] = (await signIn.continue()).headers.getSetCookie();
    const [, value = ''] =
      /^__Host-pg_session_(?:app_staging_[0-9a-f]{32})=([\w-]{43}); (.*)$/.exec(cookie) ?? [];
    expect(cookie).toBe(
      `__Host-pg_session_${service.web.clientId}=${value}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure`,
    );
    const hash = new Uint8Array(createHash('sha256').update(value).digest());
    const row = await service.store.sessions.find(hash, service.web.clientId, now());
    expect(row).toMatchObject({ clientId: service.web.clientId, expiresAt: expect.any(Number) });
    expect(JSON.stringify(row)).not.toContain(value);
    expect(service.app.log()).not.toContain(value);
  });

  it('answers at once, as the person who has proven then, for the same client alone', async () => {
    const { browser, claims } = await signedIn('alice', 'device');
    clockMs += 60_000;
    const again = claimsOf(await browser.ask(urlOf()));
    const { sub, auth_time, acr, sid } = claims;
    expect(again).toMatchObject({ sub, auth_time, acr: 'device', sid });
    expect([acr, again.iat]).toEqual(['device', Number(claims.iat) + 60]);

    const other = await service.addClient();
    const { clientId: client_id, redirectUri: redirect_uri } = other;
    await expectAsked(browser, { client_id, redirect_uri });
    const stolen = { cookie: `__Host-pg_session_${client_id}=${sessionCookie(browser)}` };
    const request = urlOf({ client_id, redirect_uri, prompt: 'none' });
    const answer = await readAnswer(await fetch(request, { headers: stolen, redirect: 'manual' }));
    expect(answer.parameters.error).toBe('login_required');
  });

  it('gives a code whose tokens name it, once', async () => {
    const { browser, claims } = await signedIn();
    const { code = '' } = await silently(browser, { response_type: 'code' });
    const redeem = () => redeemCode(service.baseUrl, service.web, code);
    const { id_token } = (await (await redeem()).json()) as { id_token: string };
    expect(decodeJwt(id_token)).toMatchObject({ sub: claims.sub, sid: claims.sid, nonce: 'n' });
    expect((await redeem()).status).toBe(400);
  });

  it.each([['login'], ['consent'], ['select_account'], ['login consent']])(
    'does not answer prompt=%s',
    async (prompt) => {
      const { browser } = await signedIn();
      expect((await browser.visit(urlOf({ prompt }))).url).toMatch(/\/authorize\/[\w-]{43}$/);
      expect((await silently(browser)).error).toBeUndefined();
    },
  );

  it('does not answer a request for a younger proof or a higher level', async () => {
    const { browser } = await signedIn('bob', 'device');
    clockMs += 10_000;
    expect((await silently(browser, { max_age: '11' })).error).toBeUndefined();
    expect((await silently(browser, { max_age: '9'.repeat(400) })).error).toBeUndefined();
    for (const max_age of ['10', '0', '000']) await expectAsked(browser, { max_age });
    expect((await silently(browser, { acr_values: 'orb device' })).error).toBeUndefined();
    await expectAsked(browser, { acr_values: 'orb' });
    const orb = await browser.signIn(urlOf({ acr_values: 'orb' }), { person: 'bob', agreesTo: ['stay'] });
    expect(claimsOf(orb).acr).toBe('orb');
    expect((await silently(browser, { acr_values: 'orb' })).error).toBeUndefined();
  });

  it('ends with the next proof in the browser, whose box decides anew', async () => {
    const { browser, claims } = await signedIn();
    const former = sessionCookie(browser);
    const second = await browser.signIn(urlOf({ prompt: 'login' }), { agreesTo: ['stay'] });
    expect(claimsOf(second).sid).not.toBe(claims.sid);
    const cookie = `__Host-pg_session_${service.web.clientId}=${former}`;
    const old = await fetch(urlOf({ prompt: 'none' }), { headers: { cookie }, redirect: 'manual' });
    expect((await readAnswer(old)).parameters.error).toBe('login_required');
    expect((await silently(browser)).error).toBeUndefined();
    await browser.signIn(urlOf({ prompt: 'login' }));
    expect(sessionCookie(browser)).toBe('');
    await expectAsked(browser);
  });

  it('stays when the person leaves a later sign-in without a proof', async () => {
    const { browser } = await signedIn();
    await browser.signIn(urlOf({ prompt: 'login' }), { declinesWith: 'verification_rejected' });
    expect((await silently(browser)).error).toBeUndefined();
  });

  it('ends by time, counted from the proof', async () => {
    const { browser } = await signedIn();
    clockMs += SESSION_SECONDS * 1000 - 1000;
    expect((await silently(browser)).error).toBeUndefined();
    clockMs += 1000;
    await expectAsked(browser);
  });

  it('ends when its app is disabled, also if it is enabled again, and when the client changes', async () => {
    const { apps } = service.store;
    const { clientId } = service.web;
    const update = async (change: Parameters<typeof apps.update>[1]): Promise<void> => {
      await apps.update(clientId, change, now());
      // Beyond the age up to which the service may use the row that it has read.
      clockMs += 1;
    };
    const { browser } = await signedIn();
    await update({ name: 'Another name' });
    expect((await silently(browser)).error).toBeUndefined();
    await update({ status: 'disabled' });
    expect((await browser.visit(urlOf())).status).toBe(400);
    await update({ status: 'active' });
    await expectAsked(browser);

    const { browser: second } = await signedIn();
    const app = await apps.findByAppId(clientId);
    if (app === undefined) throw new Error('the app is gone');
    await update({ client: { ...app.client, postLogoutRedirectUris: ['https://shop.example/bye'] } });
    await expectAsked(second);
  });

  it('does not answer a request from a form of another site, with which browsers send no cookie', async () => {
    await signedIn();
    const form = Object.fromEntries(new URL(urlOf()).searchParams);
    const page = await openInteropBrowser(service.baseUrl).visit(`${service.baseUrl}/authorize`, form);
    expect(page.url).toMatch(/\/authorize\/[\w-]{43}$/);
  });
});

describe('the choices of the page', () => {
  const agree = (txn: string, headers: Readonly<Record<string, string>>, body = 'stay=on') =>
    fetch(`${service.baseUrl}/authorize/${txn}/agree`, {
      method: 'POST',
      redirect: 'manual',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });

  it('are taken only from the page itself, in the browser of the sign-in, before its end', async () => {
    const { txn, cookie, cancel, continue: goOn } = await service.begin();
    const agreed = async () => (await service.store.transactions.find(txn, now()))?.agreed;
    expect((await agree(txn, {})).status).toBe(403);
    expect((await agree(txn, { cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await agree(txn, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await agree(txn, { cookie, 'content-type': 'text/plain' })).status).toBe(400);
    expect((await agree(txn, { cookie }, 'stay=%ff')).status).toBe(400);
    expect(await agreed()).toEqual([]);
    const stored = await agree(txn, { cookie, 'sec-fetch-site': 'same-origin' });
    expect([stored.status, stored.headers.get('location')]).toEqual([303, `/authorize/${txn}`]);
    expect(await agreed()).toEqual(['stay']);
    await agree(txn, { cookie }, 'other=on');
    expect(await agreed()).toEqual([]);
    await cancel();
    await goOn();
    const late = await agree(txn, { cookie });
    expect([late.status, late.headers.get('location')]).toEqual([303, `/authorize/${txn}/continue`]);
    expect(await agreed()).toEqual([]);
  });
});

describe('with signin.sessionSeconds 0', () => {
  const off = opened(() => startSigninService({ now }), 'end');

  it('nothing is offered, set or stored, and no cookie of a session answers', async () => {
    const signIn = await beginSignIn(off.baseUrl, Object.fromEntries(new URL(urlOf({}, off)).searchParams));
    expect(await signIn.page()).not.toMatch(/checkbox|\/agree/);
    const before = await off.store.rowCounts();
    const agreed = await fetch(`${off.baseUrl}/authorize/${signIn.txn}/agree`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: signIn.cookie },
      body: new URLSearchParams({ stay: 'on' }),
    });
    expect(agreed.status).toBe(303);
    expect((await off.store.transactions.find(signIn.txn, now()))?.agreed).toEqual([]);
    await approve(signIn.connectUrl);
    await signIn.settle();
    const response = await signIn.continue();
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(claimsOf(await readAnswer(response))).not.toHaveProperty('sid');
    // The one new row is the count of open sign-ins, which the end of the sign-in may have split.
    // Every ten seconds the service writes what it has counted.
    const counted = {
      signin_usage: 0,
      bridge_messages: 0,
      usage_days: 0,
      action_counts: 0,
      refusal_hours: 0,
    };
    const after = await off.store.rowCounts();
    expect({ ...after, ...counted }).toEqual({ ...before, ...counted, signin_sessions: 0 });
    const cookie = `__Host-pg_session_${off.web.clientId}=${'A'.repeat(43)}`;
    const silent = await fetch(urlOf({ prompt: 'none' }, off), { headers: { cookie }, redirect: 'manual' });
    expect((await readAnswer(silent)).parameters.error).toBe('login_required');
    const document = await (await fetch(`${off.baseUrl}/.well-known/openid-configuration`)).text();
    expect(document).not.toMatch(/"sid"|end_session|logout/);
  });

  it('a session of before answers no more', async () => {
    const { web } = off;
    const accepted = { sub: new Uint8Array(32).fill(1), level: 'orb', authTime: now() } as const;
    const sessionHash = new Uint8Array(createHash('sha256').update('A'.repeat(43)).digest());
    const begun = {
      sessionHash,
      sid: 'sid',
      clientId: web.clientId,
      clientHash: sessionHash,
      accepted,
      createdAt: now(),
      expiresAt: now() + 1_000_000,
    };
    const signIn = await off.begin();
    await approve(signIn.connectUrl);
    await signIn.settle();
    const session = { former: undefined, begun };
    expect(await off.store.answers.consume(signIn.txn, { session })).toBe('consumed');
    const cookie = `__Host-pg_session_${web.clientId}=${'A'.repeat(43)}`;
    const silent = await fetch(urlOf({ prompt: 'none' }, off), { headers: { cookie }, redirect: 'manual' });
    expect((await readAnswer(silent)).parameters.error).toBe('login_required');
    expect((await authorize(off.baseUrl, { client_id: web.clientId })).status).toBe(400);
  });
});

it('the id of a session is never taken for an option of a command', () => {
  const ids = Array.from({ length: 1000 }, (_, number) => answerSecrets('cookie', String(number)).sid);
  expect(ids.filter((sid) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/.test(sid))).toEqual([]);
});
