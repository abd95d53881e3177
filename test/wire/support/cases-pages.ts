/** Landing page, pages for unknown paths, and the demo and wallet of development. */
import { at, get, post, postForm, postJson, type WireCase } from './wire-case.ts';

const HTML = 'Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const COMMITMENT = `0x${'0'.repeat(62)}2a`;
const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'pt'];

const LANDING: readonly WireCase[] = [
  get('gives clients a document', '/'),
  get('gives clients a document that they ask for', '/', ['Accept: application/json']),
  get('gives a document where both weigh the same', '/', ['Accept: text/html;q=0.5, application/json;q=0.5']),
  ...LANGUAGES.map((language) =>
    get(`gives browsers a page in the language ${language}`, '/', [HTML, `Accept-Language: ${language}`]),
  ),
  { title: 'gives the head of the page', request: { line: 'HEAD /', headers: [HTML] } },
  { title: 'refuses POST of the page', request: { line: 'POST /', headers: [HTML], body: '' } },
  { title: 'answers to OPTIONS of the page', request: { line: 'OPTIONS /' } },
];

const UNKNOWN: readonly WireCase[] = [
  get('answers clients in JSON', '/nothing'),
  ...LANGUAGES.map((language) =>
    get(`answers browsers in the language ${language}`, '/nothing', [HTML, `Accept-Language: ${language}`]),
  ),
  ...[
    '/api/nothing',
    '/.well-known/nothing',
    '/v1/nothing',
    '/wallet/api/nothing',
    '/userinfo/x',
    '/jwks/x',
  ].map((path) => get(`answers browsers in JSON at ${path}`, path, [HTML])),
  { title: 'answers to HEAD', request: { line: 'HEAD /nothing', headers: [HTML] } },
  { title: 'answers to POST', request: { line: 'POST /nothing', headers: [HTML], body: 'x' } },
  { title: 'answers to OPTIONS', request: { line: 'OPTIONS /nothing' } },
  ...['//', '/%2e%2e/', '/..%2f', '/index.html', '/favicon.ico/', '/%00', '/a?b=%zz', '/%'].map((path) =>
    get(`answers at ${path}`, path, [HTML]),
  ),
];

const DEMO: readonly WireCase[] = [
  get('shows the demo', '/demo', [HTML]),
  { title: 'gives the head of the demo', request: { line: 'HEAD /demo' } },
  get('has no demo with a slash', '/demo/', [HTML]),
  get('shows where responses of the demo arrive', '/demo/callback?code=x&state=y'),
  postForm('puts a posted response into the page', '/demo/callback', { code: '"<&', state: 's', other: 'x' }),
  post('refuses a posted response in JSON', '/demo/callback', 'application/json', '{}'),
  post('refuses a broken form', '/demo/callback', 'application/x-www-form-urlencoded', 'code=%zz'),
  { title: 'refuses PUT of the demo', request: { line: 'PUT /demo', body: '' } },
];

const WALLET: readonly WireCase[] = [
  get('shows the wallet', '/wallet', [HTML]),
  { title: 'gives the head of the wallet', request: { line: 'HEAD /wallet' } },
  get('lists the apps', '/wallet/api/apps'),
  get('tells that there is no circuit', '/wallet/api/circuit'),
  get('is not enrolled yet', `/wallet/api/inclusion-proof?tree=orb&commitment=${COMMITMENT}`),
  postJson('enrols', '/wallet/api/enroll', { tree: 'orb', commitment: COMMITMENT }),
  postJson('enrols once', '/wallet/api/enroll', { tree: 'orb', commitment: COMMITMENT }),
  postJson('enrols in the other tree', '/wallet/api/enroll', { tree: 'device', commitment: COMMITMENT }),
  get('gives the inclusion proof', `/wallet/api/inclusion-proof?tree=orb&commitment=${COMMITMENT}`),
  postJson('refuses an unknown tree', '/wallet/api/enroll', { tree: 'face', commitment: COMMITMENT }),
  postJson('refuses no commitment', '/wallet/api/enroll', { tree: 'orb' }),
  postJson('refuses a commitment of zero', '/wallet/api/enroll', { tree: 'orb', commitment: '0x0' }),
  post('refuses text', '/wallet/api/enroll', 'application/json', '{'),
  post('refuses a form', '/wallet/api/enroll', 'application/x-www-form-urlencoded', 'a=b'),
  post('refuses a large body', '/wallet/api/enroll', 'application/json', ' '.repeat(1025)),
  get('refuses a repeated tree', `/wallet/api/inclusion-proof?tree=orb&tree=orb&commitment=${COMMITMENT}`),
  get('refuses no query', '/wallet/api/inclusion-proof'),
  {
    title: 'allows nothing to another origin',
    request: { line: 'OPTIONS /wallet/api/enroll', headers: ['Origin: https://shop.example'] },
  },
  get('has no witness code', '/wallet/circuit/semaphore-depth30.wasm'),
  get('has no proving key', '/wallet/circuit/semaphore-depth30.zkey'),
];

/** Cases of pages. */
export const PAGE_CASES: readonly WireCase[] = [
  ...LANDING.map((each) => ({ ...each, title: `landing: ${each.title}` })),
  ...UNKNOWN.map((each) => ({ ...each, title: `unknown path: ${each.title}` })),
  ...DEMO.map((each) => ({ ...each, title: `demo: ${each.title}` })),
  ...WALLET.map((each) => ({ ...each, title: `wallet: ${each.title}` })),
  ...at('production', [
    get('production: gives clients a document', '/'),
    get('production: gives browsers a page', '/auth', [HTML]),
    get('production: gives the page with a slash', '/auth/', [HTML, 'Accept-Language: de']),
    get('production: shows an unknown path', '/auth/nothing', [HTML]),
    get('production: shows a refused request', '/auth/authorize', [HTML]),
    get('production: has no demo', '/auth/demo', [HTML]),
    get('production: has no wallet', '/auth/wallet', [HTML]),
    postJson('production: enrols nobody', '/auth/wallet/api/enroll', { tree: 'orb', commitment: COMMITMENT }),
  ]),
  ...at('disabled', [
    get('disabled: gives clients a document', '/'),
    get('disabled: gives browsers a page', '/', [HTML]),
    get('disabled: has no demo', '/demo', [HTML]),
    get('disabled: shows the wallet', '/wallet', [HTML]),
  ]),
];
