import type { IncomingMessage } from 'node:http';
import { type CallbackParamsType, type Client, errors, generators, Issuer } from 'openid-client-5';
import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { SignInAnswer, SignInCourse } from '../support/signin/driver.ts';

let client: Client;
let sub: string;
const interop = opened(startInterop, 'end');
beforeAll(async () => {
  sub = await interop.subFor();
  const issuer = await Issuer.discover(interop.issuer);
  client = new issuer.Client({
    client_id: interop.web.clientId,
    client_secret: interop.web.clientSecret,
    redirect_uris: [interop.web.redirectUri],
    // the default of this library, which next-auth 4 uses
    token_endpoint_auth_method: 'client_secret_basic',
  });
});

async function signIn(parameters: Readonly<Record<string, string>>, course?: SignInCourse) {
  const url = client.authorizationUrl({ redirect_uri: interop.web.redirectUri, ...parameters });
  return await interop.browser.signIn(url, course);
}

/**
 * Parameters as the client reads them from a request; a script of the page would send those of a fragment.
 */
function read({ mode, url, parameters }: SignInAnswer): CallbackParamsType {
  if (mode !== 'form_post') return client.callbackParams(url.replace('#', '?'));
  const posted = { method: 'POST', url: new URL(url).pathname, body: parameters };
  return client.callbackParams(posted as unknown as IncomingMessage);
}

const FRONT_CHANNEL: readonly (readonly [type: string, mode: string])[] = [
  ['id_token', 'form_post'],
  ['id_token token', 'fragment'],
  ['code id_token', 'form_post'],
  ['code id_token', 'fragment'],
  ['code token', 'fragment'],
  ['code id_token token', 'form_post'],
  ['code id_token token', 'fragment'],
];

describe('openid-client 5', () => {
  it('signs in with code and PKCE, with nonce and state', async () => {
    const code_verifier = generators.codeVerifier();
    const checks = { state: generators.state(), nonce: generators.nonce(), response_type: 'code' };
    const answer = await signIn({
      ...checks,
      scope: 'openid email',
      code_challenge: generators.codeChallenge(code_verifier),
      code_challenge_method: 'S256',
    });
    const tokens = await client.callback(interop.web.redirectUri, read(answer), { ...checks, code_verifier });
    expect(tokens.claims()).toMatchObject({ sub, nonce: checks.nonce, acr: 'orb' });
    expect(await client.userinfo(tokens)).toMatchObject({ sub, email: tokens.claims().email });
    const token = tokens.access_token ?? '';
    expect(await client.introspect(token)).toMatchObject({ active: true, sub, scope: 'openid email' });
    await client.revoke(token);
    expect(await client.introspect(token)).toMatchObject({ active: false });
    const failure = await failureOf(client.userinfo(token));
    expect(failure).toBeInstanceOf(errors.OPError);
    expect(failure).toMatchObject({
      error: 'invalid_token',
      error_description: 'Token is invalid or expired.',
    });
  });

  it('signs in with a code without nonce and state', async () => {
    const answer = await signIn({ response_type: 'code' });
    const tokens = await client.callback(interop.web.redirectUri, read(answer), { response_type: 'code' });
    expect(tokens.claims()).not.toHaveProperty('nonce');
    expect(tokens.claims().sub).toBe(sub);
  });

  it.each(FRONT_CHANNEL)('signs in with %s by %s', async (response_type, response_mode) => {
    const checks = { response_type, state: generators.state(), nonce: generators.nonce() };
    const answer = await signIn({ ...checks, response_mode, scope: 'openid' });
    expect(answer.mode).toBe(response_mode);
    const tokens = await client.callback(interop.web.redirectUri, read(answer), checks);
    expect(tokens.claims()).toMatchObject({ sub, nonce: checks.nonce });
    if (tokens.access_token !== undefined) expect(await client.userinfo(tokens)).toMatchObject({ sub });
    expect(tokens.access_token === undefined).toBe(response_type === 'id_token');
  });

  it.each([
    ['at_hash', 'access_token', 'id_token token'],
    ['c_hash', 'code', 'code id_token'],
  ])('checks %s: a swapped %s is refused', async (hash, name, response_type) => {
    const nonce = generators.nonce();
    const checks = { response_type, nonce };
    const [first, second] = [read(await signIn(checks)), read(await signIn(checks))];
    const mixed = { ...first, [name]: second[name] };
    const failure = await failureOf(client.callback(interop.web.redirectUri, mixed, checks));
    expect(failure).toBeInstanceOf(errors.RPError);
    expect((failure as Error).message).toContain(hash);
  });

  it.each(['query', 'fragment', 'form_post'])('reports a declined sign-in by %s', async (response_mode) => {
    const answer = await signIn(
      { response_type: 'code', response_mode, state: 'st' },
      { declinesWith: 'verification_rejected' },
    );
    expect(answer.mode).toBe(response_mode);
    const failure = await failureOf(
      client.callback(interop.web.redirectUri, read(answer), { state: 'st', response_type: 'code' }),
    );
    expect(failure).toBeInstanceOf(errors.OPError);
    expect(failure).toMatchObject({
      error: 'access_denied',
      error_description: 'The person declined in the wallet.',
    });
  });

  it('shows invalid_grant and the description when it uses a code twice', async () => {
    const parameters = read(await signIn({ response_type: 'code' }));
    await client.callback(interop.web.redirectUri, parameters);
    const failure = await failureOf(client.callback(interop.web.redirectUri, parameters));
    expect((failure as Error).message).toBe('invalid_grant (Invalid authorization code.)');
  });

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'shows invalid_client and the description for a wrong secret by %s',
    async (token_endpoint_auth_method) => {
      const wrong = new client.issuer.Client({
        client_id: interop.web.clientId,
        client_secret: 'sk_wrong',
        token_endpoint_auth_method,
      });
      const failure = await failureOf(wrong.introspect('x'));
      expect((failure as Error).message).toBe('invalid_client (Invalid authentication credentials.)');
    },
  );
});
