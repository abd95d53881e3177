import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGeneralParser } from '../../../src/verification/request/parse-request.ts';
import { createCommonReader } from '../../../src/verification/request/read-common-request.ts';
import type { VerifyRequest } from '../../../src/verification/request/request-types.ts';
import { SCHEMA_ROWS } from '../support/schema-rows.ts';
import { bodyOf, bytes, type Fields, itemOf, vector } from '../support/vectors.ts';

const MAX_RESPONSES = 4;
const entry = vector(0);
const readCommon = createCommonReader(MAX_RESPONSES);
const parseAny = createGeneralParser(MAX_RESPONSES);

/** A request with its bytes as text, so that two readers can be compared. */
function plain({ items, ...rest }: VerifyRequest): unknown {
  const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');
  return {
    ...rest,
    items: items.map(({ statement, ...item }) => ({
      ...item,
      statement:
        // the last word is written later
        statement.code === undefined ? hex(statement.bytes.subarray(0, 352)) : statement,
    })),
  };
}

/** Whether the quick reader takes a body; if it does, both readers must say the same. */
function takes(body: Uint8Array): boolean {
  const request = readCommon(body);
  if (request === undefined) return false;
  expect(plain(request)).toEqual(plain(parseAny(body)));
  return true;
}

const whole: Fields = {
  ...bodyOf(entry, {
    action_description: 'why',
    environment: 'staging',
    responses: [itemOf(entry, { max_age: 7200 }), itemOf(entry, { identifier: 'secure_document' })],
  }),
};
/** The words and the proof of an item in upper-case digits. */
const upperCase = (prefix: string): Fields => {
  const upper = (text: string): string => prefix + text.slice(2).toUpperCase();
  return {
    proof: upper(entry.proof),
    nullifier: upper(entry.nullifier_hash),
    merkle_root: upper(entry.merkle_root),
    signal_hash: upper(entry.signal_hash),
  };
};
const withItem = (changes: Fields): Uint8Array =>
  bytes(bodyOf(entry, { responses: [itemOf(entry, changes)] }));

describe('bodies that the quick reader takes', () => {
  const bodies: [string, Uint8Array][] = [
    ['the least', bytes(bodyOf(entry))],
    ['all members', bytes(whole)],
    ['white space everywhere', Buffer.from(`\t\r\n ${JSON.stringify(whole, null, 2)}\n`)],
    ['another order', bytes(Object.fromEntries(Object.entries(whole).reverse()))],
    ['an empty description', bytes(bodyOf(entry, { action_description: '' }))],
    ['texts of 4,096 bytes', bytes(bodyOf(entry, { action: 'a'.repeat(4096), nonce: 'n'.repeat(4096) }))],
    ['the most items', bytes(bodyOf(entry, { responses: new Array(MAX_RESPONSES).fill(itemOf(entry)) }))],
    ['no signal_hash', withItem({ signal_hash: undefined })],
    ['short words', withItem({ nullifier: '0xf', merkle_root: '0', signal_hash: '0x123' })],
    ['words without a prefix', withItem({ nullifier: 'AbC', merkle_root: 'f'.repeat(64) })],
    ['upper-case digits', withItem(upperCase('0x'))],
    ['the bounds of max_age', withItem({ max_age: 3600 })],
    ['the upper bound of max_age', withItem({ max_age: 604_800 })],
    ...['orb', 'secure_document', 'document', 'device', 'face', 'selfie'].map(
      (identifier): [string, Uint8Array] => [identifier, withItem({ identifier })],
    ),
  ];

  it.each(bodies)('%s', (_name, body) => {
    expect(takes(body)).toBe(true);
  });

  it('have the texts of their own, whatever came before', () => {
    const texts = ['a', 'a', 'b', 'ab', 'a', 'A', ''];
    for (const action of texts.filter((text) => text !== '')) {
      for (const action_description of [...texts, ...texts]) {
        expect(takes(bytes(bodyOf(entry, { action, action_description })))).toBe(true);
      }
    }
  });

  it('are not kept: other bytes in the same place change nothing', () => {
    const body = Buffer.from(bytes(whole));
    const request = readCommon(body);
    const before = request && plain(request);
    body.fill(0);
    expect(request && plain(request)).toEqual(before);
  });
});

describe('bodies that the quick reader leaves to the other', () => {
  const text = JSON.stringify(whole);
  const left: [string, Uint8Array][] = [
    ['an unknown member', bytes({ ...whole, extra: 1 })],
    ['an integrity bundle', bytes({ ...whole, integrity_bundle: {} })],
    ['a session id', bytes({ ...whole, session_id: '' })],
    ['a member twice', Buffer.from(text.replace('{', '{"nonce":"0x02",'))],
    ['a member of an item twice', Buffer.from(text.replace('"max_age"', '"identifier":"face","max_age"'))],
    ['an unknown member of an item', withItem({ extra: 1 })],
    ['an escape', Buffer.from(text.replace('"action":"testing"', '"action":"t\\u0065sting"'))],
    ['a character beyond ASCII', bytes({ ...whole, action: 'é' })],
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])],
    ['a description that is a number', bytes({ ...whole, action_description: 5 })],
    ['a nested proof', withItem({ proof: '[["0x1","0x2"],[["0x1","0x2"],["0x1","0x2"]],["0x1","0x2"]]' })],
    ['a proof with 0X', withItem({ proof: `0X${entry.proof.slice(2)}` })],
    ['0X everywhere but in the nullifier', withItem({ ...upperCase('0X'), nullifier: '0x1' })],
    ['white space in a root', withItem({ merkle_root: ' 0x1' })],
    ['a nullifier of 66 digits', withItem({ nullifier: `0x${'1'.repeat(66)}` })],
    ['a signal_hash with 0X', withItem({ signal_hash: '0XAB' })],
    ['a signal_hash without a prefix', withItem({ signal_hash: 'ab' })],
    ['a signal_hash of 65 digits', withItem({ signal_hash: `0x${'A'.repeat(65)}` })],
    ['max_age with an exponent', Buffer.from(text.replace('7200', '72e2'))],
    ['max_age with a fraction of nothing', Buffer.from(text.replace('7200', '7200.0'))],
    ['max_age with a leading zero', Buffer.from(text.replace('7200', '07200'))],
    ['something after the end', Buffer.from(`${text}x`)],
    ['a comma before the end', Buffer.from(text.replace(/}$/, ',}'))],
    ['an empty object', Buffer.from('{}')],
    ['nothing', Buffer.alloc(0)],
    ...SCHEMA_ROWS.map(({ name, body }): [string, Uint8Array] => [name, bytes(body)]),
  ];

  it.each(left)('%s', (_name, body) => {
    expect(readCommon(body)).toBeUndefined();
  });

  it('one cut anywhere', () => {
    for (let length = 0; length < text.length; length++) {
      expect(readCommon(Buffer.from(text.slice(0, length)))).toBeUndefined();
    }
  });
});

describe('hex digits of either case', () => {
  it('are the same words to both readers', () => {
    const wordsOf = (request: VerifyRequest | undefined): unknown =>
      request && (plain(request) as { items: { statement: unknown }[] }).items[0]?.statement;
    const expected = wordsOf(readCommon(withItem({})));
    expect(expected).toEqual(expect.any(String));
    const upper = bytes(bodyOf(entry, { responses: [itemOf(entry, upperCase('0x'))] }));
    for (const read of [readCommon, parseAny]) {
      const request = read(upper);
      expect(wordsOf(request)).toEqual(expected);
      expect(request?.items[0]?.nullifier).toBe(upperCase('0x').nullifier);
    }
    const capitalX = withItem({ ...upperCase('0X'), nullifier: entry.nullifier_hash });
    expect(wordsOf(parseAny(capitalX))).toEqual(expected);
  });
});

describe('the quick reader beside the other', () => {
  const changes = [
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '0',
    'x',
    'X',
    'F',
    'a',
    'g',
    '\n',
    '\u0000',
    'é',
    '',
  ];

  it('never takes what the other refuses, nor reads it differently, after any change of a body', () => {
    const text = JSON.stringify(whole);
    let taken = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(text.length), fc.nat(3), fc.constantFrom(...changes)), {
          minLength: 1,
          maxLength: 3,
        }),
        (edits) => {
          let changed = text;
          for (const [at, removed, added] of edits) {
            changed = changed.slice(0, at) + added + changed.slice(at + removed);
          }
          if (takes(Buffer.from(changed))) taken++;
        },
      ),
      { numRuns: 5000 },
    );
    // some changes leave a body of the common shape, so that this compares something
    expect(taken).toBeGreaterThan(50);
  });
});
