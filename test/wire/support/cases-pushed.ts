/** Pushed authorization requests, and their use. */
import { CHALLENGE } from './cases-signin.ts';
import { CALLBACK, CLIENTS } from './services.ts';
import { at, get, post, postForm, type WireCase } from './wire-case.ts';

type Fields = Readonly<Record<string, string>>;

const SHOP = 'Origin: https://shop.example';
const HTML = 'Accept: text/html';
const WEB = 'Authorization: Basic {{web basic}}';
const FORM = 'application/x-www-form-urlencoded';
const UNKNOWN = `urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}`;
const REQUEST = {
  client_id: CLIENTS.web,
  redirect_uri: CALLBACK,
  response_type: 'code',
  scope: 'openid',
  state: 'a state',
};

/** Builds the push of a request; empty fields are omitted. */
function push(title: string, fields: Fields = {}, headers: readonly string[] = [WEB]): WireCase {
  const given = Object.entries({ ...REQUEST, ...fields }).filter(([, value]) => value !== '');
  return postForm(title, '/par', Object.fromEntries(given), headers);
}

function use(
  title: string,
  reference: string,
  headers: readonly string[] = [],
  client = CLIENTS.web,
): WireCase {
  return get(title, `/authorize?client_id=${client}&request_uri=${reference}`, headers);
}

const REFUSED: readonly (readonly [name: string, fields: Fields])[] = [
  ['no client_id', { client_id: '' }],
  ['two client ids', { client_id: CLIENTS.native }],
  ['no redirect_uri', { redirect_uri: '' }],
  ['an unknown redirect_uri', { redirect_uri: 'https://shop.example/other' }],
  ['no response_type', { response_type: '' }],
  ['a scope without openid', { scope: 'email' }],
  ['an ID token without nonce', { response_type: 'id_token' }],
  ['a request object', { request: 'x' }],
  ['a reference', { request_uri: UNKNOWN }],
];

const COOKIE = 'Cookie: {{pushed cookie}}';
const BEGUN = {
  'pushed txn': /^Location: \S+\/authorize\/([A-Za-z0-9_-]{43})$/m,
  'pushed cookie': /^Set-Cookie: (__Host-pg_txn_[A-Za-z0-9_-]{16}=[A-Za-z0-9_-]{43});/m,
};
const REFERENCE = { reference: /"request_uri":"([^"]+)"/ };

/** Cases of `/par`, and of `/authorize` with a reference. */
export const PUSHED_CASES: readonly WireCase[] = [
  push('refuses a client without credentials', { client_id: '' }, []),
  push('refuses a client without its secret', {}, []),
  push('refuses a wrong secret', { client_secret: 'wrong' }, []),
  ...REFUSED.map(([name, fields]) => push(`refuses ${name}`, fields)),
  post('refuses a repeated state', '/par', FORM, 'state=a&state=b', [WEB]),
  post('refuses JSON', '/par', 'application/json', '{}', [WEB]),
  post('refuses a broken escape', '/par', FORM, 'state=%zz', [WEB]),
  post('refuses a large form', '/par', FORM, 'x'.repeat(32_769), [WEB]),
  get('refuses GET', '/par'),
  { title: 'answers to a preflight', request: { line: 'OPTIONS /par', headers: [SHOP] } },
  push(
    'takes the request of a public client',
    {
      client_id: CLIENTS.native,
      redirect_uri: 'com.example.shop:/cb',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    },
    [],
  ),
  { ...push('takes a request', {}, [WEB, SHOP]), capture: REFERENCE },
  use('refuses the reference of another client', '{{reference}}', [HTML], CLIENTS.native),
  { ...use('begins the sign-in of a reference', '{{reference}}', [HTML]), capture: BEGUN },
  use('leads the same browser to it when it comes again', '{{reference}}', [HTML, COOKIE]),
  use('begins a sign-in of its own in another browser', '{{reference}}', [HTML]),
  postForm('ends the sign-in', '/authorize/{{pushed txn}}/cancel', {}, [COOKIE]),
  get('sends its response', '/authorize/{{pushed txn}}/continue', [COOKIE]),
  use('leads the browser that has ended it to its response', '{{reference}}', [COOKIE]),
  use('refuses the reference in any other browser then', '{{reference}}', [HTML]),
  use('refuses it in JSON', '{{reference}}', ['Accept: application/json']),
  use('refuses an unknown reference', UNKNOWN, ['Accept: application/json']),
  get('asks for the client of a reference', `/authorize?request_uri=${UNKNOWN}`, [
    'Accept: application/json',
  ]),
  ...at('disabled', [post('has no such endpoint while sign-in is off', '/par', FORM, 'a=b')]),
];
