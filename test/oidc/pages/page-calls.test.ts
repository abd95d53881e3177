// Rules: spec/sign-in.md#transaction-pages
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { type PendingSignIn, redeemCode } from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { startSigninOfTest } from '../../support/signin/shared-service.ts';
import { approve } from '../../support/test-wallet.ts';

const CALLS = [
  ['GET', ''],
  ['GET', '/status'],
  ['POST', '/retry'],
  ['POST', '/cancel'],
  ['GET', '/continue'],
] as const;

describe('the calls of the sign-in page', () => {
  let time = Date.UTC(2026, 10, 21, 12);
  const call = (
    signIn: Pick<PendingSignIn, 'txn'>,
    [method, path]: readonly [string, string],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`${service.baseUrl}/authorize/${signIn.txn}${path}`, { method, headers, redirect: 'manual' });
  const portOf = (): number => Number(new URL(service.baseUrl).port);
  const cookieName = ({ txn }: PendingSignIn): string => `__Host-pg_txn_${txn.slice(0, 16)}`;

  const service = opened(() => startSigninService({ now: () => time }), 'end');

  describe('without the cookie of the sign-in', () => {
    it.each(CALLS)('%s …%s is answered with 403 session_not_found', async (...line) => {
      const signIn = await service.begin();
      const answer = await call(signIn, line, { accept: 'application/json' });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const name = cookieName(signIn);
      expect(await answer.json()).toMatchObject({ error: 'access_denied', code: 'session_not_found' });
      expect(name).toMatch(/^__Host-pg_txn_[A-Za-z0-9_-]{16}$/);
      expect((await signIn.status()).status).toBe('waiting');
    });

    it('the page names the cookie, the origins, likely causes and what to do', async () => {
      const signIn = await service.begin();
      const answer = await call(signIn, ['GET', ''], { accept: 'text/html' });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const html = await answer.text();
      expect(html).toContain('<h1>This sign-in cannot go on here</h1>');
      expect(html).toContain(`<code>${cookieName(signIn)}</code>`);
      expect(html).toContain('Go back to the app and start again');
      expect(html).toContain('<li>The sign-in took longer than 15 minutes.</li>');
      expect(html).toContain(`<li>Cookies are blocked for ${new URL(service.baseUrl).host}.</li>`);
      expect(html).toContain('another browser');
      expect(html).toContain('<li>More than 32 sign-ins were open in this browser.</li>');
      expect(html).toContain(
        `<li>This browser refuses secure cookies from ${service.baseUrl}, because that is not https. Safari`,
      );
      expect(html).toContain(`<code>${service.baseUrl}</code>`);
      expect(html).not.toContain(signIn.txn);
    });

    it('the page says so first when it was opened under another host than baseUrl', async () => {
      const signIn = await service.begin();
      const text = requestText(`GET /authorize/${signIn.txn}`).replace(
        'Host: localhost',
        `Host: localhost:${portOf()}`,
      );
      const answer = await rawRequest(portOf(), text);
      expect(answer.status).toBe(403);
      expect(answer.body.toString()).toContain(
        `This page was opened at http://localhost:${portOf()}, but sign-in works at ${service.baseUrl} only.`,
      );
    });

    it('the JSON body names cookie and origins too', async () => {
      const signIn = await service.begin();
      const answer = await call(signIn, ['GET', ''], { accept: 'application/json' });
      const { detail } = (await answer.json()) as { readonly detail: string };
      expect(detail).toBe(
        `The cookie ${cookieName(signIn)} did not come, or the sign-in is over. Expected origin ${service.baseUrl}, got ${service.baseUrl}.`,
      );
    });

    it('the status is JSON even for a browser', async () => {
      const signIn = await service.begin();
      const answer = await call(signIn, ['GET', '/status'], { accept: 'text/html' });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('content-type')).toBe('application/json');
    });

    it.each([
      ['of another sign-in', (other: PendingSignIn) => other.cookie],
      [
        'with the value of another sign-in',
        (other: PendingSignIn, own: PendingSignIn) => `${cookieName(own)}=${other.cookie.split('=')[1]}`,
      ],
      ['with an empty value', (_: PendingSignIn, own: PendingSignIn) => `${cookieName(own)}=`],
      ['with a malformed value', (_: PendingSignIn, own: PendingSignIn) => `${cookieName(own)}="a b"`],
    ])('a cookie %s is refused', async (_, cookie) => {
      const [own, other] = [await service.begin(), await service.begin()];
      const answer = await call(own, ['GET', '/status'], { cookie: cookie(other, own) });
      expect(answer.status).toBe(403);
      expect((await own.status()).status).toBe('waiting');
    });

    it('an unknown sign-in is answered alike', async () => {
      const txn = 'A'.repeat(43);
      const answer = await call({ txn }, ['GET', '/status'], {
        cookie: `__Host-pg_txn_${'A'.repeat(16)}=${txn}`,
      });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ code: 'session_not_found' });
    });
  });

  it('find their cookie among any others', async () => {
    const signIn = await service.begin();
    const cookie = `a="x; y"; broken; =; __Host-pg_txn_other=1;${signIn.cookie} ;z=\u00ff`;
    expect((await call(signIn, ['GET', '/status'], { cookie })).status).toBe(200);
  });

  describe('a form', () => {
    it.each<[from: string, headers: Readonly<Record<string, string>>]>([
      ['another origin', { origin: 'https://evil.example' }],
      ['another port', { origin: 'http://127.0.0.1:1' }],
      ['a sibling host of the same site', { 'sec-fetch-site': 'same-site' }],
      ['another site', { 'sec-fetch-site': 'cross-site' }],
    ])('from %s is refused, with both origins named', async (_, headers) => {
      const signIn = await service.begin();
      for (const path of ['/retry', '/cancel']) {
        const answer = await call(signIn, ['POST', path], { cookie: signIn.cookie, ...headers });
        expect(answer.status).toBe(403);
        const html = await answer.text();
        expect(html).toContain(`<dt>Expected origin</dt><dd><code>${service.baseUrl}</code></dd>`);
        if (headers.origin !== undefined) expect(html).toContain(`<code>${headers.origin}</code>`);
      }
      expect((await signIn.status()).status).toBe('waiting');
    });

    it.each([
      ['no Origin', () => ({})],
      ['its own Origin', () => ({ origin: service.baseUrl, 'sec-fetch-site': 'same-origin' })],
      ['Origin: null, as browsers send it from a page without referrer', () => ({ origin: 'null' })],
    ])('with %s is accepted', async (_, headers) => {
      const signIn = await service.begin();
      const answer = await call(signIn, ['POST', '/cancel'], { cookie: signIn.cookie, ...headers() });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(`/authorize/${signIn.txn}/continue`);
    });
  });

  describe('retry', () => {
    it('begins another attempt after a bad proof, with a new link', async () => {
      const signIn = await service.begin();
      await approve(signIn.connectUrl, { isFalse: true });
      expect(await signIn.settle()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
      const html = await signIn.page();
      expect(html).not.toContain('http-equiv="refresh"');
      expect(html).toMatch(/<form method="post" action="[^"]*\/retry" data-show="failed expired">/);
      const answer = await signIn.retry();
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(`/authorize/${signIn.txn}`);
      const next = await signIn.readConnectUrl();
      expect(next).not.toBe(signIn.connectUrl);
      await approve(next);
      expect((await signIn.settle()).status).toBe('completed');
      expect((await signIn.finish()).parameters).toHaveProperty('code');
    });

    it('is not offered after the last attempt, and then leads back to the app', async () => {
      const signIn = await service.begin();
      for (let attempt = 1; ; attempt++) {
        await approve(await signIn.readConnectUrl(), { isFalse: true });
        await signIn.settle();
        if (attempt === 5) break;
        await signIn.retry();
      }
      const html = await signIn.page();
      expect(html).toContain('That was the last attempt.');
      expect(html).not.toContain('/retry"');
      await signIn.retry();
      const page = await call(signIn, ['GET', ''], { cookie: signIn.cookie });
      expect(page.headers.get('location')).toBe(`/authorize/${signIn.txn}/continue`);
      expect((await signIn.finish()).parameters.error).toBe('access_denied');
    });
  });

  it('the time to answer runs out, and another attempt has the full time again', async () => {
    const signIn = await service.begin();
    time += 100_000;
    expect(await signIn.status()).toMatchObject({ status: 'waiting', expires_in: 200 });
    expect(await signIn.page()).toContain('<b id="time-left" role="timer">3:20</b>');
    time += 201_000;
    expect(await signIn.status()).toMatchObject({ status: 'expired', expires_in: 0, code: null });
    const html = await signIn.page();
    expect(html).toContain('>The time to answer is over.</p>');
    expect(html).not.toContain('id="wallet-link"');
    expect(html).not.toContain('http-equiv="refresh"');
    await signIn.retry();
    expect(await signIn.status()).toMatchObject({ status: 'waiting', expires_in: 300 });
  });

  it('a person who leaves is sent back with access_denied', async () => {
    const signIn = await service.begin({ state: 'kept' });
    await signIn.cancel();
    expect(await signIn.status()).toMatchObject({ status: 'refused', code: 'access_denied' });
    expect((await signIn.finish()).parameters).toEqual({
      error: 'access_denied',
      error_description: 'The person left the sign-in page.',
      state: 'kept',
      iss: service.baseUrl,
    });
  });

  describe('continue', () => {
    it('leads back to the page while nothing is decided', async () => {
      const signIn = await service.begin();
      const answer = await signIn.continue();
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(`/authorize/${signIn.txn}`);
    });

    it('delivers the response, keeps the cookie, leads every other call to it, and says when the app has taken it', async () => {
      const signIn = await service.begin();
      await approve(signIn.connectUrl);
      await signIn.settle();
      const answer = await signIn.continue();
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toMatch(/^https:\/\/shop\.example\/cb\?code=/);
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.getSetCookie()).toEqual([]);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const [method, path] of CALLS.filter(([, name]) => name !== '/status')) {
        const again = await call(signIn, [method, path], { cookie: signIn.cookie, ...form });
        const location =
          path === '/continue' ? answer.headers.get('location') : `/authorize/${signIn.txn}/continue`;
        expect([path, again.status, again.headers.get('location')]).toEqual([path, 303, location]);
      }
      expect(await signIn.status()).toMatchObject({ status: 'completed' });
      const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
      expect((await redeemCode(service.baseUrl, service.web, code)).status).toBe(200);
      for (const line of CALLS) {
        const again = await call(signIn, line, {
          cookie: signIn.cookie,
          ...form,
          accept: 'application/json',
        });
        expect(again.status).toBe(403);
        expect(await again.json()).toMatchObject({
          code: 'session_not_found',
          detail: 'The app has taken the response of this sign-in.',
        });
      }
      const page = await (await signIn.continue()).text();
      expect(page).toContain('<h1>This sign-in is already finished</h1>');
    });

    it('answers with an error if the client was disabled in the meantime', async () => {
      const client = await service.addClient();
      const signIn = await service.begin({ client_id: client.clientId, redirect_uri: client.redirectUri });
      await signIn.cancel();
      await service.store.apps.update(client.clientId, { status: 'disabled' }, time);
      time += 60_000;
      const answer = await call(signIn, ['GET', '/continue'], {
        cookie: signIn.cookie,
        accept: 'application/json',
      });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('location')).toBeNull();
      expect(await answer.json()).toMatchObject({ code: 'sign_in_not_enabled' });
    });
  });

  it.each(CALLS)('other methods at %s …%s are answered with 405, including OPTIONS', async (method, path) => {
    for (const wrong of ['PUT', 'OPTIONS', 'HEAD']) {
      const text = requestText(`${wrong} /authorize/${'A'.repeat(43)}${path}`, ['Accept: application/json']);
      const answer = await rawRequest(portOf(), text);
      expect(answer.status).toBe(405);
      expect(headerOf(answer, 'allow')).toBe(method);
      expect(headerOf(answer, 'access-control-allow-origin')).toBeUndefined();
      expect(headerOf(answer, 'cache-control')).toBe('no-store');
    }
  });
});

describe('the status', () => {
  it('is limited per sign-in, in JSON', async () => {
    const service = await startSigninOfTest({ settings: { 'rateLimits.status': '2' } });
    const signIn = await service.begin();
    await signIn.status();
    await signIn.status();
    const answer = await fetch(`${service.baseUrl}/authorize/${signIn.txn}/status`, {
      headers: { cookie: signIn.cookie, accept: 'text/html' },
    });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ code: 'rate_limit', error: 'temporarily_unavailable' });
    expect(await signIn.page()).toContain('Waiting for your wallet.');
    expect((await (await service.begin()).status()).status).toBe('waiting');
  });
});
