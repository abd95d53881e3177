import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InteropBrowser, openInteropBrowser } from '../support/interop/browser.ts';
import { callbackOf, failureOf, type Interop, startInterop } from '../support/interop/relying-party.ts';

/** Time between the sign-in with a proof and the silent ones. */
const LATER_SECONDS = 120;

let interop: Interop;
let browser: InteropBrowser;
let aheadSeconds = 0;
let first: client.IDToken | undefined;
beforeAll(async () => {
  const now = (): number => Date.now() + aheadSeconds * 1000;
  interop = await startInterop({ now, settings: { 'signin.sessionSeconds': '3600' } });
  browser = openInteropBrowser(interop.issuer);
  const config = await discover();
  const answer = await browser.signIn(urlOf(config), { agreesTo: ['stay'] });
  first = (await client.authorizationCodeGrant(config, callbackOf(answer))).claims();
  aheadSeconds = LATER_SECONDS;
});
afterAll(() => interop?.end());

/** Creates the client, whose clock is that of the service. */
async function discover(): Promise<client.Configuration> {
  const { clientId, clientSecret } = interop.web;
  const metadata = { client_secret: clientSecret, [client.clockSkew]: aheadSeconds };
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  return await client.discovery(new URL(interop.issuer), clientId, metadata, undefined, { execute });
}

function urlOf(config: client.Configuration, more: Readonly<Record<string, string>> = {}): string {
  const { redirectUri: redirect_uri } = interop.web;
  return client.buildAuthorizationUrl(config, { redirect_uri, scope: 'openid', ...more }).href;
}

/** Asks with prompt=none, and lets the library check the answer and its tokens. */
async function signInSilently(
  more: Readonly<Record<string, string>> = {},
  checks: client.AuthorizationCodeGrantChecks = {},
  from = browser,
): Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers> {
  const config = await discover();
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
  const parameters = { prompt: 'none', state: expectedState, nonce: expectedNonce, ...more };
  const answer = await from.ask(urlOf(config, parameters));
  return await client.authorizationCodeGrant(config, callbackOf(answer), {
    expectedState,
    expectedNonce,
    ...checks,
  });
}

describe('openid-client 6, where the person stays signed in', () => {
  it('signs in with prompt=none for the same proof', async () => {
    const tokens = await signInSilently();
    expect(first).toMatchObject({ sub: await interop.subFor(), sid: expect.any(String) });
    const { sub, auth_time } = first ?? {};
    expect(tokens.claims()).toMatchObject({ sub, auth_time, acr: first?.acr, sid: first?.sid });
    expect(tokens.claims()?.iat).toBeGreaterThanOrEqual(Number(first?.iat) + LATER_SECONDS);
    const config = await discover();
    expect(await client.fetchUserInfo(config, tokens.access_token, String(sub))).toMatchObject({ sub });
  });

  it('signs in with max_age while the proof is young enough, which the library checks', async () => {
    const maxAge = LATER_SECONDS + 600;
    const tokens = await signInSilently({ max_age: String(maxAge) }, { maxAge });
    expect(tokens.claims()?.auth_time).toBe(first?.auth_time);
    const failure = await failureOf(signInSilently({}, { maxAge: LATER_SECONDS / 2 }));
    expect((failure as Error).cause).toMatchObject({
      message: 'too much time has elapsed since the last End-User authentication',
    });
  });

  it.each([
    ['for a fresher proof', () => signInSilently({ max_age: String(LATER_SECONDS / 2) })],
    ['in a browser without a session', () => signInSilently({}, {}, openInteropBrowser(interop.issuer))],
  ])('gets login_required %s', async (_name, ask) => {
    const failure = await failureOf(ask());
    expect(failure).toBeInstanceOf(client.AuthorizationResponseError);
    expect(failure).toMatchObject({ error: 'login_required' });
  });
});
