/** Authorization requests, the pages of a sign-in, and authorization responses. */
import { CALLBACK, CLIENTS, KNOWN, KNOWN_ANSWER } from './services.ts';
import { authorizationQuery, signIn } from './sign-in-steps.ts';
import { at, get, post, postForm, type WireCase } from './wire-case.ts';

/** S256 of 43 times the letter a. */
export const CHALLENGE = 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA';

const HTML = 'Accept: text/html';
const JSON_ACCEPT = 'Accept: application/json';
const SHOP = 'Origin: https://shop.example';

/** Documents that every client may read. */
const DOCUMENTS: readonly WireCase[] = ['/.well-known/openid-configuration', '/jwks'].flatMap((path) => [
  get(`gives ${path}`, path),
  get(`gives ${path} to a page of another origin`, path, [SHOP]),
  { title: `gives the head of ${path}`, request: { line: `HEAD ${path}` } },
  { title: `answers to OPTIONS of ${path}`, request: { line: `OPTIONS ${path}` } },
  {
    title: `answers to a preflight of ${path}`,
    request: { line: `OPTIONS ${path}`, headers: [SHOP, 'Access-Control-Request-Method: GET'] },
  },
  { title: `refuses POST of ${path}`, request: { line: `POST ${path}`, body: '' } },
  get(`has nothing at ${path}/`, `${path}/`),
]);

const ALIASES: readonly WireCase[] = [
  get('gives the metadata of RFC 8414', '/.well-known/oauth-authorization-server'),
  get('gives the key set under its other name', '/jwks.json'),
  get('has no other well-known document', '/.well-known/webfinger', [HTML]),
  ...at('production', [
    get('gives the metadata below the path of the issuer', '/auth/.well-known/openid-configuration'),
    get('gives the metadata between host and path', '/.well-known/oauth-authorization-server/auth'),
    get('gives the key set below the path of the issuer', '/auth/jwks'),
    get('has no metadata at the root', '/.well-known/openid-configuration'),
  ]),
  ...at('disabled', [
    get('has no metadata while sign-in is off', '/.well-known/openid-configuration'),
    get('has no authorization endpoint while sign-in is off', `/authorize?${authorizationQuery()}`),
  ]),
];

const REFUSED: readonly (readonly [name: string, parameters: Readonly<Record<string, string>>])[] = [
  ['no client_id', { client_id: '' }],
  ['an unknown client', { client_id: `app_staging_${'0'.repeat(32)}` }],
  ['a client_id with markup', { client_id: '<b>"&' }],
  ['a disabled client', { client_id: CLIENTS.disabled }],
  ['a client without redirect URIs', { client_id: CLIENTS.vectors }],
  ['no redirect_uri', { redirect_uri: '' }],
  ['an unknown redirect_uri', { redirect_uri: 'https://shop.example/other' }],
  ['a redirect_uri that is none', { redirect_uri: 'javascript:alert(1)' }],
  ['no response_type', { response_type: '' }],
  ['an unknown response_type', { response_type: 'password' }],
  ['a response_type that is not registered', { client_id: CLIENTS.codeOnly, response_type: 'id_token' }],
  ['an unknown response_mode', { response_mode: 'web_message' }],
  ['response_mode query for tokens', { response_type: 'id_token', response_mode: 'query' }],
  ['no scope', { scope: '' }],
  ['a scope without openid', { scope: 'email profile' }],
  ['a request object', { request: 'x' }],
  ['a request_uri', { request_uri: 'https://shop.example/request' }],
  ['a registration', { registration: '{}' }],
  ['no nonce with an ID token in the response', { response_type: 'id_token', nonce: '' }],
  ['a challenge without its method', { code_challenge: CHALLENGE }],
  ['a method without its challenge', { code_challenge_method: 'S256' }],
  ['the method plain', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }],
  ['a short challenge', { code_challenge: 'abc', code_challenge_method: 'S256' }],
  [
    'a public client without a challenge',
    { client_id: CLIENTS.native, redirect_uri: 'com.example.shop:/cb' },
  ],
  ['a max_age that is no number', { max_age: '-1' }],
  ['prompt none', { prompt: 'none' }],
  ['prompt none with login', { prompt: 'none login' }],
  ['an error in mode fragment', { prompt: 'none', response_mode: 'fragment' }],
  ['an error in mode form_post', { prompt: 'none', response_mode: 'form_post' }],
  ['an error of a hybrid request', { prompt: 'none', response_type: 'code id_token' }],
  ['an error with a long state', { prompt: 'none', state: `ü&=#"<>${'x'.repeat(300)}` }],
  ['an error without a state', { prompt: 'none', state: '' }],
];

const REFUSALS: readonly WireCase[] = [
  ...REFUSED.map(([name, parameters]) =>
    get(`answers to ${name}`, `/authorize?${authorizationQuery(parameters)}`),
  ),
  ...REFUSED.filter((_, index) => [0, 1, 6, 8, 25].includes(index)).map(([name, parameters]) =>
    get(`answers to ${name} in JSON`, `/authorize?${authorizationQuery(parameters)}`, [JSON_ACCEPT]),
  ),
  get('answers to a repeated client_id', `/authorize?${authorizationQuery()}&client_id=x`),
  get('answers to a repeated state', `/authorize?${authorizationQuery()}&state=x`),
  get('answers to a broken escape', `/authorize?${authorizationQuery()}&x=%zz`),
  get('answers to an escape that is no UTF-8', `/authorize?${authorizationQuery({ state: '' })}&state=%ff`),
  get('answers to no query', '/authorize'),
  get('answers to a long query', `/authorize?${authorizationQuery({ state: 'x'.repeat(32_768) })}`),
  get('answers to a slash at the end', '/authorize/'),
  ...['de', 'fr', 'es', 'pt', 'ja', 'xx'].map((language) =>
    get(`answers in the language ${language}`, '/authorize', [`Accept-Language: ${language}`]),
  ),
  get('answers in the language of ui_locales', '/authorize?ui_locales=xx%20de', ['Accept-Language: fr']),
  {
    title: 'refuses OPTIONS of the authorization endpoint',
    request: { line: 'OPTIONS /authorize', headers: [SHOP] },
  },
  { title: 'refuses HEAD of the authorization endpoint', request: { line: 'HEAD /authorize' } },
  {
    title: 'refuses PUT of the authorization endpoint',
    request: { line: 'PUT /authorize', headers: [JSON_ACCEPT] },
  },
  post('refuses a request in JSON', '/authorize', 'application/json', '{}'),
  postForm('refuses an empty form', '/authorize', {}),
  post(
    'begins with a form',
    '/authorize',
    'application/x-www-form-urlencoded;charset=utf-8',
    authorizationQuery(),
  ),
  post(
    'refuses a large form',
    '/authorize',
    'application/x-www-form-urlencoded',
    `state=${'x'.repeat(32_768)}`,
    [JSON_ACCEPT],
  ),
  get(
    'begins with an id token hint and a login hint',
    `/authorize?${authorizationQuery({
      id_token_hint: 'x',
      login_hint: 'y',
      display: 'popup',
      claims: '{}',
      max_age: '0',
      prompt: 'login consent',
    })}`,
  ),
  get(
    'begins at another port of a loopback address',
    `/authorize?${authorizationQuery({
      client_id: CLIENTS.native,
      redirect_uri: 'http://127.0.0.1:49152/cb',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })}`,
  ),
];

const NOBODY = `/authorize/${'A'.repeat(43)}`;

/** Pages of sign-ins whose cookie the browser does not have. */
const STRANGERS: readonly WireCase[] = [
  get('shows no page of an unknown sign-in', NOBODY, [HTML]),
  get('tells why in JSON', NOBODY, [JSON_ACCEPT]),
  get('tells the other origin', NOBODY, ['Host: 127.0.0.1:1234', 'X-Forwarded-Host: id.example']),
  get('has no status of an unknown sign-in', `${NOBODY}/status`),
  get('does not continue an unknown sign-in', `${NOBODY}/continue`, ['Accept-Language: ja']),
  {
    title: 'does not cancel from another origin',
    request: { line: `POST ${NOBODY}/cancel`, headers: [SHOP], body: '' },
  },
  { title: 'does not retry an unknown sign-in', request: { line: `POST ${NOBODY}/retry`, body: '' } },
  get('has no other page of a sign-in', `${NOBODY}/nothing`, [HTML]),
  get('does not retry by GET', `${NOBODY}/retry`),
  get('shows no recognition page of an unknown sign-in', `${NOBODY}/known`, [HTML]),
  {
    title: 'forgets nothing from another origin',
    request: {
      line: `POST ${NOBODY}/known/forget`,
      headers: [SHOP, 'Content-Type: application/x-www-form-urlencoded'],
      body: 'id=all',
    },
  },
  {
    title: 'takes no passkey that is not JSON',
    request: { line: `POST ${NOBODY}/passkey`, headers: ['Content-Type: text/plain'], body: '{}' },
  },
  {
    title: 'takes no passkey of an unknown sign-in',
    request: { line: `POST ${NOBODY}/passkey`, headers: ['Content-Type: application/json'], body: '{}' },
  },
  { title: 'refuses OPTIONS of a sign-in', request: { line: `OPTIONS ${NOBODY}`, headers: [SHOP] } },
  get('gives the picture of a client', `/signin/logo/${CLIENTS.web}`),
  get('has no picture of another client', `/signin/logo/${CLIENTS.native}`),
  get('has no picture of an unknown client', '/signin/logo/nobody'),
];

const query = signIn('code in the query', { scope: 'openid email profile' });
const formPost = signIn('code by form_post', { response_mode: 'form_post', state: '"<ü>&\r\n' });
const fragment = signIn('code in the fragment', { response_mode: 'fragment', ui_locales: 'de' });
const idToken = signIn('ID token', { response_type: 'id_token', scope: 'openid email' });
const tokens = signIn('both tokens', { response_type: 'token id_token', state: '' });
const hybrid = signIn('code and ID token', { response_type: 'code id_token' });
const hybridToken = signIn('code and access token', {
  response_type: 'code token',
  response_mode: 'form_post',
});
const all = signIn('code and both tokens', {
  response_type: 'code id_token token',
  response_mode: 'form_post',
});
const challenge = signIn('code with a challenge', {
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
});
const native = signIn('public client', {
  client_id: CLIENTS.native,
  redirect_uri: 'com.example.shop:/cb',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
});
const production = signIn('production', { client_id: KNOWN.app_id, nonce: KNOWN.signal }, 'production');
const signalIsNonce = signIn('signal is the nonce', {
  client_id: CLIENTS.signalIsNonce,
  nonce: 'page-1',
  ui_locales: 'ja',
});
const late = signIn('code that expires');

const codeOf = (name: string): Pick<WireCase, 'capture'> => ({
  capture: {
    [`${name} code`]: /[?&#]code=([A-Za-z0-9_-]{43})(?:&|$)|name="code" value="([A-Za-z0-9_-]{43})"/m,
  },
});

const declined = signIn('declined');
const cancelled = signIn('cancelled', { response_mode: 'form_post' });
const failed = signIn('failed');
const orb = signIn('orb required', { acr_values: 'orb' });
const expired = signIn('expired', { ui_locales: 'fr' });
const unreadable = signIn('unreadable answer', { ui_locales: 'es' });
const root = signIn('unknown root', { ui_locales: 'pt' });

const FLOWS: readonly WireCase[] = [
  query.begin(),
  query.status('waits'),
  query.finish('is not over yet'),
  query.page(),
  query.look('shows the page in another language', { headers: ['Accept-Language: de-AT, en;q=0.5'] }),
  query.status('refuses another cookie', undefined, { headers: ['Cookie: __Host-pg_txn_x=1'] }),
  query.take(),
  query.status('knows that the wallet has the request', '"connected"'),
  query.look('shows that the wallet has the request'),
  query.answer('takes the proof'),
  query.status('is completed', '"completed"'),
  query.look('sends the browser on from the page'),
  query.finish('sends the authorization response', codeOf('code in the query')),
  query.finish('sends it again'),
  query.press('leads a button that is pressed again to it', 'cancel'),
  query.look('leads to it from the page', { headers: [HTML] }),
  query.status('stays completed'),
  ...formPost.complete(
    {},
    { capture: { 'code by form_post code': /name="code" value="([A-Za-z0-9_-]{43})"/ } },
  ),
  ...fragment.complete({ tree: 'device' }, codeOf('code in the fragment')),
  ...idToken.complete({ person: 'bob' }),
  ...tokens.complete({}, { capture: { 'implicit access token': /[#&]access_token=([A-Za-z0-9_.-]+)/ } }),
  ...hybrid.complete({}, codeOf('code and ID token')),
  ...hybridToken.complete(
    {},
    { capture: { 'code and access token code': /name="code" value="([A-Za-z0-9_-]{43})"/ } },
  ),
  ...all.complete(
    {},
    { capture: { 'code and both tokens code': /name="code" value="([A-Za-z0-9_-]{43})"/ } },
  ),
  ...challenge.complete({}, codeOf('code with a challenge')),
  ...native.complete({}, codeOf('public client')),
  ...production.complete(KNOWN_ANSWER, codeOf('production')),
  ...signalIsNonce.complete({}, codeOf('signal is the nonce')),

  declined.begin(),
  declined.page(),
  declined.take(),
  declined.answer('takes the refusal of the wallet', {}, { error_code: 'verification_rejected' }),
  declined.status('is refused', '"refused"'),
  declined.look('shows the refusal'),
  declined.finish('sends the refusal'),

  cancelled.begin(),
  cancelled.press('does not let another origin cancel', 'cancel', { headers: [SHOP] }),
  cancelled.press('cancels', 'cancel', { headers: ['Origin: http://localhost:8080'] }),
  cancelled.look('goes on from the page'),
  cancelled.finish('sends the cancellation'),

  failed.begin(),
  failed.page(),
  failed.press('begins another attempt while it waits', 'retry'),
  failed.page({ title: 'shows the page of the second attempt' }),
  failed.take(),
  failed.answer('takes a false proof', { isFalse: true }),
  failed.status('has failed', '"failed"'),
  failed.look('shows the failure'),
  failed.press('can be tried again', 'retry'),
  failed.page({ title: 'shows the page of the third attempt' }),
  failed.status('waits again'),

  orb.begin(),
  orb.page(),
  orb.take(),
  orb.answer('takes a proof of the device tree', { tree: 'device' }),
  orb.status('is refused', '"refused"'),
  orb.look('says that an orb is required'),

  unreadable.begin(),
  unreadable.page(),
  unreadable.take(),
  unreadable.answer('takes an answer that is no proof', {}, { proof: 1 }),
  unreadable.status('is refused', '"failed"'),
  unreadable.look('says so'),

  root.begin(),
  root.page(),
  root.take(),
  root.answer('takes a proof over an unknown root', { root: new Uint8Array(32).fill(1) }),
  root.status('is refused', '"failed"'),
  root.look('says so'),
];

/** Cases of authorization. */
export const SIGNIN_CASES: readonly WireCase[] = [
  ...DOCUMENTS,
  ...ALIASES,
  ...REFUSALS,
  ...STRANGERS,
  ...FLOWS,
  ...at('limited', [
    get('begins within the limit', `/authorize?${authorizationQuery({ prompt: 'none' })}`),
    get('limits authorization requests', `/authorize?${authorizationQuery({ prompt: 'none' })}`, [HTML]),
    get('limits them in JSON', `/authorize?${authorizationQuery({ prompt: 'none' })}`, [JSON_ACCEPT]),
    get('shows a page within the limit', NOBODY, [HTML]),
    get('limits pages in another language', NOBODY, [HTML, 'Accept-Language: de']),
    {
      ...get('limits pages', NOBODY, [HTML]),
      capture: { 'wait-page.js': /(\/signin\/assets\/wait-page\.[0-9a-f]{16}\.js)/ },
    },
    get('has a status within the limit', `${NOBODY}/status`),
    get('limits status calls', `${NOBODY}/status`),
  ]),
];

/** Cases that advance the clock of the services; they run after the cases that would expire. */
export const EXPIRY_CASES: readonly WireCase[] = [
  ...late.complete({}, codeOf('code that expires')),
  {
    ...postForm(
      'refuses a code that has expired',
      '/token',
      { grant_type: 'authorization_code', code: '{{code that expires code}}', redirect_uri: CALLBACK },
      ['Authorization: Basic {{web basic}}'],
    ),
    advanceSeconds: 600,
  },
  expired.begin(),
  expired.page(),
  expired.status('has expired after five minutes', '"expired"', { advanceSeconds: 301 }),
  expired.look('says so'),
  expired.press('begins another attempt', 'retry'),
  expired.page({ title: 'shows the page of the new attempt' }),
  { ...expired.look('is gone after fifteen minutes', { headers: [HTML] }), advanceSeconds: 900 },
  {
    ...get('refuses an access token that has expired', '/userinfo', [
      'Authorization: Bearer {{implicit access token}}',
    ]),
    advanceSeconds: 7200,
  },
];
