/** Refusals that are answered with a body, for any caller. */
import { hashSignal } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { makeProof, makeProofKey } from '../../oidc/support/dpop-proofs.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import { approve, type ProofOptions, proveRequest } from '../../support/test-wallet.ts';
import { authorize, call, type ErrorContext, type ErrorRow, type Fields, request, row } from './error-row.ts';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const JSON_TYPE = { accept: 'application/json', 'content-type': 'application/json' };

const credentials = ({ clientId, clientSecret }: TestClient): Fields => ({
  client_id: clientId,
  client_secret: clientSecret,
});

const post =
  (
    path: string,
    fields: Fields | ((context: ErrorContext) => Fields),
    headers: Fields = {},
  ): ErrorRow['send'] =>
  (context) => {
    const made =
      typeof fields === 'function' ? fields(context) : { ...credentials(context.service.web), ...fields };
    return call(context.service, `POST ${path}`, { fields: made, headers });
  };

/** Redeems a code of a complete sign-in with faulty fields. */
const redeem =
  (parameters: Fields, fields: Fields): ErrorRow['send'] =>
  async (context) => {
    const { service } = context;
    const code = (await service.complete(parameters)).parameters.code ?? '';
    const { redirectUri: redirect_uri } = service.web;
    return await post('/token', { grant_type: 'authorization_code', code, redirect_uri, ...fields })(context);
  };

/** Sends the credentials of the web client by Basic, with fields. */
const withBasic =
  (fieldsOf: (web: TestClient) => Fields): ErrorRow['send'] =>
  ({ service }) => {
    const { web } = service;
    const authorization = `Basic ${btoa(`${web.clientId}:${web.clientSecret}`)}`;
    return call(service, 'POST /token', { fields: fieldsOf(web), headers: { authorization } });
  };

const mobile =
  (options: ProofOptions, changes: Fields = {}): ErrorRow['send'] =>
  async ({ service, wallet }) => {
    const nonce = `n-${wallet.clientId}-${JSON.stringify(Object.keys({ ...options, ...changes }))}`;
    const signal = toHex(hashSignal(nonce));
    const proof = await proveRequest({ app_id: wallet.clientId, signal }, options);
    const body = { ...request({ web: wallet }, { nonce }), ...proof, ...changes };
    return await call(service, 'POST /v1/mobile-auth', { fields: JSON.stringify(body), headers: JSON_TYPE });
  };

const mobileOfWebClient: ErrorRow['send'] = ({ service }) =>
  call(service, 'POST /v1/mobile-auth', {
    fields: JSON.stringify(request(service, { nonce: 'n' })),
    headers: JSON_TYPE,
  });

const UNMET = 'unmet_authentication_requirements';

// {base_url} is replaced by the base URL of the service
const BASIC = 'Basic realm="{base_url}", charset="UTF-8"';
const unauthenticated = (name: string, send: ErrorRow['send'], challenge: string | null): ErrorRow =>
  row('unauthenticated', name, 401, 'invalid_client', send, { headers: { 'www-authenticate': challenge } });
/** A refusal of `/authorize` that is not sent to the redirect URI. */
const unredirected = (
  code: string,
  error: string,
  changes: Parameters<typeof authorize>[0],
  attribute: string,
): ErrorRow =>
  row(code, '/authorize', 400, error, authorize(changes), { attribute, headers: { location: null } });
const bad = (
  code: string,
  name: string,
  error: string,
  send: ErrorRow['send'],
  attribute?: string,
): ErrorRow => row(code, name, 400, error, send, attribute === undefined ? {} : { attribute });
const invalid = (name: string, send: ErrorRow['send'], attribute?: string): ErrorRow =>
  bad('invalid_request', name, 'invalid_request', send, attribute);

/** Refusals with the body of spec/sign-in.md#error-body. */
export const BODY_ROWS: readonly ErrorRow[] = [
  ...[
    ['PUT', '/token', 'POST, OPTIONS'],
    ['DELETE', '/userinfo', 'GET, POST, OPTIONS'],
    ['GET', '/introspect', 'POST'],
    ['GET', '/revoke', 'POST, OPTIONS'],
    ['PUT', '/authorize', 'GET, POST'],
    ['POST', `/authorize/${'T'.repeat(43)}`, 'GET'],
    ['POST', '/jwks', 'GET, HEAD, OPTIONS'],
    ['GET', '/v1/mobile-auth', 'POST'],
  ].map(([method = '', path = '', allow = '']) =>
    row(
      'method_not_allowed',
      `${method} ${path}`,
      405,
      'invalid_request',
      ({ service }) => call(service, `${method} ${path}`),
      { headers: { allow } },
    ),
  ),
  ...['/token', '/introspect', '/revoke', '/authorize', '/v1/mobile-auth'].map((path) =>
    bad('invalid_content_type', `text at ${path}`, 'invalid_request', ({ service }) =>
      call(service, `POST ${path}`, { fields: 'a=b', headers: { 'content-type': 'text/plain' } }),
    ),
  ),
  ...(
    [
      ['code', post('/token', { grant_type: 'authorization_code' })],
      ['redirect_uri', post('/token', { grant_type: 'authorization_code', code: 'c' })],
      ['token', post('/introspect', {})],
      ['token', post('/revoke', { token: '' })],
      ['client_id', authorize({ client_id: '' })],
      ['redirect_uri', authorize({ redirect_uri: '' })],
    ] as const
  ).map(([attribute, send], index) =>
    bad('required', `no ${attribute}, ${index}`, 'invalid_request', send, attribute),
  ),
  unredirected(
    'invalid_redirect_uri',
    'invalid_request',
    { redirect_uri: 'https://x.example/' },
    'redirect_uri',
  ),
  ...['/token', '/introspect', '/revoke'].flatMap((path) => [
    unauthenticated(
      `no credentials at ${path}`,
      post(path, () => ({ a: 'b' })),
      BASIC,
    ),
    unauthenticated(
      `a wrong secret by Basic at ${path}`,
      post(path, () => ({ a: 'b' }), { authorization: `Basic ${btoa('app_0:sk_0')}` }),
      BASIC,
    ),
    unauthenticated(`a wrong secret in the body at ${path}`, post(path, { client_secret: 'x' }), null),
  ]),
  row(
    'unauthenticated',
    '/userinfo without a token',
    401,
    'invalid_token',
    ({ service }) => call(service, 'GET /userinfo'),
    {
      headers: {
        'www-authenticate': 'Bearer realm="{base_url}", DPoP algs="ES256 ES384 EdDSA Ed25519 RS256 PS256"',
      },
    },
  ),
  row(
    'invalid_token',
    '/userinfo',
    401,
    'invalid_token',
    ({ service }) => call(service, 'GET /userinfo', { headers: { authorization: 'Bearer x' } }),
    {
      attribute: 'token',
      headers: {
        'www-authenticate':
          'Bearer realm="{base_url}", error="invalid_token", error_description="Token is invalid or expired."',
      },
    },
  ),
  bad('invalid_grant_type', 'none', 'invalid_request', post('/token', {}), 'grant_type'),
  bad(
    'invalid_grant_type',
    'another',
    'unsupported_grant_type',
    post('/token', { grant_type: 'password' }),
    'grant_type',
  ),
  bad('invalid_grant', 'an unknown code', 'invalid_grant', redeem({}, { code: 'x' }), 'code'),
  bad(
    'invalid_grant',
    'another redirect_uri',
    'invalid_grant',
    redeem({}, { redirect_uri: 'https://x.example/' }),
    'redirect_uri',
  ),
  ...(
    [
      ['missing', CHALLENGE, {}],
      ['unexpected', undefined, { code_verifier: VERIFIER }],
      ['malformed', CHALLENGE, { code_verifier: 'short' }],
      ['of another challenge', CHALLENGE, { code_verifier: 'v'.repeat(43) }],
    ] as const
  ).map(([name, code_challenge, fields]) =>
    bad(
      'invalid_grant',
      `a verifier that is ${name}`,
      'invalid_grant',
      redeem(code_challenge === undefined ? {} : { code_challenge, code_challenge_method: 'S256' }, fields),
      'code_verifier',
    ),
  ),
  invalid('a broken escape at /token', ({ service }) =>
    call(service, 'POST /token', {
      fields: 'a=%zz',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  ),
  invalid(
    'client_id twice at /authorize',
    ({ service }) => call(service, `GET /authorize?client_id=a&${new URLSearchParams(request(service))}`),
    'client_id',
  ),
  invalid('two methods of authentication', withBasic(credentials), 'client_secret'),
  invalid(
    'two different client ids',
    withBasic(() => ({ client_id: 'a' })),
    'client_id',
  ),
  unredirected(
    'invalid_request_uri',
    'invalid_request_uri',
    { request_uri: `urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}` },
    'request_uri',
  ),
  bad(
    'invalid_dpop_proof',
    '/token',
    'invalid_dpop_proof',
    post('/token', { grant_type: 'refresh_token' }, { dpop: 'x' }),
  ),
  bad('use_dpop_nonce', '/token', 'use_dpop_nonce', async (context) => {
    const target = `POST ${context.service.baseUrl}/token`;
    const dpop = await makeProof(await makeProofKey(), target, Date.now());
    return await post('/token', { grant_type: 'refresh_token' }, { dpop })(context);
  }),
  unredirected('app_not_found', 'invalid_client', { client_id: 'app_0' }, 'client_id'),
  unredirected(
    'sign_in_not_enabled',
    'unauthorized_client',
    ({ disabled }) => ({ client_id: disabled.clientId }),
    'client_id',
  ),
  ...(
    [
      [
        'invalid_response_mode',
        'invalid_request',
        mobile({}, { response_mode: 'form_post' }),
        'response_mode',
      ],
      ['unauthorized_client', 'unauthorized_client', mobileOfWebClient, 'client_id'],
      ['invalid_proof', 'access_denied', mobile({ isFalse: true })],
      ['invalid_merkle_root', 'access_denied', mobile({ root: new Uint8Array(32).fill(1) })],
      ['invalid_format', 'access_denied', mobile({}, { proof: '0x' })],
      [UNMET, UNMET, mobile({ tree: 'device' }, { acr_values: 'orb' })],
    ] as const
  ).map(([code, error, send, attribute]) => bad(code, '/v1/mobile-auth', error, send, attribute)),
  bad('root_too_old', '/v1/mobile-auth', 'access_denied', async (context) => {
    const root = new Uint8Array(32).fill(2);
    const at = { receivedAt: 1, supersededAt: 2, source: 'operator', keyId: 'trapdoor-4' } as const;
    await context.service.store.roots.put([{ environment: 'staging', tree: 'orb', root, ...at }]);
    return await mobile({ root })(context);
  }),
  ...['', '/status', '/continue'].map((path) =>
    row('session_not_found', `GET …${path}`, 403, 'access_denied', ({ service }) =>
      call(service, `GET /authorize/${'T'.repeat(43)}${path}`),
    ),
  ),
  row('session_not_found', 'a finished sign-in', 403, 'access_denied', async ({ service }) => {
    const signIn = await service.begin();
    await approve(signIn.connectUrl);
    await signIn.settle();
    const { code } = (await signIn.finish()).parameters;
    await redeemCode(service.baseUrl, service.web, code);
    return await call(service, `GET /authorize/${signIn.txn}`, { headers: { cookie: signIn.cookie } });
  }),
  row('request_too_large', 'a body', 413, 'invalid_request', post('/token', { a: 'x'.repeat(20_000) })),
  row('request_too_large', 'an Authorization header', 413, 'invalid_request', ({ service }) =>
    call(service, 'GET /userinfo', { headers: { authorization: `Bearer ${'x'.repeat(9000)}` } }),
  ),
  row('request_too_large', 'a query', 414, 'invalid_request', authorize({ state: 'x'.repeat(33_000) })),
  ...['GET /authorize', 'POST /token', 'POST /introspect', 'POST /revoke', 'HEAD /bridge/response/a'].map(
    (line) =>
      row(
        'rate_limit',
        line,
        429,
        'temporarily_unavailable',
        async ({ tight }) => {
          await call(tight, line);
          return await call(tight, line.replace('HEAD', 'GET'));
        },
        { headers: { 'retry-after': '{seconds}' } },
      ),
  ),
  row('not_found', 'a path', 404, 'invalid_request', ({ service }) => call(service, 'GET /nothing')),
  row(
    'not_found',
    'an id of the bridge',
    404,
    'invalid_request',
    ({ service }) => call(service, `GET /bridge/request/${'a'.repeat(32)}`),
    { attribute: 'request_id' },
  ),
  row(
    'conflict',
    'an id of the bridge',
    409,
    'invalid_request',
    async ({ service }) => {
      const fields = JSON.stringify({ iv: 'i', payload: 'p', request_id: 'b'.repeat(32) });
      await call(service, 'POST /bridge/request', { fields });
      return await call(service, 'POST /bridge/request', { fields });
    },
    { attribute: 'request_id' },
  ),
];
