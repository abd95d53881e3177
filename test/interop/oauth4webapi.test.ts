import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { callbackOf, failureOf, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';
import type { SignInAnswer, SignInCourse } from '../support/signin/driver.ts';

const INSECURE = { [oauth.allowInsecureRequests]: true } as const;
let as: oauth.AuthorizationServer;
let sub: string;
const interop = opened(startInterop, 'end');
beforeAll(async () => {
  sub = await interop.subFor();
  const issuer = new URL(interop.issuer);
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, INSECURE));
});

async function signIn(
  { clientId, redirectUri }: TestClient,
  parameters: Readonly<Record<string, string>>,
  course?: SignInCourse,
): Promise<SignInAnswer> {
  const url = new URL(as.authorization_endpoint ?? '');
  const all = { client_id: clientId, redirect_uri: redirectUri, scope: 'openid', ...parameters };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return await interop.browser.signIn(url.href, course);
}

async function exchange(
  { clientId, redirectUri }: TestClient,
  auth: oauth.ClientAuth,
  parameters: URLSearchParams,
  verifier: string | typeof oauth.nopkce,
  expectedNonce?: string,
): Promise<oauth.TokenEndpointResponse> {
  const client = { client_id: clientId };
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    parameters,
    redirectUri,
    verifier,
    INSECURE,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
    requireIdToken: true,
    ...(expectedNonce === undefined ? {} : { expectedNonce }),
  });
  await oauth.validateApplicationLevelSignature(as, response, INSECURE);
  return tokens;
}

describe('oauth4webapi', () => {
  it('finds the metadata at the URL of RFC 8414 too', async () => {
    const issuer = new URL(interop.issuer);
    const response = await oauth.discoveryRequest(issuer, { ...INSECURE, algorithm: 'oauth2' });
    expect(await oauth.processDiscoveryResponse(issuer, response)).toEqual(as);
  });

  it.each([
    ['by Basic', oauth.ClientSecretBasic],
    ['in the body', oauth.ClientSecretPost],
  ])('signs in with code and PKCE and its secret %s', async (_name, authWith) => {
    const { web } = interop;
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const answer = await signIn(web, {
      response_type: 'code',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const client = { client_id: web.clientId };
    const parameters = oauth.validateAuthResponse(as, client, new URL(answer.url), state);
    const auth = authWith(web.clientSecret);
    const tokens = await exchange(web, auth, parameters, verifier, nonce);
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub, nonce });
    const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, INSECURE);
    expect(await oauth.processUserInfoResponse(as, client, sub, userinfo)).toMatchObject({ sub });
    const introspected = await oauth.introspectionRequest(as, client, auth, tokens.access_token, INSECURE);
    const introspection = await oauth.processIntrospectionResponse(as, client, introspected);
    expect(introspection).toMatchObject({ active: true, sub, token_type: 'Bearer' });
    const revoked = await oauth.revocationRequest(as, client, auth, tokens.access_token, INSECURE);
    await oauth.processRevocationResponse(revoked);
  });

  it.each(['ES256', 'Ed25519', 'PS256'])('binds its tokens to a key of %s with DPoP', async (alg) => {
    const { native } = interop.service;
    const client = { client_id: native.clientId };
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair(alg));
    const verifier = oauth.generateRandomCodeVerifier();
    const answer = await signIn(native, {
      response_type: 'code',
      dpop_jkt: await DPoP.calculateThumbprint(),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const parameters = oauth.validateAuthResponse(as, client, new URL(answer.url), oauth.expectNoState);
    const redeem = async (): Promise<oauth.TokenEndpointResponse> => {
      const { redirectUri } = native;
      const options = { ...INSECURE, DPoP };
      const response = await oauth.authorizationCodeGrantRequest(
        ...([as, client, oauth.None(), parameters, redirectUri, verifier, options] as const),
      );
      return oauth.processAuthorizationCodeResponse(as, client, response);
    };
    const asked = await failureOf(redeem());
    expect([oauth.isDPoPNonceError(asked), asked]).toMatchObject([true, { error: 'use_dpop_nonce' }]);
    const tokens = await redeem();
    expect(tokens.token_type).toBe('dpop');
    const options = { ...INSECURE, DPoP };
    const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, options);
    const own = await interop.subFor(native);
    expect(await oauth.processUserInfoResponse(as, client, own, userinfo)).toMatchObject({ sub: own });
  });

  it('signs in as a public client without nonce', async () => {
    const { native } = interop.service;
    const verifier = oauth.generateRandomCodeVerifier();
    const answer = await signIn(native, {
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const client = { client_id: native.clientId };
    const parameters = oauth.validateAuthResponse(as, client, new URL(answer.url), oauth.expectNoState);
    const tokens = await exchange(native, oauth.None(), parameters, verifier);
    expect(oauth.getValidatedIdTokenClaims(tokens)).not.toHaveProperty('nonce');
  });

  it.each(['fragment', 'form_post'])('signs in with code id_token by %s', async (response_mode) => {
    const { web } = interop;
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const answer = await signIn(web, { response_type: 'code id_token', response_mode, state, nonce });
    const parameters = await oauth.validateCodeIdTokenResponse(
      as,
      { client_id: web.clientId },
      callbackOf(answer),
      nonce,
      state,
      undefined,
      INSECURE,
    );
    const auth = oauth.ClientSecretBasic(web.clientSecret);
    const tokens = await exchange(web, auth, parameters, oauth.nopkce, nonce);
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub, nonce });
  });

  it('reports a declined sign-in', async () => {
    const { web } = interop;
    const course = { declinesWith: 'verification_rejected' };
    const answer = await signIn(web, { response_type: 'code', state: 'st' }, course);
    const client = { client_id: web.clientId };
    const failure = await failureOf(
      Promise.resolve().then(() => oauth.validateAuthResponse(as, client, new URL(answer.url), 'st')),
    );
    expect(failure).toBeInstanceOf(oauth.AuthorizationResponseError);
    expect(failure).toMatchObject({ error: 'access_denied' });
  });

  it('accepts the access token as a JWT of RFC 9068 with the issuer as audience', async () => {
    const { web } = interop;
    const answer = await signIn(web, { response_type: 'code' });
    const client = { client_id: web.clientId };
    const parameters = oauth.validateAuthResponse(as, client, new URL(answer.url), oauth.expectNoState);
    const auth = oauth.ClientSecretBasic(web.clientSecret);
    const tokens = await exchange(web, auth, parameters, oauth.nopkce);
    const withToken = (token: string): Request =>
      new Request('https://api.shop.example/', { headers: { authorization: `Bearer ${token}` } });
    const check = (token: string, audience: string) =>
      oauth.validateJwtAccessToken(as, withToken(token), audience, INSECURE);
    expect(await check(tokens.access_token, interop.issuer)).toMatchObject({
      sub,
      client_id: web.clientId,
      scope: 'openid',
    });
    await failureOf(check(tokens.access_token, 'https://api.shop.example'));
    await failureOf(check(tokens.id_token ?? '', web.clientId));
  });
});

it('jose verifies ID token and access token with the remote key set, and distinguishes them', async () => {
  const { web } = interop;
  const answer = await signIn(web, { response_type: 'id_token token', nonce: 'n' });
  const { id_token = '', access_token = '' } = answer.parameters;
  const keys = createRemoteJWKSet(new URL(as.jwks_uri ?? ''));
  const expected = { issuer: interop.issuer, algorithms: ['RS256'] };
  const id = await jwtVerify(id_token, keys, { ...expected, audience: web.clientId, typ: 'JWT' });
  expect(id.payload).toMatchObject({ sub, nonce: 'n' });
  const access = await jwtVerify(access_token, keys, {
    ...expected,
    audience: interop.issuer,
    typ: 'at+jwt',
  });
  expect(access.payload).toMatchObject({ sub, client_id: web.clientId });
  const crossed = jwtVerify(id_token, keys, { ...expected, audience: web.clientId, typ: 'at+jwt' });
  expect(await failureOf(crossed)).toMatchObject({ code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' });
});
