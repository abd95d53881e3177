import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Auth, type AuthConfig } from '@auth/core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openInteropBrowser } from '../support/interop/browser.ts';
import { type ListeningApp, listenApp, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';

/** Errors that Auth.js logged in the running test. */
const logged: Error[] = [];
const details = new Map<string, unknown>();

function configOf(
  issuer: string,
  { clientId, clientSecret }: TestClient,
  checks: ('pkce' | 'state' | 'nonce')[],
): AuthConfig {
  return {
    basePath: '/auth',
    trustHost: true,
    secret: 'a secret of the test',
    logger: {
      error: (error) => logged.push(error),
      debug: (message, metadata) => details.set(message, metadata),
    },
    providers: [{ id: 'proofgate', name: 'Proofgate', type: 'oidc', issuer, clientId, clientSecret, checks }],
    callbacks: {
      jwt: ({ token, account, profile }) => ({
        ...token,
        ...(account ? { account: account.providerAccountId, nonce: profile?.nonce ?? null } : {}),
      }),
      session: ({ session, token }) => Object.assign(session, { account: token.account, nonce: token.nonce }),
    },
  };
}

/** Passes a request to Auth.js, as its framework adapters do. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  config: AuthConfig,
) {
  const hasBody = request.method === 'POST';
  const { method = 'GET', url = '/', headers } = request;
  const answered = await Auth(
    new Request(new URL(url, origin), {
      method,
      headers: headers as Record<string, string>,
      ...(hasBody ? { body: await buffer(request) } : {}),
    }),
    config,
  );
  response.statusCode = answered.status;
  const location = answered.headers.get('location');
  if (location !== null) response.setHeader('Location', location);
  response.setHeader('Set-Cookie', answered.headers.getSetCookie());
  response.end(await answered.text());
}
const apps: ListeningApp[] = [];
const interop = opened(startInterop, 'end');
beforeEach(() => {
  logged.length = 0;
  details.clear();
});
afterAll(async () => {
  for (const app of apps) await app.end();
});

/** Starts an app with Auth.js and a new client. */
async function startAuthJs(checks: ('pkce' | 'state' | 'nonce')[]) {
  let client: TestClient | undefined;
  const app = await listenApp(async (origin) => {
    client = await interop.service.addClient({ redirectUris: [`${origin}/auth/callback/proofgate`] });
    const config = configOf(interop.issuer, client, checks);
    return (request, response) => {
      // any other page of the app
      if (!request.url?.startsWith('/auth')) response.end('The app');
      else void answer(request, response, origin, config);
    };
  });
  apps.push(app);
  if (client === undefined) throw new Error('no client');
  const browser = openInteropBrowser(interop.issuer);
  const { csrfToken } = (await browser.visit(`${app.origin}/auth/csrf`)).json() as { csrfToken: string };
  const start = [`${app.origin}/auth/signin/proofgate`, { csrfToken, callbackUrl: app.origin }] as const;
  return { app, client, browser, start };
}

describe('@auth/core', () => {
  it.each([
    ['PKCE and state, its default checks', ['pkce', 'state'] as const],
    ['PKCE, state and nonce', ['pkce', 'state', 'nonce'] as const],
  ])('signs in with %s', async (_name, checks) => {
    const { app, client, browser, start } = await startAuthJs([...checks]);
    const [url, form] = start;
    const authorization = await browser.signIn(url, {}, form);
    // the state is encrypted, and must match a cookie
    expect(authorization.parameters.state?.length).toBeGreaterThan(300);
    const back = await browser.deliver(authorization);
    expect([back.status, back.url, back.text]).toEqual([200, `${app.origin}/`, 'The app']);
    const sub = await interop.subFor(client);
    const session = (await browser.visit(`${app.origin}/auth/session`)).json();
    const host = new URL(interop.issuer).hostname;
    expect(session).toMatchObject({
      account: sub,
      user: { name: 'World ID User', email: `${sub}@${host}` },
      nonce: checks.some((check) => check === 'nonce') ? expect.any(String) : null,
    });
    expect(logged).toEqual([]);
  });

  it('has no session when the person declines, and writes the reason to its debug log', async () => {
    const { app, browser, start } = await startAuthJs(['pkce', 'state']);
    const [url, form] = start;
    const authorization = await browser.signIn(url, { declinesWith: 'verification_rejected' }, form);
    const back = await browser.deliver(authorization);
    expect(back.url).toContain('error=OAuthCallbackError');
    expect((await browser.visit(`${app.origin}/auth/session`)).json()).toBeNull();
    expect(logged).toMatchObject([{ type: 'OAuthCallbackError' }]);
    expect(details.get('OAuthCallbackError')).toMatchObject({
      error: 'access_denied',
      error_description: 'The person declined in the wallet.',
      iss: interop.issuer,
      state: authorization.parameters.state,
    });
  });
});
