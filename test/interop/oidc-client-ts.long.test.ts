import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  describeInChromium,
  openChromium,
  openWatchedPage,
  type WatchedPage,
} from '../support/browser/browser.ts';
import { type ListeningApp, listenApp, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';
import { approve, decline } from '../support/test-wallet.ts';

const SCRIPT = fileURLToPath(new URL('../support/interop/oidc-page.js', import.meta.url));

/** Starts an app that serves the same page at every path, with its script. */
async function startPageApp(script: string): Promise<ListeningApp> {
  return await listenApp(() => (request, response) => {
    const isScript = request.url === '/app.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    const html = '<!doctype html><title>The app</title><link rel="icon" href="data:,"><script src="/app.js">';
    response.end(isScript ? script : `${html}</script><h1>The app</h1>`);
  });
}

/** Ignores the error of a call that ended because the page navigated away. */
function ignoreNavigation(error: Error): void {
  if (!/context was destroyed|navigation/i.test(error.message)) throw error;
}

describeInChromium('oidc-client-ts in Chromium', () => {
  let own: ListeningApp;
  let stranger: ListeningApp;
  let client: TestClient;
  /** Apps that people stay signed in to, on the site of the service and on another one. */
  let staying: { readonly near: TestClient; readonly far: TestClient };
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  const interop = opened(() => startInterop({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');
  beforeAll(async () => {
    const bundle = await build({ entryPoints: [SCRIPT], bundle: true, write: false, format: 'iife' });
    const script = bundle.outputFiles[0]?.text ?? '';
    own = await startPageApp(script);
    stranger = await startPageApp(script);
    const add = (origin: string): Promise<TestClient> =>
      interop.service.addClient({ tokenEndpointAuthMethod: 'none', redirectUris: [`${origin}/cb`] });
    client = await add(own.origin);
    staying = { near: await add(own.origin), far: await add(own.origin.replace('127.0.0.1', 'localhost')) };
    browser = await openChromium();
    // the console reports refusals that the test provokes, by status or as CORS violations
    watched = await openWatchedPage(browser, (fault) => /Failed to load resource|CORS policy/.test(fault));
    ({ page } = watched);
  });
  afterAll(async () => {
    await watched?.close();
    await browser?.close();
    await own?.end();
    await stranger?.end();
  });

  /** Calls a function of the page script with JSON values. */
  async function call(name: string, ...values: unknown[]): Promise<unknown> {
    const list = values.map((value) => JSON.stringify(value)).join(', ');
    return await page.evaluate(`${name}(${list})`);
  }

  /**
   * Starts a sign-in at the app and answers it as the wallet. Returns the result of the script of the app.
   */
  async function signIn(
    options: unknown,
    answer: (connectUrl: string) => Promise<unknown> = (url) => approve(url),
    app: TestClient = client,
  ): Promise<Record<string, unknown>> {
    const { origin } = new URL(app.redirectUri);
    await page.goto(origin);
    await call('makeApp', interop.issuer, app.clientId, options);
    await call('app.signIn', { state: { cart: 7 } }).catch(ignoreNavigation);
    await answer((await page.locator('#wallet-link').getAttribute('href')) ?? '');
    await page.waitForURL((url) => url.origin === origin);
    await call('makeApp', interop.issuer, app.clientId, options);
    return (await call('app.finish')) as Record<string, unknown>;
  }

  const read = (path: string, init: unknown = {}): Promise<unknown> =>
    call('app.read', `${interop.issuer}${path}`, init);

  it('signs in as a public client with code and PKCE, reads the user information, and revokes', async () => {
    const user = await signIn({ scope: 'openid email profile' });
    const sub = await interop.subFor(client);
    expect(user).toMatchObject({ scope: 'openid email profile', state: { cart: 7 } });
    const host = new URL(interop.issuer).hostname;
    expect(user.profile).toMatchObject({ sub, email: `${sub}@${host}`, name: 'World ID User' });
    expect(user.profile).not.toHaveProperty('nonce');
    const init = { headers: { authorization: `Bearer ${user.accessToken}` } };
    expect(await read('/userinfo', init)).toMatchObject({ status: 200 });
    await call('app.revoke');
    expect(await read('/userinfo', init)).toEqual({
      status: 401,
      body: expect.stringContaining('"error":"invalid_token"'),
      challenge: expect.stringContaining('error="invalid_token"'),
    });
  });

  it('renews with a refresh token, where the person ticked the box, and revokes it', async () => {
    const offline = await interop.service.addClient({
      tokenEndpointAuthMethod: 'none',
      redirectUris: [`${own.origin}/cb`],
      refreshTokens: true,
    });
    const scope = 'openid offline_access';
    const tick = async (url: string): Promise<void> => {
      await page.getByLabel(/stay connected while you are away/).check();
      await approve(url);
    };
    const user = await signIn({ scope }, tick, offline);
    expect(user.scope).toBe(scope);
    const renewed = (await call('app.renew')) as Record<string, unknown>;
    expect(renewed).toMatchObject({ scope, profile: { sub: await interop.subFor(offline) } });
    expect(renewed.accessToken).not.toBe(user.accessToken);
    const again = (await call('app.renew')) as Record<string, unknown>;
    expect(again.refreshToken).not.toBe(renewed.refreshToken);
    await call('app.revoke', 'refresh_token');
    const init = { headers: { authorization: `Bearer ${again.accessToken}` } };
    expect(await read('/userinfo', init)).toMatchObject({ status: 401 });
    const form = { grant_type: 'refresh_token', client_id: offline.clientId };
    const body = new URLSearchParams({ ...form, refresh_token: String(again.refreshToken) }).toString();
    expect(await read('/token', { ...(badExchange() as object), body })).toMatchObject({ status: 400 });
  });

  describe('where the person stays signed in', () => {
    const stay = async (url: string): Promise<void> => {
      await page.getByRole('checkbox', { name: /Stay signed in/ }).check();
      await approve(url);
    };
    /** Signs in with a proof. Returns the claims that name the person and the session. */
    const signInToStay = async (app: TestClient) => {
      const { profile, failure } = await signIn({ scope: 'openid' }, stay, app);
      expect(failure).toBeUndefined();
      const { sub, sid } = profile as Record<string, unknown>;
      expect([sub, sid]).toEqual([await interop.subFor(app), expect.any(String)]);
      return { sub, sid };
    };

    it('renews in a hidden frame of an app on the same site', async () => {
      const person = await signInToStay(staying.near);
      expect(await call('app.renew')).toMatchObject({ profile: person });
      expect(watched.faults).toEqual([]);
    });

    it('gets login_required in a frame of another site, and is answered at once on the whole page', async () => {
      const person = await signInToStay(staying.far);
      expect(await call('app.renew')).toMatchObject({ failure: { error: 'login_required' } });
      // the page of the first answer has an address of the same kind
      const first = page.url();
      await call('app.signIn', { prompt: 'none' }).catch(ignoreNavigation);
      await page.waitForURL((url) => url.href !== first && url.searchParams.has('code'));
      await call('makeApp', interop.issuer, staying.far.clientId);
      expect(await call('app.finish')).toMatchObject({ profile: person });
      expect(watched.faults).toEqual([]);
    });
  });

  it('signs in with the answer in the fragment', async () => {
    const user = await signIn({ scope: 'openid', response_mode: 'fragment' });
    expect(user.profile).toMatchObject({ sub: await interop.subFor(client) });
  });

  it.each(['query', 'fragment'])('reports a declined sign-in by %s', async (response_mode) => {
    const { failure } = await signIn({ scope: 'openid', response_mode }, async (url) => {
      await decline(url);
      await page.getByRole('link', { name: 'Back to ' }).click();
    });
    expect(failure).toMatchObject({
      name: 'ErrorResponse',
      error: 'access_denied',
      error_description: 'The person declined in the wallet.',
    });
  });

  const badExchange = (): unknown => ({
    method: 'POST',
    body: `grant_type=authorization_code&code=x&redirect_uri=x&client_id=${client.clientId}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const bearer = { headers: { authorization: 'Bearer x' } };

  it('reads errors of /token and /userinfo on a page of its origin', async () => {
    await page.goto(own.origin);
    await call('makeApp', interop.issuer, client.clientId);
    expect(await read('/token', badExchange())).toMatchObject({
      status: 400,
      body: expect.stringContaining('"error":"invalid_grant"'),
    });
    expect(await read('/userinfo', bearer)).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('Bearer realm='),
    });
    expect(watched.faults).toEqual([]);
  });

  it('reads only discovery and keys on a page of another origin', async () => {
    await page.goto(stranger.origin);
    await call('makeApp', interop.issuer, client.clientId);
    expect(await read('/.well-known/openid-configuration')).toMatchObject({ status: 200 });
    expect(await read('/jwks')).toMatchObject({ status: 200 });
    expect(await read('/token', badExchange())).toBeNull();
    expect(await read('/userinfo', bearer)).toBeNull();
    expect(await read('/introspect', { method: 'POST' })).toBeNull();
    expect(watched.faults).toEqual([]);
  });
});
