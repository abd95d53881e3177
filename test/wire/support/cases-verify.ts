/** `POST /api/v4/verify/{rp_id}`. */
import example from '../../../circuits/semaphore-depth30/example.json' with { type: 'json' };
import proofs from '../../vectors/verify/proofs.json' with { type: 'json' };
import { CLIENTS } from './services.ts';
import { at, get, post, postJson, type WireCase } from './wire-case.ts';

type Item = Readonly<Record<string, unknown>>;

const RP = '/api/v4/verify/rp_47ac69c81397b357';
const EXAMPLE_RP = '/api/v4/verify/rp_319b46aa7eae89bf';
const JSON_TYPE = 'Content-Type: application/json';

const EXAMPLE_ITEM: Item = {
  identifier: 'orb',
  merkle_root: example.merkle_root,
  nullifier: example.nullifier_hash,
  proof: example.proof,
  signal_hash: example.signal_hash,
};
const EXAMPLE_BODY = {
  protocol_version: '3.0',
  nonce: '0x01',
  action: example.action,
  responses: [EXAMPLE_ITEM],
};

const vector = (index: number): (typeof proofs)[number] => proofs[index] as (typeof proofs)[number];

function itemOf(index: number, changes: Item = {}): Item {
  const { tree, merkle_root, nullifier_hash, proof, signal_hash } = vector(index);
  return { identifier: tree, merkle_root, nullifier: nullifier_hash, proof, signal_hash, ...changes };
}

function bodyOf(items: readonly unknown[], changes: Item = {}): Item {
  return { protocol_version: '3.0', nonce: '0x01', action: 'test-action', responses: items, ...changes };
}

/** Returns the body of the example with members replaced; undefined leaves one out. */
const withBody = (changes: Item): Item => ({ ...EXAMPLE_BODY, ...changes });
const withItem = (changes: Item): Item => withBody({ responses: [{ ...EXAMPLE_ITEM, ...changes }] });

const WORD = `0x${'1'.repeat(64)}`;
const R = '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001';

/** Returns the proof of the example with one word of 32 bytes replaced. */
function withWord(index: number, word: string): string {
  const words = example.proof.slice(2).match(/.{64}/g) ?? [];
  return `0x${words.map((text, at) => (at === index ? word : text)).join('')}`;
}

const ACCEPTED: readonly WireCase[] = [
  postJson('verifies the example proof', EXAMPLE_RP, EXAMPLE_BODY),
  postJson('reports the reuse of its nullifier', EXAMPLE_RP, EXAMPLE_BODY),
  { ...postJson('reports the first time of a reuse later', EXAMPLE_RP, EXAMPLE_BODY), advanceSeconds: 10 },
  postJson('takes the app id in the path', `/api/v4/verify/${example.app_id}`, EXAMPLE_BODY),
  postJson('takes an rp id in upper case', '/api/v4/verify/rp_319B46AA7EAE89BF', EXAMPLE_BODY),
  postJson('decodes the path once', '/api/v4/verify/%72p_319b46aa7eae89bf', EXAMPLE_BODY),
  postJson('takes a query', `${EXAMPLE_RP}?a=b`, EXAMPLE_BODY),
  post('takes any content type', EXAMPLE_RP, 'text/plain', JSON.stringify(EXAMPLE_BODY)),
  {
    title: 'takes no content type',
    request: { line: `POST ${EXAMPLE_RP}`, body: JSON.stringify(EXAMPLE_BODY) },
  },
  post('takes white space', EXAMPLE_RP, 'application/json', JSON.stringify(EXAMPLE_BODY, null, 2)),
  postJson('ignores members that it does not know', EXAMPLE_RP, withBody({ extra: { a: [1, null] } })),
  postJson('takes an integrity bundle', EXAMPLE_RP, withBody({ integrity_bundle: 'x' })),
  postJson('names an action in another script', EXAMPLE_RP, withBody({ action_description: 'Wählen ☃' })),
  postJson('takes a number as description', EXAMPLE_RP, withBody({ action_description: 12 })),
  postJson('takes the environment production', EXAMPLE_RP, withBody({ environment: 'production' })),
  postJson(
    'takes a root and a nullifier without prefix',
    EXAMPLE_RP,
    withItem({ merkle_root: example.merkle_root.slice(2), nullifier: example.nullifier_hash.slice(2) }),
  ),
  postJson(
    'takes words in upper case',
    EXAMPLE_RP,
    withItem({
      nullifier: `0x${example.nullifier_hash.slice(2).toUpperCase()}`,
      signal_hash: `0X${example.signal_hash.slice(2).toUpperCase()}`,
    }),
  ),
  postJson('takes the least max_age', EXAMPLE_RP, withItem({ max_age: 3600 })),
  {
    title: 'takes a chunked body',
    request: {
      line: `POST ${EXAMPLE_RP}`,
      headers: [JSON_TYPE, 'Transfer-Encoding: chunked'],
      body: `${JSON.stringify(EXAMPLE_BODY).length.toString(16)}\r\n${JSON.stringify(EXAMPLE_BODY)}\r\n0\r\n\r\n`,
    },
  },
  postJson('verifies a proof of another person', RP, bodyOf([itemOf(2)])),
  postJson('verifies a proof over a past root', RP, bodyOf([itemOf(1)])),
  postJson('verifies a proof of the device tree', RP, bodyOf([itemOf(5)], { action: 'device-action' })),
  postJson(
    'verifies the default signal',
    `/api/v4/verify/${CLIENTS.vectorsStaging}`,
    bodyOf([itemOf(3, { signal_hash: undefined })], { action: 'vote' }),
  ),
  postJson(
    'verifies a compressed proof',
    `/api/v4/verify/${CLIENTS.vectorsStaging}`,
    bodyOf([itemOf(4)], { action: 'vote' }),
  ),
  postJson(
    'verifies in the environment staging',
    `/api/v4/verify/${CLIENTS.vectorsStaging}`,
    bodyOf([itemOf(3, { signal_hash: undefined })], { action: 'vote', environment: 'staging' }),
  ),
  postJson('verifies two items', RP, bodyOf([itemOf(2), itemOf(1)])),
  postJson('verifies the same item twice', RP, bodyOf([itemOf(2), itemOf(2)])),
  postJson(
    'verifies one of two items',
    RP,
    bodyOf([itemOf(2), itemOf(1, { signal_hash: WORD.slice(0, 10) })]),
  ),
  postJson(
    'verifies one of three items, with another fault in each other one',
    RP,
    bodyOf([itemOf(2, { merkle_root: WORD }), itemOf(1), itemOf(2, { proof: '0x' })]),
  ),
];

const REFUSED_ITEMS: readonly WireCase[] = [
  ...(
    [
      ['an unknown root', { merkle_root: WORD }],
      ['a root of the wrong tree', { identifier: 'device' }],
      ['another signal', { signal_hash: WORD }],
      ['another nullifier', { nullifier: WORD }],
      ['a proof of 255 bytes', { proof: example.proof.slice(0, -2) }],
      ['a proof that is no hex', { proof: `0x${'g'.repeat(512)}` }],
      ['a proof of zeros', { proof: `0x${'0'.repeat(512)}` }],
      ['a point off its curve', { proof: withWord(1, '1'.padStart(64, '0')) }],
      ['a coordinate above the field', { proof: withWord(0, 'f'.repeat(64)) }],
      ['a point of G2 off its curve', { proof: withWord(4, '1'.padStart(64, '0')) }],
      ['a nullifier above the field', { nullifier: R }],
      ['a nullifier of 65 digits', { nullifier: `0x1${'0'.repeat(64)}` }],
      ['a root above the field', { merkle_root: R }],
      ['a root that is no hex', { merkle_root: 'orb' }],
      ['a signal hash above the field', { signal_hash: R }],
      ['a signal hash of 65 digits', { signal_hash: `0x1${'0'.repeat(64)}` }],
      ['a nullifier of 5,000 digits', { nullifier: '1'.repeat(5000) }],
    ] as const
  ).map(([name, changes]) => postJson(`refuses ${name}`, EXAMPLE_RP, withItem(changes))),
  postJson('refuses another action', EXAMPLE_RP, withBody({ action: 'another' })),
  postJson('refuses a root that is too old', RP, bodyOf([itemOf(0)])),
  postJson('refuses a past root by its max_age', RP, bodyOf([itemOf(1, { max_age: 3600 })])),
  postJson(
    'refuses two items, each for its fault',
    RP,
    bodyOf([itemOf(0), itemOf(2, { merkle_root: WORD })]),
  ),
  postJson('refuses a proof for another app', RP, withBody({})),
];

const SCHEMA: readonly WireCase[] = [
  ...(
    [
      ['a list as body', []],
      ['null as body', null],
      ['a text as body', 'text'],
      ['a number as body', 1],
      ['an empty object', {}],
      ['no protocol_version', withBody({ protocol_version: undefined })],
      ['protocol_version null', withBody({ protocol_version: null })],
      ['protocol_version 4.0', withBody({ protocol_version: '4.0' })],
      ['a number as protocol_version', withBody({ protocol_version: 3 })],
      ['no nonce', withBody({ nonce: undefined })],
      ['nonce null', withBody({ nonce: null })],
      ['an empty nonce', withBody({ nonce: '' })],
      ['a number as nonce', withBody({ nonce: 1 })],
      ['a long nonce', withBody({ nonce: 'x'.repeat(4097) })],
      ['no action', withBody({ action: undefined })],
      ['action null', withBody({ action: null })],
      ['an empty action', withBody({ action: '' })],
      ['a number as action', withBody({ action: 5 })],
      ['a long action', withBody({ action: 'ü'.repeat(2049) })],
      ['an action with U+0000', withBody({ action: 'a\0b' })],
      ['an action with half a surrogate pair', withBody({ action: 'a\ud800' })],
      ['action_description null', withBody({ action_description: null })],
      ['a list as action_description', withBody({ action_description: [1] })],
      ['a long action_description', withBody({ action_description: 'x'.repeat(4097) })],
      ['another environment', withBody({ environment: 'dev' })],
      ['environment null', withBody({ environment: null })],
      ['a session', withBody({ session_id: 'session_1' })],
      ['session_id null', withBody({ session_id: null })],
      ['an object as session_id', withBody({ session_id: { a: 1 } })],
      ['no responses', withBody({ responses: undefined })],
      ['responses null', withBody({ responses: null })],
      ['an object as responses', withBody({ responses: { 0: EXAMPLE_ITEM } })],
      ['no items', withBody({ responses: [] })],
      ['too many items', withBody({ responses: Array(9).fill(EXAMPLE_ITEM) })],
      ['null as item', withBody({ responses: [null] })],
      ['a text as item', withBody({ responses: ['x'] })],
      ['an empty second item', withBody({ responses: [EXAMPLE_ITEM, {}] })],
      ['another identifier', withItem({ identifier: 'face2' })],
      ['identifier null', withItem({ identifier: null })],
      ['no merkle_root', withItem({ merkle_root: undefined })],
      ['a number as merkle_root', withItem({ merkle_root: 1 })],
      ['an empty nullifier', withItem({ nullifier: '' })],
      ['a nullifier that is no hex', withItem({ nullifier: 'xyz' })],
      ['an object as nullifier', withItem({ nullifier: {} })],
      ['no proof', withItem({ proof: undefined })],
      ['a list as proof', withItem({ proof: ['0x1'] })],
      ['signal_hash null', withItem({ signal_hash: null })],
      ['signal_hash without prefix', withItem({ signal_hash: 'ab' })],
      ['signal_hash without digits', withItem({ signal_hash: '0x' })],
      ['an empty signal_hash', withItem({ signal_hash: '' })],
      ['a number as signal_hash', withItem({ signal_hash: 1 })],
      ['a signal_hash that is no hex', withItem({ signal_hash: '0xxyz' })],
      ['a small max_age', withItem({ max_age: 3599 })],
      ['a large max_age', withItem({ max_age: 604_801 })],
      ['a broken max_age', withItem({ max_age: 3600.5 })],
      ['a text as max_age', withItem({ max_age: '3600' })],
      ['max_age null', withItem({ max_age: null })],
      ['several faults of one item', withBody({ responses: [{ max_age: 'x', signal_hash: 1 }] })],
    ] as const
  ).map(([name, value]) => postJson(`refuses ${name}`, EXAMPLE_RP, value)),
];

const EXAMPLE_TEXT = JSON.stringify(EXAMPLE_BODY);

const TEXTS: readonly WireCase[] = [
  ...(
    [
      ['an empty body', ''],
      ['half a body', EXAMPLE_TEXT.slice(0, -5)],
      ['text behind the body', `${EXAMPLE_TEXT}x`],
      ['a byte order mark', `\ufeff${EXAMPLE_TEXT}`],
      ['a form', 'a=b'],
      ['broken UTF-8', Buffer.concat([Buffer.from('{"nonce":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}')])],
      ['a comment', `/* */${EXAMPLE_TEXT}`],
      ['a single quote', "{'a':1}"],
      ['an open nesting', '['.repeat(2000)],
      ['a deep nesting', `${'['.repeat(2000)}${']'.repeat(2000)}`],
      ['an infinite max_age', EXAMPLE_TEXT.replace('"identifier"', '"max_age":1e400,"identifier"')],
      ['__proto__ in place of members', '{"__proto__":{"nonce":"1","action":"a"}}'],
    ] as const
  ).map(([name, body]) => post(`answers to ${name}`, EXAMPLE_RP, 'application/json', body)),
  post(
    'takes the last of two members of one name',
    EXAMPLE_RP,
    'application/json',
    EXAMPLE_TEXT.replace('"nonce"', '"nonce":5,"nonce"'),
  ),
  post(
    'refuses the last of two members of one name',
    EXAMPLE_RP,
    'application/json',
    EXAMPLE_TEXT.replace('"responses"', '"nonce":"","responses"'),
  ),
  post(
    'takes the last of two proofs of an item',
    EXAMPLE_RP,
    'application/json',
    EXAMPLE_TEXT.replace('"proof"', '"proof":1,"proof"'),
  ),
  post(
    'takes names with escapes',
    EXAMPLE_RP,
    'application/json',
    EXAMPLE_TEXT.replace('"nonce"', '"\\u006eonce"'),
  ),
  post('takes the largest body', EXAMPLE_RP, 'application/json', EXAMPLE_TEXT.padEnd(262_144)),
  post(
    'refuses a body that is one byte larger',
    EXAMPLE_RP,
    'application/json',
    EXAMPLE_TEXT.padEnd(262_145),
  ),
  {
    title: 'refuses a large body by its announcement',
    request: { line: `POST ${EXAMPLE_RP}`, headers: [JSON_TYPE, 'Content-Length: 9999999'], body: '{' },
  },
];

const PATHS: readonly WireCase[] = [
  ...(
    [
      ['an id of another kind', '/api/v4/verify/abc'],
      ['an rp id of 15 digits', '/api/v4/verify/rp_319b46aa7eae89b'],
      ['an unknown rp id', '/api/v4/verify/rp_0000000000000000'],
      ['an unknown app id', `/api/v4/verify/app_${'0'.repeat(32)}`],
      ['a long app id', `/api/v4/verify/app_${'0'.repeat(130)}`],
      ['an app that verifies nothing', `/api/v4/verify/${CLIENTS.unregistered}`],
      ['an app that is not active yet', `/api/v4/verify/${CLIENTS.inactive}`],
      ['a disabled app', `/api/v4/verify/${CLIENTS.disabled}`],
      ['an escape that is none', '/api/v4/verify/%zz'],
      ['an escape that is no UTF-8', '/api/v4/verify/%ff'],
      ['an escaped slash', '/api/v4/verify/rp_319b46aa7eae89bf%2f'],
      ['an escaped U+0000', '/api/v4/verify/rp_319b46aa7eae89bf%00'],
      ['a path encoded twice', '/api/v4/verify/%2572p_319b46aa7eae89bf'],
      ['no id', '/api/v4/verify/'],
      ['no id and no slash', '/api/v4/verify'],
      ['a slash at the end', `${EXAMPLE_RP}/`],
      ['a doubled slash', '/api//v4/verify/rp_319b46aa7eae89bf'],
      ['another version', '/api/v3/verify/rp_319b46aa7eae89bf'],
      ['upper case', '/API/v4/verify/rp_319b46aa7eae89bf'],
      ['a dot segment', '/api/v4/./verify/rp_319b46aa7eae89bf'],
      ['a byte that is not ASCII', '/api/v4/verify/rp_\xe9'],
    ] as const
  ).map(([name, target]) => postJson(`answers to a path with ${name}`, target, EXAMPLE_BODY)),
  postJson('looks at the body before the id', '/api/v4/verify/abc', {}),
  get('refuses GET', EXAMPLE_RP),
  ...['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'post', 'PROPFIND'].map(
    (method): WireCase => ({
      title: `answers to the method ${method}`,
      request: { line: `${method} ${EXAMPLE_RP}` },
    }),
  ),
  {
    title: 'answers to a preflight without CORS headers',
    request: {
      line: `OPTIONS ${EXAMPLE_RP}`,
      headers: ['Origin: https://shop.example', 'Access-Control-Request-Method: POST'],
    },
  },
  get('answers to GET of an unknown path below it', '/api/v4/nothing'),
  get('answers to a browser at an unknown path below it', '/api/v4/nothing', ['Accept: text/html']),
  { title: 'answers to HEAD of an unknown path below it', request: { line: 'HEAD /api/v4/nothing' } },
];

/** Cases of the verification interface. */
export const VERIFY_CASES: readonly WireCase[] = [
  ...ACCEPTED,
  ...REFUSED_ITEMS,
  ...SCHEMA,
  ...TEXTS,
  ...PATHS,
  ...at('limited', [
    postJson(
      'answers to a body over the configured limit',
      EXAMPLE_RP,
      withBody({ extra: 'x'.repeat(1000) }),
    ),
  ]),
  ...at('disabled', [postJson('is not found where it is off', EXAMPLE_RP, EXAMPLE_BODY)]),
  ...at('production', [
    postJson(
      'answers below the path of its address',
      '/verifier/api/v4/verify/rp_319b46aa7eae89bf',
      EXAMPLE_BODY,
    ),
    postJson('does not answer at the root then', EXAMPLE_RP, EXAMPLE_BODY),
    postJson('has no example app in production', `/verifier/api/v4/verify/${example.app_id}`, EXAMPLE_BODY),
    get('answers to unknown paths below its address', '/verifier/api/v4/nothing'),
  ]),
];
