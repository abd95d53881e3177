import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { openBackChannel, type TestClient } from '../support/back-channel.ts';

/** Has no query, because openid-client derives the redirect URI from the callback without its query. */
const REDIRECT_URI = 'https://shop.example/cb';
let registered: TestClient;
const service = opened(openBackChannel, 'stop');
beforeAll(async () => {
  // openid-client compares the times of tokens with the system clock
  service.clock.now = Date.now();
  registered = await service.addClient();
});

function configOf(id: string, secret: string, auth?: client.ClientAuth): client.Configuration {
  const { url, baseUrl } = service;
  const server = {
    issuer: baseUrl,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/userinfo`,
    introspection_endpoint: `${url}/introspect`,
    revocation_endpoint: `${url}/revoke`,
    authorization_response_iss_parameter_supported: true,
    id_token_signing_alg_values_supported: ['RS256', 'RSA'],
  };
  const config = new client.Configuration(server, id, secret, auth);
  client.allowInsecureRequests(config);
  return config;
}

function callback(code: string): URL {
  const address = new URL(REDIRECT_URI);
  address.searchParams.set('code', code);
  address.searchParams.set('iss', service.baseUrl);
  return address;
}

/** Returns the reason of a rejected promise; throws if it was fulfilled. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejected promise, got a fulfilled one');
}

describe('openid-client 6 at the endpoints for clients', () => {
  it.each([
    ['in the body, its default', undefined],
    ['by Basic, which it encodes', client.ClientSecretBasic],
  ])('gets tokens with its secret %s, and uses them', async (_name, auth) => {
    const { id, secret } = registered;
    const config = configOf(id, secret, auth?.(secret));
    const codeVerifier = client.randomPKCECodeVerifier();
    const codeChallenge = await client.calculatePKCECodeChallenge(codeVerifier);
    const code = await service.issueCode(registered, {
      redirectUri: REDIRECT_URI,
      codeChallenge,
      nonce: 'n-1',
    });
    const tokens = await client.authorizationCodeGrant(config, callback(code), {
      pkceCodeVerifier: codeVerifier,
      expectedNonce: 'n-1',
    });
    const sub = tokens.claims()?.sub ?? '';
    expect(await client.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({ sub });
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: true, sub });
    await client.tokenRevocation(config, tokens.access_token);
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({ active: false });
    const failure = await failureOf(client.fetchUserInfo(config, tokens.access_token, sub));
    expect(failure).toBeInstanceOf(client.WWWAuthenticateChallengeError);
    expect((failure as client.WWWAuthenticateChallengeError).cause).toEqual([
      {
        scheme: 'bearer',
        parameters: {
          realm: service.baseUrl,
          error: 'invalid_token',
          error_description: 'Token is invalid or expired.',
        },
      },
    ]);
  });

  it.each([
    ['an unknown code', 'unknown', {}, 'invalid_grant', 'Invalid authorization code.'],
    [
      'another redirect URI',
      undefined,
      { redirect_uri: 'https://shop.example/other' },
      'invalid_grant',
      'redirect_uri differs from the one of the authorization request.',
    ],
    [
      'an unexpected verifier',
      undefined,
      { code_verifier: 'v'.repeat(43) },
      'invalid_grant',
      'code_verifier is unexpected: the authorization request had no code_challenge.',
    ],
  ])('reports error and description of %s', async (_name, code, wrong, error, description) => {
    const config = configOf(registered.id, registered.secret);
    const failure = await failureOf(
      client.genericGrantRequest(config, 'authorization_code', {
        code: code ?? (await service.issueCode(registered, { redirectUri: REDIRECT_URI })),
        redirect_uri: REDIRECT_URI,
        ...wrong,
      }),
    );
    expect(failure).toBeInstanceOf(client.ResponseBodyError);
    expect(failure).toMatchObject({ error, error_description: description, status: 400 });
  });

  it('reports error and description of an unsupported grant', async () => {
    const config = configOf(registered.id, registered.secret);
    const failure = await failureOf(client.genericGrantRequest(config, 'password', {}));
    expect(failure).toMatchObject({
      error: 'unsupported_grant_type',
      error_description: 'Invalid grant type. Only authorization_code and refresh_token are supported.',
    });
  });

  it('reports invalid_client for a wrong secret in the body, and the challenge for one in the header', async () => {
    const { id } = registered;
    const inBody = await failureOf(client.tokenIntrospection(configOf(id, 'sk_wrong'), 'x'));
    expect(inBody).toBeInstanceOf(client.ResponseBodyError);
    expect(inBody).toMatchObject({
      error: 'invalid_client',
      error_description: 'Invalid authentication credentials.',
      status: 401,
    });
    const basic = configOf(id, 'sk_wrong', client.ClientSecretBasic('sk_wrong'));
    const inHeader = await failureOf(client.tokenIntrospection(basic, 'x'));
    expect(inHeader).toBeInstanceOf(client.WWWAuthenticateChallengeError);
    expect((inHeader as client.WWWAuthenticateChallengeError).cause).toMatchObject([
      { scheme: 'basic', parameters: { realm: service.baseUrl, charset: 'UTF-8' } },
    ]);
  });
});
