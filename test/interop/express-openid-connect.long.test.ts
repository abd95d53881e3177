import express, { type NextFunction, type Request, type Response } from 'express';
import { auth, type ConfigParams } from 'express-openid-connect';
import { afterAll, describe, expect, it } from 'vitest';
import { openInteropBrowser } from '../support/interop/browser.ts';
import { type ListeningApp, listenApp, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';
import { pollUntil } from '../support/until.ts';

/** Where the library keeps who was signed out. */
type LogoutStore = NonNullable<Exclude<ConfigParams['backchannelLogout'], boolean | undefined>['store']>;
const apps: ListeningApp[] = [];
const interop = opened(() => startInterop({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');
afterAll(async () => {
  for (const app of apps) await app.end();
});

/** Starts an express app with a new client; all its pages require a sign-in. */
async function startExpress(more: (client: TestClient) => ConfigParams) {
  let client: TestClient | undefined;
  const app = await listenApp(async (baseURL) => {
    client = await interop.service.addClient({
      redirectUris: [`${baseURL}/callback`],
      postLogoutRedirectUris: [baseURL],
      backchannelLogoutUri: `${baseURL}/backchannel-logout`,
    });
    const { clientId: clientID } = client;
    const server = express();
    server.use(
      auth({
        issuerBaseURL: interop.issuer,
        baseURL,
        clientID,
        secret: 'a long secret of the test',
        ...more(client),
      }),
    );
    server.get('/', async (request, response) => {
      const { user, idToken, accessToken } = request.oidc;
      const userInfo = accessToken === undefined ? null : await request.oidc.fetchUserInfo();
      response.json({ user, idToken, userInfo });
    });
    // express recognizes an error handler by its four parameters
    server.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
      const { message, error: code, error_description } = error as Error & Readonly<Record<string, string>>;
      response.status(400).json({ message, code, error_description });
    });
    return server;
  });
  apps.push(app);
  if (client === undefined) throw new Error('no client');
  return { app, client, browser: openInteropBrowser(interop.issuer) };
}

describe('express-openid-connect', () => {
  it('signs in with its defaults: id_token by form_post, with nonce and state', async () => {
    const { app, client, browser } = await startExpress(() => ({}));
    const answer = await browser.signIn(app.origin);
    // the callback is a POST with nothing in the URL
    expect(answer).toMatchObject({ mode: 'form_post', url: `${app.origin}/callback` });
    expect(Object.keys(answer.parameters)).toEqual(['id_token', 'state', 'iss']);
    const back = await browser.deliver(answer);
    expect(back.url).toBe(`${app.origin}/`);
    const sub = await interop.subFor(client);
    expect(back.json()).toMatchObject({ user: { sub, name: 'World ID User' }, userInfo: null });
  });

  it.each([
    ['PKCE and the secret', (client: TestClient) => ({ clientSecret: client.clientSecret })],
    [
      'PKCE and the secret by Basic',
      (client: TestClient) => ({
        clientSecret: client.clientSecret,
        clientAuthMethod: 'client_secret_basic' as const,
      }),
    ],
  ])('signs in with a code, %s, and reads the user information', async (_name, credentials) => {
    const { app, client, browser } = await startExpress((registered) => ({
      ...credentials(registered),
      authorizationParams: { response_type: 'code', scope: 'openid profile email' },
    }));
    const answer = await browser.signIn(app.origin);
    expect(answer.mode).toBe('query');
    const sub = await interop.subFor(client);
    expect((await browser.deliver(answer)).json()).toMatchObject({ user: { sub }, userInfo: { sub } });
  });

  it('signs in with code id_token by form_post', async () => {
    const { app, client, browser } = await startExpress(({ clientSecret }) => ({
      clientSecret,
      authorizationParams: { response_type: 'code id_token' },
    }));
    const back = await browser.deliver(await browser.signIn(app.origin));
    const sub = await interop.subFor(client);
    expect(back.json()).toMatchObject({ user: { sub }, userInfo: { sub } });
  });

  it.each(['form_post', 'query'])('reports a declined sign-in by %s', async (response_mode) => {
    const response_type = response_mode === 'query' ? 'code' : 'id_token';
    const { app, browser } = await startExpress(({ clientSecret }) => ({
      clientSecret,
      authorizationParams: { response_type, response_mode },
    }));
    const answer = await browser.signIn(app.origin, { declinesWith: 'verification_rejected' });
    const back = await browser.deliver(answer);
    expect(back.status).toBe(400);
    expect(back.json()).toMatchObject({
      code: 'access_denied',
      error_description: 'The person declined in the wallet.',
    });
  });

  /** An app that signs people out at the service, too, and keeps a list of those that the service signs out. */
  const startWithLogout = () => {
    const ended = new Map<string, Parameters<LogoutStore['set']>[1]>();
    const store: LogoutStore = {
      get: (id, done) => done(null, ended.get(id)),
      set(id, value, done) {
        ended.set(id, value);
        done?.(null);
      },
      destroy(id, done) {
        ended.delete(id);
        done?.(null);
      },
    };
    return startExpress(({ clientSecret }) => ({
      clientSecret,
      idpLogout: true,
      backchannelLogout: { store },
      authorizationParams: { response_type: 'code', scope: 'openid' },
    }));
  };

  it('signs out at the service with idpLogout, and back to the app', async () => {
    const { app, client, browser } = await startWithLogout();
    const back = await browser.deliver(await browser.signIn(app.origin, { agreesTo: ['stay'] }));
    expect(back.json()).toMatchObject({ user: { sub: await interop.subFor(client) } });
    expect((await interop.service.store.rowCounts()).signin_sessions).toBe(1);
    // The app requires a sign-in, which asks the person again.
    const page = await browser.visit(`${app.origin}/logout`);
    expect(page.url.startsWith(`${interop.issuer}/authorize/`)).toBe(true);
    expect((await interop.service.store.rowCounts()).signin_sessions).toBe(0);
  });

  it('ends its session when the service tells it by the back channel', async () => {
    const { app, browser } = await startWithLogout();
    const back = await browser.deliver(await browser.signIn(app.origin, { agreesTo: ['stay'] }));
    const { idToken } = back.json() as { readonly idToken: string };
    expect((await browser.visit(app.origin)).json()).toMatchObject({ idToken });
    const query = new URLSearchParams({ id_token_hint: idToken });
    expect((await fetch(`${interop.issuer}/logout?${query}`)).status).toBe(200);
    await pollUntil(async () => (await interop.service.store.rowCounts()).logout_notices === 0);
    const page = await browser.visit(app.origin);
    expect(page.url.startsWith(`${interop.issuer}/authorize/`)).toBe(true);
  });
});
