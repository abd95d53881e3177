import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { callbackOf, failureOf, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';
import type { SignInAnswer, SignInCourse } from '../support/signin/driver.ts';

let web: TestClient;
let sub: string;
const interop = opened(startInterop, 'end');
beforeAll(async () => {
  ({ web } = interop);
  sub = await interop.subFor();
});

type Configure = (config: client.Configuration) => void;

/** Creates a client that reads the metadata and verifies the signature of each ID token. */
async function discover(
  { clientId, clientSecret }: TestClient,
  auth?: client.ClientAuth,
  ...more: Configure[]
): Promise<client.Configuration> {
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks, ...more];
  return await client.discovery(new URL(interop.issuer), clientId, clientSecret, auth, { execute });
}

/** Signs in at the URL that the client builds. */
async function signIn(
  config: client.Configuration,
  parameters: Readonly<Record<string, string>>,
  course?: SignInCourse,
): Promise<SignInAnswer> {
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: web.redirectUri,
    scope: 'openid',
    ...parameters,
  });
  return await interop.browser.signIn(url.href, course);
}

describe('openid-client 6', () => {
  it.each([
    ['in the body, its default', undefined],
    ['by Basic, which it encodes', client.ClientSecretBasic],
  ])('signs in with code and PKCE and its secret %s', async (_name, auth) => {
    const config = await discover(web, auth?.(web.clientSecret));
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const checks = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
    const answer = await signIn(config, {
      scope: 'openid email profile',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    expect(answer.mode).toBe('query');
    const tokens = await client.authorizationCodeGrant(config, callbackOf(answer), {
      ...checks,
      pkceCodeVerifier,
      idTokenExpected: true,
      maxAge: 60,
    });
    const host = new URL(interop.issuer).hostname;
    const person = { sub, email: `${sub}@${host}`, name: 'World ID User' };
    expect(tokens.claims()).toMatchObject({ ...person, acr: 'orb', nonce: checks.expectedNonce });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'openid email profile' });
    expect(await client.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({
      ...person,
      [`${interop.issuer}/v1`]: { verification_level: 'orb' },
    });
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      sub,
      client_id: web.clientId,
      scope: 'openid email profile',
    });
    await client.tokenRevocation(config, tokens.access_token);
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: false });
    const failure = await failureOf(client.fetchUserInfo(config, tokens.access_token, sub));
    expect(failure).toBeInstanceOf(client.WWWAuthenticateChallengeError);
    expect(failure).toMatchObject({
      cause: [
        {
          scheme: 'bearer',
          parameters: {
            realm: interop.issuer,
            error: 'invalid_token',
            error_description: 'Token is invalid or expired.',
          },
        },
      ],
    });
  });

  it('refreshes with the scope offline_access, and ends it when a token comes back', async () => {
    const offline = await interop.service.addClient({ refreshTokens: true });
    const config = await discover(offline);
    const scope = 'openid offline_access email';
    const answer = await signIn(config, { scope }, { agreesTo: ['offline'] });
    const first = await client.authorizationCodeGrant(config, callbackOf(answer), { idTokenExpected: true });
    expect(first.scope).toBe(scope);
    const expected = await interop.subFor(offline);
    const refreshed = await client.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(refreshed.claims()).toMatchObject({ sub: expected, aud: offline.clientId });
    expect(refreshed.claims()?.auth_time).toBe(first.claims()?.auth_time);
    expect(await client.fetchUserInfo(config, refreshed.access_token, expected)).toMatchObject({
      sub: expected,
    });
    const narrow = await client.refreshTokenGrant(config, refreshed.refresh_token ?? '', { scope: 'openid' });
    expect(narrow.scope).toBe('openid');
    expect(await client.tokenIntrospection(config, narrow.refresh_token ?? '')).toMatchObject({
      active: true,
      sub: expected,
      client_id: offline.clientId,
      scope,
    });
    const replayed = await failureOf(client.refreshTokenGrant(config, first.refresh_token ?? ''));
    expect(replayed).toMatchObject({ error: 'invalid_grant', error_description: 'Invalid refresh token.' });
    const ended = await failureOf(client.refreshTokenGrant(config, narrow.refresh_token ?? ''));
    expect(ended).toMatchObject({ error: 'invalid_grant' });
    expect(await client.tokenIntrospection(config, narrow.access_token)).toMatchObject({ active: false });
  });

  it.each([
    ['in the body, its default', undefined],
    ['by Basic', client.ClientSecretBasic],
  ])('pushes its request, with its secret %s', async (_name, auth) => {
    const strict = await interop.service.addClient({ requirePushedAuthorizationRequests: true });
    const config = await discover(strict, auth?.(strict.clientSecret));
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const checks = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
    const url = await client.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: strict.redirectUri,
      scope: 'openid email',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const answer = await interop.browser.signIn(url.href);
    const tokens = await client.authorizationCodeGrant(config, callbackOf(answer), {
      ...checks,
      pkceCodeVerifier,
      idTokenExpected: true,
    });
    expect(tokens.scope).toBe('openid email');
    expect(tokens.claims()).toMatchObject({ nonce: checks.expectedNonce, aud: strict.clientId });
  });

  it('reports why a request cannot be pushed', async () => {
    const config = await discover(web);
    const parameters = { redirect_uri: 'https://other.example', scope: 'openid' };
    const failure = await failureOf(client.buildAuthorizationUrlWithPAR(config, parameters));
    expect(failure).toBeInstanceOf(client.ResponseBodyError);
    expect(failure).toMatchObject({
      status: 400,
      error: 'invalid_request',
      error_description: 'Invalid redirect URI.',
    });
  });

  it('binds its tokens to a key with DPoP, and answers the demand for a nonce', async () => {
    const config = await discover(web);
    const keyPair = await client.randomDPoPKeyPair();
    const DPoP = client.getDPoPHandle(config, keyPair);
    const answer = await signIn(config, { dpop_jkt: await DPoP.calculateThumbprint() });
    const tokens = await client.authorizationCodeGrant(config, callbackOf(answer), undefined, undefined, {
      DPoP,
    });
    expect(tokens).toMatchObject({ token_type: 'dpop' });
    expect(await client.fetchUserInfo(config, tokens.access_token, sub, { DPoP })).toMatchObject({ sub });
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      token_type: 'DPoP',
      cnf: { jkt: await DPoP.calculateThumbprint() },
    });
    const stolen = await failureOf(client.fetchUserInfo(config, tokens.access_token, sub));
    expect(stolen).toMatchObject({
      cause: [
        { scheme: 'bearer', parameters: { error: 'invalid_token' } },
        { scheme: 'dpop', parameters: { algs: 'ES256 ES384 EdDSA Ed25519 RS256 PS256' } },
      ],
    });
    const other = client.getDPoPHandle(config, await client.randomDPoPKeyPair('EdDSA'));
    await failureOf(client.fetchUserInfo(config, tokens.access_token, sub, { DPoP: other }));
  });

  it('signs in as a public client with another loopback port', async () => {
    const { native } = interop.service;
    const config = await discover(native, client.None());
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const answer = await signIn(config, {
      redirect_uri: 'http://127.0.0.1:49152/cb',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const tokens = await client.authorizationCodeGrant(config, callbackOf(answer), { pkceCodeVerifier });
    expect(tokens.claims()?.sub).toBe(await interop.subFor(native));
    await client.tokenRevocation(config, tokens.access_token);
  });

  it('signs in without nonce and state, and gets neither', async () => {
    const config = await discover(web);
    const answer = await signIn(config, {}, { tree: 'device' });
    expect(Object.keys(answer.parameters)).toEqual(['code', 'iss']);
    const tokens = await client.authorizationCodeGrant(config, callbackOf(answer));
    expect(tokens.claims()).not.toHaveProperty('nonce');
    expect(tokens.claims()).toMatchObject({ sub, acr: 'device' });
  });

  it.each(['fragment', 'form_post'])('signs in with code id_token by %s', async (response_mode) => {
    const config = await discover(web, undefined, client.useCodeIdTokenResponseType);
    const checks = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
    const answer = await signIn(config, {
      response_mode,
      state: checks.expectedState,
      nonce: checks.expectedNonce,
    });
    expect(answer.mode).toBe(response_mode);
    const tokens = await client.authorizationCodeGrant(config, callbackOf(answer), checks);
    expect(tokens.claims()).toMatchObject({ sub, nonce: checks.expectedNonce });
  });

  it('checks c_hash and signature like a financial-grade client', async () => {
    const config = await discover(
      web,
      undefined,
      client.useCodeIdTokenResponseType,
      client.enableDetachedSignatureResponseChecks,
    );
    const checks = { expectedNonce: client.randomNonce() };
    const answer = await signIn(config, { nonce: checks.expectedNonce });
    const other = new URL(answer.url.replace(/code=[^&]+/, `code=${'x'.repeat(43)}`));
    const failure = await failureOf(client.authorizationCodeGrant(config, other, checks));
    expect((failure as Error).cause).toMatchObject({ message: expect.stringContaining('c_hash') });
  });

  it.each(['fragment', 'form_post'])('signs in with only id_token by %s', async (response_mode) => {
    const config = await discover(web, undefined, client.useIdTokenResponseType);
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const answer = await signIn(config, { response_mode, state, nonce, acr_values: 'orb' });
    const claims = await client.implicitAuthentication(config, callbackOf(answer), nonce, {
      expectedState: state,
    });
    expect(claims).toMatchObject({ sub, nonce, acr: 'orb', aud: web.clientId });
  });

  it.each([
    ['query', undefined],
    ['fragment', client.useCodeIdTokenResponseType],
    ['form_post', client.useCodeIdTokenResponseType],
  ])('reports a declined sign-in by %s', async (response_mode, type) => {
    const config = await discover(web, undefined, ...(type === undefined ? [] : [type]));
    const answer = await signIn(
      config,
      { response_mode, state: 'st', nonce: 'n' },
      { declinesWith: 'verification_rejected' },
    );
    expect(answer.mode).toBe(response_mode);
    const failure = await failureOf(
      client.authorizationCodeGrant(config, callbackOf(answer), { expectedState: 'st', expectedNonce: 'n' }),
    );
    expect(failure).toBeInstanceOf(client.AuthorizationResponseError);
    expect(failure).toMatchObject({
      error: 'access_denied',
      error_description: 'The person declined in the wallet.',
    });
    expect(Object.fromEntries((failure as client.AuthorizationResponseError).cause)).toMatchObject({
      state: 'st',
      iss: interop.issuer,
    });
  });

  it('gets invalid_grant when it uses a code twice, which revokes the token of the first use', async () => {
    const config = await discover(web);
    const callback = callbackOf(await signIn(config, {}));
    const tokens = await client.authorizationCodeGrant(config, callback);
    const failure = await failureOf(client.authorizationCodeGrant(config, callback));
    expect(failure).toBeInstanceOf(client.ResponseBodyError);
    expect(failure).toMatchObject({
      error: 'invalid_grant',
      error_description: 'Invalid authorization code.',
      status: 400,
    });
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: false });
  });

  it.each([
    [
      'another redirect URI',
      { redirect_uri: 'https://shop.example/other' },
      'redirect_uri differs from the one of the authorization request.',
    ],
    [
      'an unexpected verifier',
      { code_verifier: 'v'.repeat(43) },
      'code_verifier is unexpected: the authorization request had no code_challenge.',
    ],
    ['an unknown code', { code: 'unknown' }, 'Invalid authorization code.'],
  ])('reports error and description of %s', async (_name, wrong, error_description) => {
    const config = await discover(web);
    const { code = '' } = (await signIn(config, {})).parameters;
    const failure = await failureOf(
      client.genericGrantRequest(config, 'authorization_code', {
        code,
        redirect_uri: web.redirectUri,
        ...wrong,
      }),
    );
    expect(failure).toBeInstanceOf(client.ResponseBodyError);
    expect(failure).toMatchObject({ error: 'invalid_grant', error_description, status: 400 });
  });

  it('reports error and description of an unsupported grant', async () => {
    expect(await failureOf(client.genericGrantRequest(await discover(web), 'password', {}))).toMatchObject({
      error: 'unsupported_grant_type',
      error_description: 'Invalid grant type. Only authorization_code and refresh_token are supported.',
    });
  });

  it('reports invalid_client for a wrong secret in the body, and the challenge for one in the header', async () => {
    const wrong = { ...web, clientSecret: 'sk_wrong' };
    const inBody = await failureOf(client.tokenIntrospection(await discover(wrong), 'x'));
    expect(inBody).toBeInstanceOf(client.ResponseBodyError);
    expect(inBody).toMatchObject({
      error: 'invalid_client',
      error_description: 'Invalid authentication credentials.',
      status: 401,
    });
    const basic = await discover(wrong, client.ClientSecretBasic('sk_wrong'));
    const inHeader = await failureOf(client.tokenIntrospection(basic, 'x'));
    expect(inHeader).toBeInstanceOf(client.WWWAuthenticateChallengeError);
    expect(inHeader).toMatchObject({
      cause: [{ scheme: 'basic', parameters: { realm: interop.issuer, charset: 'UTF-8' } }],
    });
  });

  it('cannot use the code of another client, which stays valid for that client', async () => {
    const [config, other] = [await discover(web), await discover(await interop.service.addClient())];
    const callback = callbackOf(await signIn(config, {}));
    const failure = await failureOf(client.authorizationCodeGrant(other, callback));
    expect(failure).toMatchObject({ error: 'invalid_grant' });
    const tokens = await client.authorizationCodeGrant(config, callback);
    expect(tokens.claims()?.sub).toBe(sub);
    expect(await client.tokenIntrospection(other, tokens.access_token)).toMatchObject({ active: false });
  });

  it('signs a person in to two apps concurrently, finished in reverse order, with two subs', async () => {
    const second = await interop.service.addClient({ name: 'Second Shop' });
    const configs = [await discover(web), await discover(second)] as const;
    const answers = await Promise.all(
      configs.map((config, index) => signIn(config, { state: `st${index}` })),
    );
    const subs: (string | undefined)[] = [];
    for (const index of [1, 0] as const) {
      const answer = answers[index];
      if (answer === undefined) throw new Error('no answer');
      const tokens = await client.authorizationCodeGrant(configs[index], callbackOf(answer), {
        expectedState: `st${index}`,
      });
      subs.push(tokens.claims()?.sub);
    }
    expect(subs).toEqual([await interop.subFor(second), sub]);
  });
});
