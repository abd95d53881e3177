/** The wallet bridge, below its path and at the root. */
import { MESSAGES } from './services.ts';
import { at, get, post, postJson, type WireCase } from './wire-case.ts';

const NO_MESSAGE = { iv: '', payload: '' };
const [MESSAGE = NO_MESSAGE, OTHER = NO_MESSAGE] = MESSAGES;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ORIGIN = 'Origin: https://shop.example';
const REQUEST_ID = /"request_id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;

function put(title: string, target: string, value: unknown): WireCase {
  return {
    title,
    request: {
      line: `PUT ${target}`,
      headers: ['Content-Type: application/json'],
      body: JSON.stringify(value),
    },
  };
}

const head = (title: string, target: string): WireCase => ({ title, request: { line: `HEAD ${target}` } });

const COURSE: readonly WireCase[] = [
  {
    ...post('takes a request', '/bridge/request', 'application/json', JSON.stringify(MESSAGE), [ORIGIN]),
    capture: { 'bridge id': REQUEST_ID },
  },
  get('has no answer yet', '/bridge/response/{{bridge id}}'),
  head('has the request', '/bridge/request/{{bridge id}}'),
  put('lets the sender replace the request', '/bridge/request/{{bridge id}}', OTHER),
  get('gives the request', '/bridge/request/{{bridge id}}', [ORIGIN]),
  get('gives it once', '/bridge/request/{{bridge id}}'),
  head('has the request no more', '/bridge/request/{{bridge id}}'),
  get('knows that it was taken', '/bridge/response/{{bridge id}}'),
  head('has a status', '/bridge/response/{{bridge id}}'),
  put('takes the answer', '/bridge/response/{{bridge id}}', MESSAGE),
  put('takes one answer', '/bridge/response/{{bridge id}}', OTHER),
  get('gives the answer', '/bridge/response/{{bridge id}}'),
  get('gives the answer once', '/bridge/response/{{bridge id}}'),
  {
    ...postJson('takes an answer without a request', '/bridge/response', OTHER),
    capture: { 'bridge answer id': REQUEST_ID },
  },
  get('gives that answer', '/bridge/response/{{bridge answer id}}'),
  {
    ...postJson('takes a request at the root', '/request', MESSAGE),
    capture: { 'bridge root id': REQUEST_ID },
  },
  get('gives it below the path', '/bridge/request/{{bridge root id}}'),
  put('takes its answer at the root', '/response/{{bridge root id}}', OTHER),
  get('gives its answer at the root', '/response/{{bridge root id}}'),
  {
    ...post('takes any content type', '/bridge/request', 'text/plain', JSON.stringify(MESSAGE)),
    capture: { 'late bridge id': REQUEST_ID },
  },
];

const REFUSALS: readonly WireCase[] = [
  get('has no unknown request', `/bridge/request/${UNKNOWN}`),
  head('has no unknown request to look at', `/bridge/request/${UNKNOWN}`),
  get('has no status of an unknown request', `/bridge/response/${UNKNOWN}`),
  put('takes no answer to an unknown request', `/bridge/response/${UNKNOWN}`, MESSAGE),
  put('creates a request under an id that nobody has', `/bridge/request/${UNKNOWN}`, MESSAGE),
  get('refuses an id that is none', '/bridge/request/x'),
  get('takes an id in upper case', `/bridge/response/${UNKNOWN.toUpperCase()}`),
  ...(
    [
      ['a list', []],
      ['null', null],
      ['no iv', { payload: MESSAGE.payload }],
      ['no payload', { iv: MESSAGE.iv }],
      ['an iv of 11 bytes', { ...MESSAGE, iv: Buffer.alloc(11).toString('base64') }],
      ['an iv that is no base64', { ...MESSAGE, iv: '*'.repeat(16) }],
      ['a number as payload', { ...MESSAGE, payload: 1 }],
      ['an empty payload', { ...MESSAGE, payload: '' }],
      ['a member that it does not know', { ...MESSAGE, extra: 1 }],
    ] as const
  ).map(([name, value]) => postJson(`answers to ${name}`, '/bridge/request', value)),
  post('refuses text', '/bridge/request', 'application/json', '{'),
  post('refuses an empty body', '/bridge/response', 'application/json', ''),
  post('refuses a large message', '/bridge/request', 'application/json', 'x'.repeat(65_537)),
  get('refuses GET of all requests', '/bridge/request'),
  { title: 'refuses DELETE of a request', request: { line: `DELETE /bridge/request/${UNKNOWN}` } },
  {
    title: 'answers to a preflight',
    request: { line: 'OPTIONS /bridge/request', headers: [ORIGIN, 'Access-Control-Request-Method: POST'] },
  },
  { title: 'answers to OPTIONS of an answer', request: { line: `OPTIONS /bridge/response/${UNKNOWN}` } },
  get('has no other path below it', '/bridge/other', [ORIGIN]),
  get('has no page at its path', '/bridge', ['Accept: text/html']),
];

/** Cases of expiry, by the clock of the services. */
export const BRIDGE_EXPIRY_CASES: readonly WireCase[] = [
  { ...get('forgets a request after its time', '/bridge/request/{{late bridge id}}'), advanceSeconds: 1000 },
];

/** Cases of the bridge. */
export const BRIDGE_CASES: readonly WireCase[] = [
  ...COURSE,
  ...REFUSALS,
  ...at('production', [
    {
      ...postJson('takes a request below the path', '/auth/bridge/request', MESSAGE),
      capture: { 'production bridge id': REQUEST_ID },
    },
    put('replaces no request in production', '/auth/bridge/request/{{production bridge id}}', OTHER),
    postJson('is not at the root in production', '/request', MESSAGE),
  ]),
  ...at('limited', [
    get('answers within the limit', `/bridge/request/${UNKNOWN}`),
    get('limits calls', `/bridge/request/${UNKNOWN}`, [ORIGIN]),
  ]),
  ...at('disabled', [get('is not found where it is off', `/bridge/request/${UNKNOWN}`)]),
];
