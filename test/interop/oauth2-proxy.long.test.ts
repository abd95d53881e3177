import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type InteropBrowser, openInteropBrowser } from '../support/interop/browser.ts';
import { listenApp, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';
import { pollUntil } from '../support/until.ts';
import { isProxyMissing, type RunningProxy, startProxy } from './support/oauth2-proxy.ts';

/** What the upstream knows of a person. */
interface Seen {
  readonly path: string;
  readonly user: string;
  readonly email: string;
  readonly accessToken: string;
}

const skip = isProxyMissing ? ' [skipped: no oauth2-proxy]' : '';

describe.skipIf(isProxyMissing)(`oauth2-proxy${skip}`, () => {
  let proxy: RunningProxy | undefined;
  let client: TestClient;
  let origin: string;
  let sub: string;
  const interop = opened(() => startInterop({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');
  const upstream = opened(
    () =>
      listenApp(() => ({ url: path, headers }, response) => {
        const { 'x-forwarded-user': user, 'x-forwarded-email': email } = headers;
        response.end(JSON.stringify({ path, user, email, accessToken: headers['x-forwarded-access-token'] }));
      }),
    'end',
  );
  beforeAll(async () => {
    origin = `http://127.0.0.1:${await freePort()}`;
    client = await interop.service.addClient({
      redirectUris: [`${origin}/oauth2/callback`],
      postLogoutRedirectUris: [`${origin}/`],
      refreshTokens: true,
      requirePkce: true,
    });
    sub = await interop.subFor(client);
    proxy = await startProxy(interop.issuer, client, upstream.origin);
  });
  afterAll(async () => {
    await proxy?.end();
  });

  /** Signs in with a proof at a path of the proxy. Returns what the upstream saw, at the same path. */
  async function signIn(browser: InteropBrowser, agreesTo: readonly string[] = []): Promise<Seen> {
    const answer = await browser.signIn(`${origin}/cart?item=7`, { agreesTo });
    expect(answer.mode).toBe('query');
    const seen = (await browser.deliver(answer)).json() as Seen;
    expect(seen).toMatchObject({ path: '/cart?item=7', user: sub, email: sub });
    return seen;
  }
  const read = async (browser: InteropBrowser): Promise<Seen> =>
    (await browser.visit(`${origin}/next`)).json() as Seen;
  const isAsked = async (browser: InteropBrowser, path = '/'): Promise<boolean> =>
    (await browser.visit(`${origin}${path}`)).url.startsWith(`${interop.issuer}/authorize/`);
  const userinfo = async ({ accessToken }: Seen): Promise<unknown> => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return await (await fetch(`${interop.issuer}/userinfo`, { headers })).json();
  };

  it('signs in with PKCE and nonce, and needs no second sign-in', async () => {
    const browser = openInteropBrowser(interop.issuer);
    expect(await userinfo(await signIn(browser))).toMatchObject({ sub });
    expect(await read(browser)).toMatchObject({ path: '/next', user: sub });
  });

  it('refreshes its tokens', async () => {
    const browser = openInteropBrowser(interop.issuer);
    const tokens = new Set([(await signIn(browser, ['offline'])).accessToken]);
    let seen: Seen | undefined;
    // the second refresh needs the token that came with the first one
    await pollUntil(async () => {
      seen = await read(browser);
      return tokens.add(seen.accessToken).size === 3;
    });
    expect(seen).toMatchObject({ user: sub });
    if (seen !== undefined) expect(await userinfo(seen)).toMatchObject({ sub });
  });

  it('is signed out alone by its own address, and signs in again silently', async () => {
    const browser = openInteropBrowser(interop.issuer);
    const first = await signIn(browser, ['stay']);
    const again = (await browser.visit(`${origin}/oauth2/sign_out`)).json() as Seen;
    expect(again).toMatchObject({ user: sub });
    expect(again.accessToken).not.toBe(first.accessToken);
  });

  it('signs out at the service, too, when it goes on to the sign-out there', async () => {
    const browser = openInteropBrowser(interop.issuer);
    const sessions = async (): Promise<unknown> => (await interop.service.store.rowCounts()).signin_sessions;
    const before = await sessions();
    await signIn(browser, ['stay']);
    expect(await sessions()).not.toBe(before);
    const rd = `${interop.issuer}/logout?id_token_hint={id_token}&post_logout_redirect_uri=${origin}/`;
    expect(await isAsked(browser, `/oauth2/sign_out?${new URLSearchParams({ rd })}`)).toBe(true);
    expect(await sessions()).toBe(before);
  });

  it('shows no upstream to a person who declines', async () => {
    const browser = openInteropBrowser(interop.issuer);
    const answer = await browser.signIn(origin, { declinesWith: 'verification_rejected' });
    const page = await browser.deliver(answer);
    expect(page.status).toBe(403);
    expect(await isAsked(browser)).toBe(true);
  });
});
