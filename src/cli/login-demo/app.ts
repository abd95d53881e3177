import { createHash, randomBytes } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { demoRedirectUri } from '../../development/demo-client.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { halfHash } from '../../oidc/token-issuer.ts';
import { messageOf } from '../../text.ts';
import { type Exchange, type Steps, unexpected } from './steps.ts';

/** Metadata of the service that the app uses. */
export interface Provider {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string;
  readonly introspectionEndpoint: string;
  readonly revocationEndpoint: string;
  readonly jwksUri: string;
}

/** State that the app keeps of a sign-in that it started. */
export interface AppSignIn {
  readonly clientId: string;
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Tokens of an exchanged code. */
export interface DemoTokens {
  readonly clientId: string;
  readonly accessToken: string;
  readonly sub: string;
  readonly level: string;
}

/**
 * Reads the metadata of the service.
 *
 * @throws ServiceError `login_demo.unreachable`, `login_demo.failed`
 */
export async function discover(steps: Steps, baseUrl: string): Promise<Provider> {
  const exchange = await steps.send({ method: 'GET', url: `${baseUrl}/.well-known/openid-configuration` });
  await steps.show({ actor: 'app', title: 'reads the metadata of the service' }, exchange);
  const { status, body } = exchange;
  if (status !== 200 || body.issuer !== baseUrl)
    throw unexpected(exchange, `metadata of the issuer ${baseUrl}`);
  const endpoint = (name: string): string => {
    const value = body[name];
    if (typeof value !== 'string') throw unexpected(exchange, `the member ${name}`);
    return value;
  };
  return {
    issuer: baseUrl,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    userinfoEndpoint: endpoint('userinfo_endpoint'),
    introspectionEndpoint: endpoint('introspection_endpoint'),
    revocationEndpoint: endpoint('revocation_endpoint'),
    jwksUri: endpoint('jwks_uri'),
  };
}

/** Builds the authorization request: the code flow of a public client, with PKCE, state and nonce. */
export function beginSignIn({ issuer, authorizationEndpoint }: Provider, clientId: string): AppSignIn {
  const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: demoRedirectUri(issuer),
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { clientId, url: `${authorizationEndpoint}?${query}`, state, nonce, verifier };
}

/**
 * Reads the authorization response from the address that the browser was redirected to.
 *
 * @returns The code.
 * @throws ServiceError `login_demo.failed`
 */
export function readCode(location: string, { issuer }: Provider, { state }: AppSignIn): string {
  const parameters = new URL(location).searchParams;
  const error = parameters.get('error');
  if (error !== null) {
    throw new ServiceError('login_demo.failed', `${error}: ${parameters.get('error_description') ?? ''}`);
  }
  const code = parameters.get('code');
  if (code === null || parameters.get('state') !== state || parameters.get('iss') !== issuer) {
    throw new ServiceError('login_demo.failed', 'the response has no code, or a different state or iss');
  }
  return code;
}

/**
 * Exchanges the code and checks the ID token with the published keys.
 *
 * @throws ServiceError `login_demo.unreachable`, `login_demo.failed`
 */
export async function exchangeCode(
  steps: Steps,
  provider: Provider,
  { clientId, nonce, verifier }: AppSignIn,
  code: string,
): Promise<DemoTokens> {
  const exchange = await steps.send({
    method: 'POST',
    url: provider.tokenEndpoint,
    form: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: demoRedirectUri(provider.issuer),
      client_id: clientId,
      code_verifier: verifier,
    },
  });
  const { access_token: accessToken, id_token: idToken } = exchange.body;
  const hasTokens = typeof accessToken === 'string' && typeof idToken === 'string';
  await steps.show(
    {
      actor: 'app',
      title: 'exchanges the code, with the PKCE verifier in place of a secret',
      ...(hasTokens ? { reads: { id_token: decoded(idToken), access_token: decoded(accessToken) } } : {}),
    },
    exchange,
  );
  if (exchange.status !== 200 || !hasTokens) throw unexpected(exchange, '200 with tokens');
  const keys = await steps.send({ method: 'GET', url: provider.jwksUri });
  const claims = await checkIdToken(keys, idToken, { provider, clientId, nonce, accessToken });
  await steps.show(
    {
      actor: 'app',
      title: 'checks the ID token: signature by these keys, iss, aud, exp, nonce and at_hash are valid',
    },
    keys,
  );
  return { clientId, accessToken, sub: String(claims.sub), level: String(claims.acr) };
}

/**
 * Uses the access token, shows what a public client may not do, and revokes the token.
 *
 * @throws ServiceError `login_demo.unreachable`, `login_demo.failed`
 */
export async function useAndRevoke(
  steps: Steps,
  provider: Provider,
  { clientId, accessToken, sub }: DemoTokens,
): Promise<void> {
  const info = await fetchUserInfo(steps, provider, accessToken);
  await steps.show({ actor: 'app', title: 'calls /userinfo to learn who signed in' }, info);
  if (info.status !== 200 || info.body.sub !== sub)
    throw unexpected(info, '200 with the sub of the ID token');

  const form = { client_id: clientId, token: accessToken };
  const refused = await steps.send({ method: 'POST', url: provider.introspectionEndpoint, form });
  const title = 'may not call /introspect: it is for clients with a secret, and the demo is a public client';
  await steps.show({ actor: 'app', title }, refused);
  if (refused.status !== 401) throw unexpected(refused, 'status 401');

  const revoked = await steps.send({ method: 'POST', url: provider.revocationEndpoint, form });
  await steps.show({ actor: 'app', title: 'revokes the access token' }, revoked);
  if (revoked.status !== 200) throw unexpected(revoked, 'status 200');

  const ended = await fetchUserInfo(steps, provider, accessToken);
  await steps.show({ actor: 'app', title: 'calls /userinfo again: the token is no longer accepted' }, ended);
  if (ended.status !== 401) throw unexpected(ended, 'status 401');
}

async function fetchUserInfo(
  steps: Steps,
  { userinfoEndpoint }: Provider,
  accessToken: string,
): Promise<Exchange> {
  return await steps.send({
    method: 'GET',
    url: userinfoEndpoint,
    headers: { Authorization: `Bearer ${accessToken}` },
    shownHeaders: { Authorization: 'Bearer (the access token)' },
  });
}

async function checkIdToken(
  keys: Exchange,
  idToken: string,
  {
    provider,
    clientId,
    nonce,
    accessToken,
  }: { provider: Provider; clientId: string; nonce: string; accessToken: string },
): Promise<Readonly<Record<string, unknown>>> {
  if (keys.status !== 200 || !Array.isArray(keys.body.keys)) throw unexpected(keys, '200 with a key set');
  try {
    const keySet: JSONWebKeySet = { keys: keys.body.keys as JSONWebKeySet['keys'] };
    const { payload } = await jwtVerify(idToken, createLocalJWKSet(keySet), {
      issuer: provider.issuer,
      audience: clientId,
      algorithms: ['RS256'],
    });
    if (payload.nonce !== nonce) throw new Error('nonce is not that of the request');
    if (payload.at_hash !== halfHash(accessToken)) throw new Error('at_hash is not that of the access token');
    return payload;
  } catch (cause) {
    const reason = messageOf(cause);
    throw new ServiceError('login_demo.failed', `the ID token is not valid: ${reason}`, {}, { cause });
  }
}

function decoded(token: string): unknown {
  return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}
