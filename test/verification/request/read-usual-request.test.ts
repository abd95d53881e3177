import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRequestParser, readRequest } from '../../../src/verification/request/parse-request.ts';
import { readUsualRequest } from '../../../src/verification/request/read-usual-request.ts';
import { createRequestChecks } from '../../../src/verification/request/request-schema.ts';
import type { VerifyRequest } from '../../../src/verification/request/request-types.ts';
import { casesOf } from '../../support/cases.ts';
import { SCHEMA_ROWS } from '../support/schema-rows.ts';
import { bodyOf, bytes, type Fields, itemOf, vector } from '../support/vectors.ts';

const MAX_RESPONSES = 4;
const entry = vector(0);
const checks = createRequestChecks(MAX_RESPONSES);
const parse = createRequestParser(MAX_RESPONSES);

/** Whether a body has the usual shape; expects that the schemas accept such a body, and that it reads the same. */
function isUsual(body: Fields): boolean {
  const request = readUsualRequest(body, MAX_RESPONSES);
  if (request === undefined) return false;
  expect(checks.body(body)).toEqual([]);
  expect(Boolean(body.action)).toBe(true);
  expect(Boolean(body.session_id)).toBe(false);
  for (const item of body.responses as readonly unknown[]) expect(checks.item(item)).toEqual([]);
  expect(plain(request)).toEqual(plain(readRequest(body)));
  return true;
}

const whole: Fields = bodyOf(entry, {
  action_description: 'why',
  environment: 'staging',
  session_id: '',
  integrity_bundle: {},
  extra: 1,
  responses: [itemOf(entry, { max_age: 7200, extra: 1 }), itemOf(entry, { identifier: 'secure_document' })],
});
/** Returns a request with its statements as hex, without the last word, which the verifier writes later. */
const plain = ({ items, ...rest }: VerifyRequest): unknown => ({
  ...rest,
  items: items.map(({ statement, ...item }) => ({
    ...item,
    statement:
      statement.code === undefined
        ? Buffer.from(statement.bytes.subarray(0, 352)).toString('hex')
        : statement,
  })),
});
const withItem = (changes: Fields): Fields => bodyOf(entry, { responses: [itemOf(entry, changes)] });

describe('bodies of the usual shape', () => {
  const bodies: [string, Fields][] = [
    ['required members only', bodyOf(entry)],
    ['all members and unknown ones', whole],
    ['an empty description', bodyOf(entry, { action_description: '' })],
    [
      'the maximum number of items',
      bodyOf(entry, { responses: new Array(MAX_RESPONSES).fill(itemOf(entry)) }),
    ],
    ['no signal_hash', withItem({ signal_hash: undefined })],
    ['upper-case digits', withItem({ nullifier: `0x${'A'.repeat(64)}`, signal_hash: `0x${'B'.repeat(64)}` })],
    ['the lower bound of max_age', withItem({ max_age: 3600 })],
    ['the upper bound of max_age', withItem({ max_age: 604_800 })],
    ...['orb', 'secure_document', 'document', 'device', 'face', 'selfie'].map(
      (identifier): [string, Fields] => [identifier, withItem({ identifier })],
    ),
  ];

  it.each(bodies)('include a body with %s, which the schemas accept', (_name, body) => {
    expect(isUsual(JSON.parse(JSON.stringify(body)))).toBe(true);
  });
});

/** Messages of rules that are not part of the schema. */
const TEXT_RULE = /must be at most 4096 bytes$|must not contain U\+0000/;

describe('bodies without the usual shape', () => {
  const others: [string, unknown][] = [
    ['null', null],
    ['an array', []],
    ['a string', 'x'],
    ['an empty object', {}],
    ['a description that is a number', { ...whole, action_description: 5 }],
    ['a session id', { ...whole, session_id: 'x' }],
    ['no action', { ...whole, action: undefined }],
    ['an item that is an array', bodyOf(entry, { responses: [[]] })],
    ['short words without a prefix', withItem({ nullifier: 'f', merkle_root: '0', signal_hash: '0x123' })],
    ['the prefix 0X', withItem({ signal_hash: `0X${'1'.repeat(64)}` })],
    ['white space after a word', withItem({ nullifier: `0x${'1'.repeat(63)} ` })],
    ['words that cannot be decoded', withItem({ proof: 'x', merkle_root: 'zz', nullifier: 'a'.repeat(66) })],
    ...SCHEMA_ROWS.filter(({ detail }) => !TEXT_RULE.test(detail)).map(
      ({ name, body }): [string, unknown] => [name, JSON.parse(JSON.stringify(body))],
    ),
  ];

  it.each(others)('include %s', (_name, body) => {
    expect(readUsualRequest(body, MAX_RESPONSES)).toBeUndefined();
  });
});

describe('the usual shape compared with the schemas', () => {
  const RUNS = casesOf(5000, 1000);
  const values = [
    ...[`0x${'f'.repeat(64)}`, `0x${'F'.repeat(64)}`, `0X${'1'.repeat(64)}`, `0x${'1'.repeat(63)} `],
    ...[null, true, false, 0, 1, 1.5, -1, 3600, 604_800, 604_801, 1e300, [], {}],
    ...['', '0', '0x', '0x1', '0X1', 'x', '3.0', '3', 'staging', 'orb', 'ORB', '\u0000', 'é', '\ud800'],
  ];
  const members = ['protocol_version', 'nonce', 'action', 'action_description', 'environment', 'session_id'];
  const itemMembers = ['identifier', 'merkle_root', 'nullifier', 'proof', 'signal_hash', 'max_age'];
  const change = (names: readonly string[]): fc.Arbitrary<Fields> =>
    fc.dictionary(fc.constantFrom(...names), fc.constantFrom(undefined, ...values), { maxKeys: 2 });

  it('is never found in a body that the schemas refuse', () => {
    let usual = 0;
    fc.assert(
      fc.property(
        change([...members, 'responses']),
        fc.array(fc.oneof(change(itemMembers), fc.constantFrom(...values)), { maxLength: MAX_RESPONSES + 1 }),
        (top, changes) => {
          const responses = changes.map((item) =>
            typeof item === 'object' && item !== null ? itemOf(entry, { ...item }) : item,
          );
          const text = JSON.stringify({ ...whole, responses, ...top });
          if (isUsual(JSON.parse(text))) usual++;
        },
      ),
      { numRuns: RUNS },
    );
    expect(usual).toBeGreaterThan(RUNS / 100);
  });
});

describe('bytes of a body', () => {
  it('are copied, so that later changes of the buffer have no effect', () => {
    const body = Buffer.from(bytes(whole));
    const request = parse(body);
    const before = plain(request);
    body.fill(0);
    expect(plain(request)).toEqual(before);
  });

  it.each([
    ['an escape', '"action":"t\\u0065sting"'],
    ['a repeated member, of which the last counts', '"action":"other","action":"testing"'],
  ])('may have %s', (_name, member) => {
    const text = JSON.stringify(whole).replace('"action":"testing"', member);
    expect(parse(Buffer.from(text)).action).toBe('testing');
  });

  it('may have white space everywhere, and members in any order', () => {
    const reversed = Object.fromEntries(Object.entries(whole).reverse());
    for (const text of [`\t\r\n ${JSON.stringify(whole, null, 2)}\n`, JSON.stringify(reversed)]) {
      expect(plain(parse(Buffer.from(text)))).toEqual(plain(parse(bytes(whole))));
    }
  });

  it('are refused when they are cut anywhere', () => {
    const text = JSON.stringify(whole);
    for (let length = 0; length < text.length; length++) {
      expect(() => parse(Buffer.from(text.slice(0, length)))).toThrow(
        expect.objectContaining({ code: 'verify.invalid_json' }),
      );
    }
  });

  it.each([
    ['a zero fraction', '7200.0', 7200],
    ['an exponent', '72e2', 7200],
  ])('may write max_age with %s', (_name, digits, seconds) => {
    const text = JSON.stringify(whole).replace('"max_age":7200', `"max_age":${digits}`);
    expect(parse(Buffer.from(text)).items[0]).toMatchObject({ maxAgeSeconds: seconds });
  });

  it.each(['{"max_age":07200}', '{}x', '{"a":1,}'])('are not JSON in %s', (text) => {
    expect(() => parse(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'verify.invalid_json' }));
  });
});
