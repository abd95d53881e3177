/** Requests to every sign-in endpoint, with planted texts in their inputs. */
import type { TestClient } from '../../support/signin/clients.ts';
import type { Plants } from './plants.ts';

/** A request; the path is relative to the base URL. */
export interface PlantedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Fields = Readonly<Record<string, string>>;

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const PKCE = ['code_challenge', 'code_challenge_method'];
const PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  ...PKCE,
  'prompt',
  'max_age',
  'acr_values',
  'display',
  'ui_locales',
  'claims_locales',
  'login_hint',
  'id_token_hint',
  'claims',
  'request',
  'request_uri',
  'registration',
  'unknown',
];
const PROOF = ['proof', 'nullifier_hash', 'merkle_root', 'verification_level', 'credential_type'];
const TXN = 'T'.repeat(43);
// The page of an unknown sign-in names its cookie, whose name contains this much of the path
// (spec/sign-in.md#transaction-cookie).
const IN_NAME_OF_COOKIE = 'T'.repeat(16);

/** Makes requests that plant each input of each endpoint. */
export function plantedRequests({ plant }: Plants, web: TestClient, wallet: TestClient): PlantedRequest[] {
  const credentials = { client_id: web.clientId, client_secret: web.clientSecret };
  const redirect = { redirect_uri: web.redirectUri };
  const request: Fields = { client_id: web.clientId, ...redirect, response_type: 'code', scope: 'openid' };
  const toWallet: Fields = { ...request, client_id: wallet.clientId, nonce: 'n', ...proofShape() };
  return [
    ...formEndpoint('/authorize', PARAMETERS, request),
    ...PARAMETERS.map((name) => get('/authorize', planted('/authorize by GET', name, request))),
    ...PARAMETERS.map((name) => {
      const twice = new URLSearchParams(planted('/authorize', name, request));
      twice.append(name, plant(`${name} again at /authorize`));
      return { method: 'GET', path: `/authorize?${twice}`, headers: { accept: JSON_TYPE } };
    }),
    ...formEndpoint(
      '/token',
      ['grant_type', 'code', 'redirect_uri', 'code_verifier', 'client_id', 'client_secret', 'unknown'],
      { grant_type: 'authorization_code', code: 'c'.repeat(43), ...redirect, ...credentials },
    ),
    ...['/introspect', '/revoke'].flatMap((path) =>
      formEndpoint(path, ['token', 'token_type_hint', 'client_id', 'client_secret'], {
        token: 't',
        ...credentials,
      }),
    ),
    ...headers('/userinfo', 'GET'),
    ...formEndpoint('/userinfo', ['access_token'], {}),
    ...[...PARAMETERS, ...PROOF].map((name) => ({
      method: 'POST',
      path: '/v1/mobile-auth',
      headers: { 'content-type': JSON_TYPE },
      body: JSON.stringify(planted('/v1/mobile-auth', name, toWallet)),
    })),
    ...bodies('/v1/mobile-auth', 'POST'),
    ...['', '/status', '/retry', '/cancel', '/continue'].flatMap((call) => {
      const method = call === '/retry' || call === '/cancel' ? 'POST' : 'GET';
      return [
        {
          method,
          path: `/authorize/${IN_NAME_OF_COOKIE}${plant(`path …${call}`)}${call}?q=${plant('query')}`,
        },
        {
          method,
          path: `/authorize/${IN_NAME_OF_COOKIE}${plant(`path …${call}`)}${call}`,
          headers: { accept: JSON_TYPE },
        },
        ...headers(`/authorize/${TXN}${call}`, method),
      ];
    }),
    ...bridgeRequests(),
    ...walletRequests(),
    ...['/jwks', '/.well-known/openid-configuration', '/demo', '/demo/callback'].flatMap((path) => [
      get(path, { code: plant(`code at ${path}`), state: plant(`state at ${path}`) }),
      ...headers(path, 'GET'),
      ...bodies(path, 'POST'),
    ]),
    { method: 'GET', path: `/${plant('unknown path')}` },
    { method: 'GET', path: `/authorize/${TXN}/${plant('unknown path')}` },
  ];

  /** Returns the fields with a planted text in one of them. */
  function planted(where: string, name: string, fields: Fields): Record<string, string> {
    return { ...fields, [name]: plant(`${name} at ${where}`) };
  }

  function formEndpoint(path: string, names: readonly string[], fields: Fields): PlantedRequest[] {
    const post = (body: string): PlantedRequest => ({
      method: 'POST',
      path,
      headers: { 'content-type': FORM, accept: JSON_TYPE },
      body,
    });
    return [
      ...names.map((name) => post(new URLSearchParams(planted(path, name, fields)).toString())),
      post(`${plant('name')}=${plant('value')}&a=%zz${plant('after a broken escape')}`),
      post(`a=${plant('too large a body')}${'x'.repeat(40_000)}`),
      get(path, planted(`${path}, in the query`, names[0] ?? '', fields)),
      ...bodies(path, 'POST'),
      ...headers(path, 'POST', new URLSearchParams(fields).toString()),
    ];
  }

  /** Makes requests with bodies of several media types. */
  function bodies(path: string, method: string): PlantedRequest[] {
    return [JSON_TYPE, 'text/plain', FORM].flatMap((type) =>
      [`{"proof":"${plant(`JSON body of ${path}`)}"}`, `${plant(`broken JSON of ${path}`)}{`].map((body) => ({
        method,
        path,
        headers: { 'content-type': type },
        body,
      })),
    );
  }

  /** Makes requests with planted headers. */
  function headers(path: string, method: string, body?: string): PlantedRequest[] {
    const basic = (id: string, secret: string): string =>
      `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const cookie = `__Host-pg_txn_${TXN.slice(0, 16)}=${plant(`cookie at ${path}`)}`;
    const sets: Fields[] = [
      { authorization: `Bearer ${plant(`token at ${path}`)}` },
      { authorization: `Bearer ${plant('a')}.${plant('b')}.${plant('c')}` },
      { authorization: basic(plant(`Basic id at ${path}`), plant(`Basic secret at ${path}`)) },
      { authorization: basic(web.clientId, plant(`secret of a client at ${path}`)) },
      { authorization: `Basic ${plant('broken Basic')}` },
      { authorization: plant('scheme') },
      { authorization: `Bearer ${plant('too large')}${'x'.repeat(9000)}` },
      { cookie, referer: `https://shop.example/?${plant('referer')}`, 'user-agent': plant('agent') },
      { origin: `https://${plant('origin')}.example`, 'x-request-id': plant('request id') },
      { 'x-forwarded-for': plant('forwarded'), 'x-forwarded-proto': plant('proto') },
      { accept: plant('accept'), 'content-type': plant('type'), 'accept-language': plant('language') },
    ];
    return sets.map((some) => ({
      method,
      path,
      headers: { 'content-type': FORM, ...some },
      ...(body === undefined ? {} : { body }),
    }));
  }

  function bridgeRequests(): PlantedRequest[] {
    const of = (method: string, path: string, value: unknown): PlantedRequest => ({
      method,
      path: `/bridge${path}`,
      headers: { 'content-type': JSON_TYPE },
      body: JSON.stringify(value),
    });
    const message = (): Fields => ({ iv: plant('iv'), payload: plant('payload') });
    const id = (): string => `${plant('bridge id')}${plant('bridge id')}`;
    return [
      of('POST', '/request', message()),
      of('POST', '/request', { ...message(), request_id: plant('too short a bridge id') }),
      of('POST', '/request', { iv: plant('iv') }),
      of('POST', '/request', plant('a text')),
      of('POST', '/response', message()),
      of('PUT', `/request/${id()}`, message()),
      of('PUT', `/response/${id()}`, message()),
      of('PUT', `/response/${plant('too short a bridge id')}`, message()),
      ...['request', 'response'].map((kind) => ({ method: 'GET', path: `/bridge/${kind}/${id()}` })),
      ...bodies('/bridge/request', 'POST'),
    ];
  }

  function walletRequests(): PlantedRequest[] {
    const api = '/wallet/api';
    return [
      get('/wallet', { t: 'wld', i: plant('i'), k: plant('k'), b: plant('b') }),
      get(`${api}/inclusion-proof`, { tree: plant('tree'), commitment: plant('commitment') }),
      get(`${api}/inclusion-proof`, { tree: 'orb', commitment: plant('commitment') }),
      {
        method: 'POST',
        path: `${api}/enroll`,
        headers: { 'content-type': JSON_TYPE },
        body: JSON.stringify({ tree: 'orb', commitment: plant('commitment') }),
      },
      ...bodies(`${api}/enroll`, 'POST'),
    ];
  }
}

function get(path: string, query: Fields): PlantedRequest {
  return { method: 'GET', path: `${path}?${new URLSearchParams(query)}` };
}

/** Returns members with the format of a proof, which is false. */
function proofShape(): Fields {
  return { proof: `0x${'1'.repeat(512)}`, nullifier_hash: '0x1', merkle_root: '0x1' };
}
