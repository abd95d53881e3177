/** Endpoints that clients call: token, userinfo, introspection, revocation; and sign-in without a page. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { proveRequest } from '../../support/test-wallet.ts';
import { CALLBACK, CLIENTS } from './services.ts';
import { at, get, post, postForm, type WireCase } from './wire-case.ts';

type Fields = Readonly<Record<string, string>>;

const VERIFIER = 'a'.repeat(43);
const SHOP = 'Origin: https://shop.example';
const basic = (name: string): string => `Authorization: Basic {{${name} basic}}`;
const bearer = (name: string): string => `Authorization: Bearer {{${name}}}`;

/** Builds a token request with the code of a sign-in; empty fields are omitted. */
function redeem(title: string, code: string, fields: Fields = {}, headers: readonly string[] = []): WireCase {
  const all = {
    grant_type: 'authorization_code',
    code: `{{${code} code}}`,
    redirect_uri: CALLBACK,
    ...fields,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  return postForm(title, '/token', given, headers);
}

const FORM = 'application/x-www-form-urlencoded';
const CODE = 'code in the query';
const WEB = basic('web');

const TOKEN: readonly WireCase[] = [
  redeem('refuses a client without credentials', CODE),
  redeem('refuses a wrong secret', CODE, { client_id: CLIENTS.web, client_secret: 'wrong' }),
  redeem('refuses a client without its secret', CODE, { client_id: CLIENTS.web }),
  redeem('refuses a wrong secret in the header', CODE, {}, [
    `Authorization: Basic ${Buffer.from(`${CLIENTS.web}:wrong`).toString('base64')}`,
  ]),
  redeem('refuses a header that is not Basic', CODE, {}, ['Authorization: Bearer x']),
  redeem('refuses a header that is no base64', CODE, {}, ['Authorization: Basic %%%']),
  redeem('refuses a header without a colon', CODE, {}, ['Authorization: Basic YWJj']),
  redeem('refuses a secret in two places', CODE, { client_secret: 'x' }, [WEB]),
  redeem('refuses two client ids', CODE, { client_id: CLIENTS.native }, [WEB]),
  redeem('refuses an unknown client', CODE, { client_id: 'app_unknown', client_secret: 'x' }),
  redeem('refuses a disabled client', CODE, {
    client_id: CLIENTS.disabled,
    client_secret: '{{disabled secret}}',
  }),
  redeem('refuses a public client with a secret', CODE, { client_id: CLIENTS.native, client_secret: 'x' }),
  redeem('refuses no grant type', CODE, { grant_type: '' }, [WEB]),
  redeem('refuses another grant type', CODE, { grant_type: 'refresh_token' }, [WEB]),
  redeem('refuses no code', CODE, { code: '' }, [WEB]),
  redeem('refuses no redirect_uri', CODE, { redirect_uri: '' }, [WEB]),
  redeem('refuses an unknown code', CODE, { code: 'A'.repeat(43) }, [WEB]),
  redeem('refuses the code of another client', CODE, { client_id: CLIENTS.native }),
  post('refuses a repeated code', '/token', FORM, 'code=a&code=b', [WEB]),
  post('refuses JSON', '/token', 'application/json', '{}', [WEB]),
  { title: 'refuses no content type', request: { line: 'POST /token', headers: [WEB], body: 'a=b' } },
  post('refuses an empty form', '/token', FORM, '', [WEB]),
  post('refuses a broken escape', '/token', FORM, 'code=%zz', [WEB]),
  post('refuses a large form', '/token', FORM, 'x'.repeat(16_385), [WEB]),
  post('refuses a long Authorization header', '/token', FORM, 'a=b', [
    `Authorization: Basic ${'A'.repeat(8192)}`,
  ]),
  redeem('refuses a proof of possession that is none', CODE, {}, [WEB, SHOP, 'DPoP: x']),
  redeem('exchanges a code with client_secret_basic', CODE, {}, [WEB, SHOP]),
  get('says on the page of the sign-in that the app has its response', `/authorize/{{${CODE} txn}}`, [
    `Cookie: {{${CODE} cookie}}`,
    'Accept: text/html',
  ]),
  get('says so in JSON instead of the response', `/authorize/{{${CODE} txn}}/continue`, [
    `Cookie: {{${CODE} cookie}}`,
    'Accept: application/json',
  ]),
  redeem('refuses the code the second time', CODE, {}, [WEB, SHOP]),
  {
    ...redeem('exchanges a code with client_secret_post', 'code by form_post', {
      client_id: CLIENTS.web,
      client_secret: '{{web secret}}',
    }),
    capture: { 'access token': /"access_token":"([^"]+)"/ },
  },
  redeem('refuses another redirect_uri', 'code in the fragment', { redirect_uri: `${CALLBACK}?a` }, [WEB]),
  redeem('refuses a verifier that nobody asked for', 'code and ID token', { code_verifier: VERIFIER }, [WEB]),
  redeem('exchanges the code of a hybrid response', 'code and access token', {}, [WEB]),
  redeem('refuses another verifier', 'code with a challenge', { code_verifier: 'b'.repeat(43) }, [WEB]),
  redeem('exchanges the code of a public client', 'public client', {
    client_id: CLIENTS.native,
    redirect_uri: 'com.example.shop:/cb',
    code_verifier: VERIFIER,
  }),
  {
    ...redeem('exchanges a code over a nonce', 'signal is the nonce', {}, [basic('signalIsNonce')]),
    capture: { 'other access token': /"access_token":"([^"]+)"/ },
  },
  get('refuses GET of the token endpoint', '/token'),
  { title: 'answers to OPTIONS of the token endpoint', request: { line: 'OPTIONS /token' } },
  {
    title: 'answers to a preflight of a registered origin',
    request: { line: 'OPTIONS /token', headers: [SHOP, 'Access-Control-Request-Method: POST'] },
  },
  {
    title: 'allows what tracers and error monitors add to a request, and no credential',
    request: {
      line: 'OPTIONS /token',
      headers: [SHOP, 'Access-Control-Request-Headers: baggage,cookie,sentry-trace,traceparent'],
    },
  },
  {
    title: 'answers to a preflight of another origin',
    request: { line: 'OPTIONS /token', headers: ['Origin: https://evil.example'] },
  },
  redeem('refuses with CORS headers for the origin of the client', CODE, {}, [WEB, SHOP]),
  redeem('refuses without CORS headers for another origin', CODE, {}, [WEB, 'Origin: https://evil.example']),
  get('has no path below the token endpoint', '/token/x', ['Accept: text/html']),
];

const USERINFO: readonly WireCase[] = [
  get('gives the claims', '/userinfo', [bearer('access token'), SHOP]),
  post('gives the claims by POST', '/userinfo', 'text/plain', 'anything', [bearer('access token')]),
  get('gives the claims of an implicit token', '/userinfo', [bearer('implicit access token')]),
  get('gives the claims of another client', '/userinfo', [bearer('other access token')]),
  get('takes the scheme in lower case', '/userinfo', ['Authorization: bearer {{access token}}']),
  get('refuses no token', '/userinfo', [SHOP]),
  get('refuses another scheme', '/userinfo', ['Authorization: Basic {{access token}}']),
  get('refuses a token that is none', '/userinfo', ['Authorization: Bearer x.y.z']),
  get('refuses a token with another signature', '/userinfo', [`${bearer('access token')}AA`]),
  get('refuses a bearer token with the scheme DPoP', '/userinfo', [
    'Authorization: DPoP {{access token}}',
    'DPoP: x',
    SHOP,
  ]),
  get('refuses a token that is none with the scheme DPoP', '/userinfo', ['Authorization: DPoP x.y.z']),
  get('refuses a token in the query', '/userinfo?access_token={{access token}}'),
  get('refuses a long header', '/userinfo', [`Authorization: Bearer ${'x'.repeat(8192)}`]),
  {
    title: 'answers to a preflight for userinfo',
    request: { line: 'OPTIONS /userinfo', headers: [SHOP, 'Access-Control-Request-Headers: authorization'] },
  },
  { title: 'refuses HEAD of userinfo', request: { line: 'HEAD /userinfo' } },
];

const tokenForm = (
  title: string,
  path: string,
  fields: Fields,
  headers: readonly string[] = [WEB],
): WireCase => postForm(title, path, fields, headers);
const ACCESS = { token: '{{access token}}' };

const INTROSPECTION: readonly WireCase[] = [
  tokenForm('introspects a token', '/introspect', ACCESS),
  tokenForm(
    'introspects with a secret in the form',
    '/introspect',
    { ...ACCESS, client_id: CLIENTS.web, client_secret: '{{web secret}}', token_type_hint: 'access_token' },
    [],
  ),
  tokenForm('introspects a token of another client as inactive', '/introspect', {
    token: '{{other access token}}',
  }),
  tokenForm('introspects text as inactive', '/introspect', { token: 'x' }),
  tokenForm('introspects nothing for nobody', '/introspect', ACCESS, []),
  tokenForm(
    'introspects nothing for a public client',
    '/introspect',
    { ...ACCESS, client_id: CLIENTS.native },
    [],
  ),
  tokenForm('asks for the token', '/introspect', {}),
  post('refuses a repeated token at introspection', '/introspect', FORM, 'token=a&token=b', [WEB]),
  post('refuses JSON at introspection', '/introspect', 'application/json', '{}', [WEB]),
  get('refuses GET of introspection', '/introspect'),
  { title: 'refuses OPTIONS of introspection', request: { line: 'OPTIONS /introspect', headers: [SHOP] } },
];

const REVOCATION: readonly WireCase[] = [
  tokenForm('revokes nothing for nobody', '/revoke', ACCESS, []),
  tokenForm('does not revoke the token of another client', '/revoke', { token: '{{other access token}}' }),
  tokenForm('takes the revocation of text', '/revoke', { token: 'x' }),
  tokenForm('asks for the token to revoke', '/revoke', {}),
  tokenForm('revokes a token', '/revoke', ACCESS, [WEB, SHOP]),
  tokenForm('revokes it again', '/revoke', ACCESS),
  get('refuses a revoked token', '/userinfo', [bearer('access token'), SHOP]),
  tokenForm('introspects a revoked token as inactive', '/introspect', ACCESS),
  { title: 'answers to a preflight for revocation', request: { line: 'OPTIONS /revoke', headers: [SHOP] } },
  get('refuses GET of revocation', '/revoke'),
];

/** Builds a request of a wallet that answers an authorization link itself; `changes` replace members. */
function mobileAuth(
  title: string,
  nonce: string,
  changes: Readonly<Record<string, unknown>> = {},
  proves = true,
): WireCase {
  const request = {
    client_id: CLIENTS.signalIsNonce,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid email',
    state: 's t',
    nonce,
  };
  return {
    title,
    prepare: async ({ variables }) => {
      const signal = `0x00${Buffer.from(keccak_256(Buffer.from(nonce)).subarray(0, 31)).toString('hex')}`;
      const proof = proves ? await proveRequest({ app_id: CLIENTS.signalIsNonce, signal }) : {};
      variables.set('mobile request', JSON.stringify({ ...request, ...proof, ...changes }));
    },
    request: {
      line: 'POST /v1/mobile-auth',
      headers: ['Content-Type: application/json'],
      body: '{{mobile request}}',
    },
  };
}

const MOBILE: readonly WireCase[] = [
  mobileAuth('signs in by the wallet', 'mobile-1'),
  mobileAuth('refuses the same nonce of a person again', 'mobile-1'),
  mobileAuth('signs in by the wallet with an ID token', 'mobile-2', { response_type: 'id_token' }),
  mobileAuth('refuses another nonce than that of the proof', 'mobile-3', { nonce: 'mobile-4' }),
  mobileAuth('refuses no proof', 'mobile-5', {}, false),
  mobileAuth('refuses an unknown root', 'mobile-6', { merkle_root: `0x${'1'.repeat(64)}` }),
  mobileAuth('refuses form_post to a wallet', 'mobile-7', { response_mode: 'form_post' }),
  mobileAuth('refuses a client whose signal is no nonce', 'mobile-8', { client_id: CLIENTS.web }),
  mobileAuth('refuses an unknown client of a wallet', 'mobile-9', { client_id: 'x' }),
  mobileAuth('refuses another redirect URI of a wallet', 'mobile-10', {
    redirect_uri: 'https://evil.example',
  }),
  mobileAuth('refuses a number as state', 'mobile-11', { state: 1 }),
  mobileAuth('refuses prompt none of a wallet', 'mobile-12', { prompt: 'none' }),
  post('refuses a list of a wallet', '/v1/mobile-auth', 'application/json', '[]'),
  post('refuses text of a wallet', '/v1/mobile-auth', 'application/json', '{'),
  post('refuses a form of a wallet', '/v1/mobile-auth', FORM, 'a=b', ['Accept: text/html']),
  get('refuses GET of a wallet', '/v1/mobile-auth'),
  { title: 'refuses OPTIONS of a wallet', request: { line: 'OPTIONS /v1/mobile-auth' } },
];

const PRODUCTION_WEB = basic('production web');

/** Cases of the endpoints of clients. */
export const TOKEN_CASES: readonly WireCase[] = [
  ...TOKEN,
  ...USERINFO,
  ...INTROSPECTION,
  ...REVOCATION,
  ...MOBILE,
  ...at('production', [
    postForm(
      'refuses an inactive token with 401 where that is configured',
      '/auth/introspect',
      { token: 'x' },
      [PRODUCTION_WEB],
    ),
    {
      ...postForm(
        'exchanges a code below the path of the issuer',
        '/auth/token',
        { grant_type: 'authorization_code', code: '{{production code}}', redirect_uri: CALLBACK },
        [basic('known')],
      ),
    },
    get('names the issuer in a challenge', '/auth/userinfo'),
    get('has no userinfo at the root', '/userinfo'),
  ]),
  ...at('limited', [
    postForm('counts a failed authentication', '/token', { client_id: 'x', client_secret: 'y' }),
    postForm('limits token requests', '/token', { client_id: 'x', client_secret: 'y' }),
    postForm('limits failed authentications of a client over all endpoints', '/introspect', {
      client_id: 'x',
      client_secret: 'y',
    }),
    postForm('limits introspection', '/introspect', { client_id: 'x', client_secret: 'y' }),
    postForm('takes a revocation within the limit', '/revoke', { token: 'x' }, [basic('limited')]),
    postForm('limits revocation', '/revoke', { token: 'x' }, [basic('limited')]),
  ]),
  ...at('disabled', [postForm('has no token endpoint while sign-in is off', '/token', {})]),
];
