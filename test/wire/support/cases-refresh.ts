/** `POST /api/v1/refresh`, its challenge, and the keys that sign credentials. */

import { type FormFields, multipart, type RefreshCallOptions } from '../../support/refresh/client.ts';
import { makePackage } from '../../support/refresh/custody-package.ts';
import { base64Json, testHolder } from '../../support/refresh/holder.ts';
import { CLIENTS, type Services } from './services.ts';
import { at, get, post, type WireCase } from './wire-case.ts';

/** How a request differs from a complete one. */
interface Changes extends RefreshCallOptions {
  readonly holder?: string;
  /** Name of the holder whose sub is sent, if it differs from `holder`. */
  readonly sub?: string;
  readonly query?: string;
  /** Parts of the form; undefined leaves one out. */
  readonly parts?: Readonly<Record<string, string | Uint8Array | undefined>>;
  readonly contentType?: string;
  /** Replaces the generated proof header; empty for none. */
  readonly header?: string;
  readonly headers?: readonly string[];
  readonly edit?: (body: Buffer) => Uint8Array;
  readonly path?: string;
  readonly withChallenge?: string;
}

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

/** Builds a request of a holder whose proof header is made when the request is sent. */
function refresh(title: string, changes: Changes = {}): WireCase {
  const holder = testHolder(changes.holder ?? 'alice', changes.sub ?? changes.holder ?? 'alice');
  const fields: Record<string, string | Uint8Array> = {};
  const parts = { sub: hex(holder.sub), ...changes.package, ...changes.parts };
  for (const [name, value] of Object.entries(parts)) if (value !== undefined) fields[name] = value;
  const form = multipart(fields as FormFields);
  const contentType = changes.contentType ?? form.contentType;
  const query = changes.query ?? `?idComm=${hex(holder.idComm)}`;
  const variable = `refresh header: ${title}`;
  const proves = changes.header === undefined;
  return {
    title,
    prepare: async ({ headers, variables }: Services) => {
      const preImage =
        changes.withChallenge && Buffer.from(variables.get(changes.withChallenge).slice(2), 'hex');
      const options = preImage ? { ...changes, preImage } : changes;
      if (proves) variables.set(variable, await headers.header(holder, options));
    },
    request: {
      line: `POST ${changes.path ?? '/api/v1/refresh'}${query}`,
      headers: [
        ...(contentType === '' ? [] : [`Content-Type: ${contentType}`]),
        ...(changes.header === '' ? [] : [`x-zkp-proof: ${changes.header ?? `{{${variable}}}`}`]),
        ...(changes.headers ?? []),
      ],
      body: changes.edit?.(Buffer.from(form.body)) ?? form.body,
    },
  };
}

const PACKAGE = makePackage().fields;
const packaged = (title: string, parts: NonNullable<Changes['parts']>): WireCase =>
  refresh(title, { holder: 'packaged', package: PACKAGE, parts });

const DOCUMENTS: readonly WireCase[] = ['/api/v1/issuer-keys', '/api/v1/challenge'].flatMap((path) => [
  get(`gives ${path}`, path, ['Origin: https://shop.example']),
  { title: `gives the head of ${path}`, request: { line: `HEAD ${path}` } },
  { title: `answers to OPTIONS of ${path}`, request: { line: `OPTIONS ${path}` } },
  { title: `refuses POST of ${path}`, request: { line: `POST ${path}`, body: '' } },
  get(`has nothing at ${path}/x`, `${path}/x`),
]);

const ISSUED: readonly WireCase[] = [
  refresh('issues a credential'),
  refresh('issues the same again'),
  { ...refresh('issues a later one'), advanceSeconds: 60 },
  refresh('issues one with a custody package', { holder: 'packaged', package: PACKAGE }),
  refresh('keeps an encrypted user id', { holder: 'bob', parts: { encrypted_user_id: 'user 1' } }),
  refresh('ignores parts that it does not know', { holder: 'bob', parts: { own: 'x' } }),
  refresh('refuses another sub of the holder', { sub: 'another' }),
  refresh('refuses a holder who did not enrol', { holder: 'nobody' }),
  refresh('refuses a holder whose enrolment was revoked', { holder: 'revoked' }),
  refresh('issues the fourth'),
  refresh('issues the fifth'),
  refresh('refuses more than five a day'),
];

const BROKEN_HEADERS: readonly (readonly [name: string, header: string])[] = [
  ['no header', ''],
  ['a header that is no base64', '{"proof":"0x"}'],
  ['a header of no JSON', 'AAAA'],
  ['a header with a list', base64Json([])],
  ['a header with no members', base64Json({})],
  ['a long header', 'A'.repeat(3073)],
];

const REFUSALS: readonly WireCase[] = [
  refresh('refuses no content type', { contentType: '' }),
  refresh('refuses JSON', { contentType: 'application/json' }),
  refresh('refuses another multipart', { contentType: 'multipart/mixed; boundary=b' }),
  refresh('refuses two content types', { headers: ['Content-Type: text/plain'] }),
  refresh('refuses a form without its boundary', { contentType: 'multipart/form-data' }),
  refresh('refuses an empty body', { edit: () => Buffer.alloc(0) }),
  refresh('refuses half a body', { edit: (body) => body.subarray(0, -6) }),
  refresh('refuses text for a form', { edit: () => Buffer.from('sub=0x1') }),
  refresh('refuses a long encrypted user id', { parts: { encrypted_user_id: 'x'.repeat(4097) } }),
  refresh('refuses a user id of broken UTF-8', { parts: { encrypted_user_id: Buffer.of(0xc3, 0x28) } }),
  refresh('refuses 65 parts', {
    parts: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`own_${index}`, 'x'])),
  }),
  refresh('refuses no sub', { parts: { sub: undefined } }),
  refresh('refuses a sub of zero', { parts: { sub: '0x0' } }),
  refresh('refuses a sub without prefix', { parts: { sub: '1a2b3c' } }),
  refresh('refuses a sub above the field', {
    parts: { sub: '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001' },
  }),
  refresh('refuses no idComm', { query: '' }),
  refresh('refuses an empty idComm', { query: '?idComm=' }),
  refresh('refuses an idComm of zero', { query: '?idComm=0x0' }),
  refresh('refuses two idComm', { query: '?idComm=0x1&idComm=0x2' }),
  refresh('refuses an idComm that is no hex', { query: '?idComm=%30xzz' }),
  ...BROKEN_HEADERS.map(([name, header]) => refresh(`refuses ${name}`, { header })),
  refresh('refuses two proof headers', { headers: ['x-zkp-proof: AAAA'] }),
  refresh('refuses a number as proof', { members: { proof: 1 } }),
  refresh('refuses a proof of 511 digits', { members: { proof: `0x${'1'.repeat(511)}` } }),
  refresh('refuses a nullifier hash that is none', { members: { nullifierHash: '0xg' } }),
  refresh('refuses a false proof', { isFalse: true }),
  refresh('refuses a proof for another idComm', { query: '?idComm=0x1a2b3c' }),
  refresh('refuses a proof for another sub', { parts: { sub: '0x1a2b3c' } }),
  refresh('refuses another external nullifier', { externalNullifier: 'proofgate-other' }),
  refresh('refuses points that are none', { members: { proof: `0x${'1'.repeat(512)}` } }),
  packaged('refuses half a package', { 'hashes.json': undefined }),
  packaged('refuses a changed value', { operator_id: 'somebody else' }),
  packaged('refuses a changed salt', { orb_country_salt: 'x' }),
  packaged('refuses a changed share', { iris_code_shares_1: 'x' }),
  packaged('refuses a long value', { signup_id: 'x'.repeat(257) }),
  packaged('refuses a manifest that is no JSON', { 'hashes.json': '{' }),
  packaged('refuses a signature that is none', { 'hashes.sign': 'x' }),
  packaged('refuses another signature', { 'hashes.sign': makePackage({ seed: 'another' }).signature }),
  refresh('refuses the package of another signup', {
    holder: 'packaged',
    package: makePackage({ seed: 'another' }).fields,
  }),
  refresh('refuses a signup reason that is not taken', {
    holder: 'packaged',
    package: makePackage({ values: { signup_reason: 'DEBUG' } }).fields,
  }),
  get('refuses GET', '/api/v1/refresh'),
  { title: 'refuses HEAD', request: { line: 'HEAD /api/v1/refresh' } },
  {
    title: 'answers to OPTIONS',
    request: { line: 'OPTIONS /api/v1/refresh', headers: ['Origin: https://shop.example'] },
  },
  post('has no path below it', '/api/v1/refresh/', 'application/json', '{}'),
  get('has no other path of its version', '/api/v1/', ['Accept: text/html']),
  refresh('refuses a body over its limit by its announcement', {
    edit: () => Buffer.from('--'),
    headers: ['Content-Length: 1048577'],
  }),
];

const CHALLENGE = /"challenge":"(0x[0-9a-f]+)"/;
const BELOW = '/issuer/api/v1';

/** Cases of credential refresh. */
export const REFRESH_CASES: readonly WireCase[] = [
  ...DOCUMENTS,
  ...ISSUED,
  ...REFUSALS,
  ...at('production', [
    get('gives the issuer keys below the path of its address', `${BELOW}/issuer-keys`),
    { ...get('gives a challenge', `${BELOW}/challenge`), capture: { challenge: CHALLENGE } },
    refresh('asks for a proof over a challenge', { path: `${BELOW}/refresh` }),
    refresh('refuses a proof over a challenge under another key', {
      path: `${BELOW}/refresh`,
      withChallenge: 'challenge',
    }),
    refresh('refuses a challenge that was used', { path: `${BELOW}/refresh`, withChallenge: 'challenge' }),
    get('is not at the root then', '/api/v1/issuer-keys'),
  ]),
  ...at('limited', [
    {
      ...get('gives a challenge within the limit', '/api/v1/challenge'),
      capture: { 'limited challenge': CHALLENGE },
    },
    refresh('issues a credential over the challenge', {
      holder: 'limited',
      withChallenge: 'limited challenge',
    }),
    refresh('limits proofs of an address', { holder: 'limited' }),
    get('limits challenges of an address', '/api/v1/challenge'),
  ]),
  ...at('disabled', [
    refresh('refuses while it is off', { header: '' }),
    get('gives the issuer keys while it is off', '/api/v1/issuer-keys'),
    get('gives no challenge while it is off', '/api/v1/challenge'),
  ]),
  get('is unlike the app of a client', `/api/v1/${CLIENTS.web}`),
];
