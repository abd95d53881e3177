import express, { type NextFunction, type Request, type Response } from 'express';
import { Passport } from 'passport';
import { Strategy } from 'passport-openidconnect';
import { describe, expect, it } from 'vitest';
import { openInteropBrowser } from '../support/interop/browser.ts';
import { listenApp, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';

let client: TestClient;
const interop = opened(startInterop, 'end');
const app = opened(() => listenApp(makeApp), 'end');
const browser = opened(() => openInteropBrowser(interop.issuer));

/**
 * An express app with the strategy in two variants: with its defaults, and with nonce and user information.
 */
async function makeApp(origin: string): Promise<express.Express> {
  const callbackURL = `${origin}/cb`;
  client = await interop.service.addClient({ redirectUris: [callbackURL] });
  const { issuer } = interop;
  const options = {
    issuer,
    authorizationURL: `${issuer}/authorize`,
    tokenURL: `${issuer}/token`,
    userInfoURL: `${issuer}/userinfo`,
    clientID: client.clientId,
    clientSecret: client.clientSecret,
    callbackURL,
  };
  const passport = new Passport();
  passport.use('plain', new Strategy(options, (_issuer, profile, verified) => verified(null, profile)));
  const more = { ...options, nonce: true, scope: ['profile', 'email'], skipUserProfile: false };
  passport.use('more', new Strategy(more, (_issuer, profile, verified) => verified(null, profile)));

  const server = express();
  server.use(keepSession());
  server.get('/cb', (request, response, next) => {
    passport.authenticate(String(request.session?.strategy), { session: false, failWithError: true })(
      request,
      response,
      next,
    );
  });
  server.get('/login/:strategy', (request, response, next) => {
    const { strategy } = request.params;
    if (request.session) request.session.strategy = strategy;
    passport.authenticate(strategy, { session: false })(request, response, next);
  });
  server.get('/cb', (request, response) => response.json(request.user));
  // express recognizes an error handler by its four parameters
  server.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
    const { name, message } = error;
    const { code, status } = error as Error & { readonly code?: string; readonly status?: number };
    response.status(status ?? 500).json({ name, message, code });
  });
  return server;
}

declare module 'express-serve-static-core' {
  interface Request {
    session?: Record<string, unknown>;
  }
}

/** Sessions in memory, by cookie, as far as the strategy needs them. */
function keepSession(): express.RequestHandler {
  const sessions = new Map<string, Record<string, unknown>>();
  return (request, response, next) => {
    const id = /session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? crypto.randomUUID();
    request.session = sessions.get(id) ?? {};
    sessions.set(id, request.session);
    response.cookie('session', id);
    next();
  };
}

describe('passport-openidconnect', () => {
  it('signs in with its defaults: secret in the body, no PKCE, no nonce', async () => {
    const answer = await browser.signIn(`${app.origin}/login/plain`);
    expect(Object.keys(answer.parameters)).toEqual(['code', 'state', 'iss']);
    const back = await browser.deliver(answer);
    expect(back.json()).toEqual({ id: await interop.subFor(client) });
  });

  it('signs in with a nonce and reads the user information', async () => {
    const back = await browser.deliver(await browser.signIn(`${app.origin}/login/more`));
    const sub = await interop.subFor(client);
    expect(back.json()).toMatchObject({
      id: sub,
      displayName: 'World ID User',
      emails: [{ value: `${sub}@${new URL(interop.issuer).hostname}` }],
    });
  });

  it('reports an authentication failure when the person declines', async () => {
    const course = { declinesWith: 'verification_rejected' };
    const back = await browser.deliver(await browser.signIn(`${app.origin}/login/plain`, course));
    expect(back.status).toBe(401);
    expect(back.json()).toMatchObject({ name: 'AuthenticationError' });
  });

  it('reports an error with code and description when the wallet fails', async () => {
    const course = { declinesWith: 'generic_error' };
    const back = await browser.deliver(await browser.signIn(`${app.origin}/login/plain`, course));
    expect(back.json()).toMatchObject({
      name: 'AuthorizationError',
      message: 'The wallet reported an error.',
      code: 'server_error',
    });
  });

  it('reports invalid_grant and its description when a code is used again', async () => {
    const answer = await browser.signIn(`${app.origin}/login/plain`);
    expect((await browser.deliver(answer)).status).toBe(200);
    // another sign-in at the app, whose state is sent with the code of the first
    const second = await browser.signIn(`${app.origin}/login/plain`);
    const url = new URL(second.url);
    url.searchParams.set('code', answer.parameters.code ?? '');
    expect((await browser.visit(url.href)).json()).toMatchObject({
      name: 'TokenError',
      message: 'Invalid authorization code.',
      code: 'invalid_grant',
    });
  });
});
