// Rules: spec/refresh.md#proof-header
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { decodeProofHeader, type HolderProof } from '../../../src/refresh/holder/decode-proof-header.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { SCALAR_ORDER, wordOf } from '../../../src/semaphore/words.ts';
import { bytes, word } from '../../engine/support/vectors.ts';
import { HEADER } from './support/holder-folder.ts';

const MEMBERS = JSON.parse(HEADER.json) as Readonly<Record<string, string>>;
const encode = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');
const headerWith = (change: Readonly<Record<string, unknown>>): string =>
  encode(JSON.stringify({ ...MEMBERS, ...change }));
const unpadded = (base64: string): string => base64.replace(/=+$/, '');

/** Returns base64 of the vector with an unknown member and `length` characters of padding. */
function withPadding(length: number): string {
  for (let note = ''; ; note += ' ') {
    const base64 = headerWith({ note });
    if (base64.length - unpadded(base64).length === length) return base64;
  }
}

/** The vector with an unknown member that needs the two characters in which the alphabets differ. */
const BOTH_ALPHABETS = headerWith({ note: '>>>???~~~' });

function refusal(header: string | undefined): ServiceError {
  try {
    decodeProofHeader(header);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('expected a refusal, but the header was accepted');
}

const ruleOf = (header: string | undefined): unknown => {
  const { code, details } = refusal(header);
  expect([code, details.check]).toEqual(['refresh.proof_unreadable', 7]);
  return details.rule;
};

describe('the header x-zkp-proof', () => {
  it('of the vectors decodes to the values of their JSON', () => {
    expect(decodeProofHeader(HEADER.base64)).toEqual({
      proof: bytes(MEMBERS.proof ?? ''),
      nullifierHash: word(MEMBERS.nullifierHash ?? ''),
      externalNullifier: Buffer.from('proofgate-refresh'),
      idCommitment: word(HEADER.query_id_comm),
      sub: word(HEADER.form_sub),
    } satisfies HolderProof);
  });

  describe('as base64', () => {
    it.each([0, 1, 2])('may have or omit its padding of %i characters', (length) => {
      const padded = withPadding(length);
      const decoded = decodeProofHeader(padded);
      expect(decodeProofHeader(unpadded(padded))).toEqual(decoded);
      expect(decoded.sub).toEqual(word(HEADER.form_sub));
    });

    it('may be in the standard or in the URL-safe alphabet', () => {
      expect(BOTH_ALPHABETS).toContain('+');
      expect(BOTH_ALPHABETS).toContain('/');
      const urlSafe = BOTH_ALPHABETS.replaceAll('+', '-').replaceAll('/', '_');
      const decoded = decodeProofHeader(BOTH_ALPHABETS);
      expect(decodeProofHeader(urlSafe)).toEqual(decoded);
      expect(decodeProofHeader(unpadded(urlSafe))).toEqual(decoded);
    });

    it.each<[string, string]>([
      ['in a mix of both alphabets', BOTH_ALPHABETS.replaceAll('+', '-')],
      ['with one "=" where two belong', `${unpadded(withPadding(2))}=`],
      ['with two "=" where one belongs', `${unpadded(withPadding(1))}==`],
      ['with "=" where none belongs', `${withPadding(0)}=`],
      ['with a whole group of "="', `${withPadding(0)}====`],
      ['with "=" within', `${HEADER.base64.slice(0, 8)}=${HEADER.base64.slice(8)}`],
      [
        'with bits after the last byte',
        withPadding(2).replace(/(.)==$/, (_, last) => `${nextDigit(last)}==`),
      ],
      ['with bits after the last byte, unpadded', unpadded(withPadding(1)).replace(/.$/, nextDigit)],
      ['of an impossible length', `${withPadding(0)}A`],
      ['after a space', ` ${HEADER.base64}`],
      ['before a space', `${HEADER.base64} `],
      ['with a line break', `${HEADER.base64.slice(0, 76)}\r\n${HEADER.base64.slice(76)}`],
      ['with a tab', `${HEADER.base64.slice(0, 76)}\t${HEADER.base64.slice(76)}`],
      ['with another character', `${HEADER.base64.slice(0, 76)}*${HEADER.base64.slice(76)}`],
      ['that is JSON itself', HEADER.json],
      ['with a character beyond ASCII', `${HEADER.base64}é`],
    ])('is refused %s', (_, header) => {
      expect(ruleOf(header)).toBe('base64');
    });

    it('has at most 3,072 characters', () => {
      const room = (count: number): string => headerWith({ note: 'x'.repeat(count) });
      let count = 0;
      while (room(count + 1).length <= 3072) count += 1;
      expect(room(count)).toHaveLength(3072);
      expect(decodeProofHeader(room(count)).sub).toEqual(word(HEADER.form_sub));
      expect(ruleOf(unpadded(room(count + 1)))).toBe('length');
    });

    it('is refused when it is missing or repeated', () => {
      expect(ruleOf(undefined)).toBe('header');
    });
  });

  describe('as text', () => {
    it.each<[string, Uint8Array]>([
      ['a byte that starts no sequence', Buffer.concat([Buffer.from(HEADER.json), Buffer.of(0xff)])],
      ['a truncated character', Buffer.from(`{"a":"é`).subarray(0, -1)],
      ['an encoded surrogate', Buffer.from('7b2261223a22eda080227d', 'hex')],
      ['an overlong form', Buffer.from('7b2261223a22c080227d', 'hex')],
    ])('is not UTF-8 with %s', (_, text) => {
      expect(ruleOf(encode(text))).toBe('utf8');
    });

    it.each<[string, string]>([
      ['empty', ''],
      ['with a byte order mark', `\ufeff${HEADER.json}`],
      ['truncated', HEADER.json.slice(0, -1)],
      ['with text after it', `${HEADER.json}x`],
      ['of two objects', `${HEADER.json}${HEADER.json}`],
      ['with an extra comma', HEADER.json.replace(/}$/, ',}')],
      ['with a comment', `${HEADER.json}//`],
      ['of a list', `[${HEADER.json}]`],
      ['of null', 'null'],
      ['of a number', '1'],
      ['of a string', JSON.stringify(HEADER.json)],
      ['with a member twice', HEADER.json.replace(/}$/, `,"sub":"${HEADER.form_sub}"}`)],
      ['with a member twice by an escape', HEADER.json.replace(/}$/, `,"s\\u0075b":"${HEADER.form_sub}"}`)],
      ['with an unknown member twice', HEADER.json.replace(/}$/, ',"x":1,"x":2}')],
      ['with a lone surrogate', HEADER.json.replace('proofgate-refresh', '\\ud800')],
      ['nested too deeply', `${'['.repeat(1000)}${']'.repeat(1000)}`],
    ])('is not a valid JSON object when it is %s', (_, text) => {
      expect(ruleOf(encode(text))).toBe('json');
    });

    it('may have white space, escapes, another order and unknown members', () => {
      const entries = Object.entries(MEMBERS).toReversed();
      const json = JSON.stringify(Object.fromEntries(entries), null, 1).replace('"sub"', '"\\u0073ub"');
      const text = ` ${json.replace(/}$/, ',"__proto__":{"a":[null,true,1e9]},"constructor":"x","é":"😀"}')}\n`;
      expect(decodeProofHeader(encode(text))).toEqual(decodeProofHeader(HEADER.base64));
    });
  });

  describe('in each member', () => {
    const names = {
      proof: 'proof',
      nullifierHash: 'nullifier_hash',
      externalNullifier: 'external_nullifier',
      idCommitment: 'id_commitment',
      sub: 'sub',
    };
    const wrongTypes = [undefined, null, 1, true, [], {}, ['0x1'], { text: '0x1' }];

    it.each(Object.entries(names))('%s is a string', (name, rule) => {
      for (const value of wrongTypes)
        expect([value, ruleOf(headerWith({ [name]: value }))]).toEqual([value, rule]);
    });

    it('a proof may be in upper case', () => {
      const proof = `0x${(MEMBERS.proof ?? '').slice(2).toUpperCase()}`;
      expect(decodeProofHeader(headerWith({ proof }))).toEqual(decodeProofHeader(HEADER.base64));
    });

    it.each<[string, (proof: string) => string]>([
      ['empty', () => ''],
      ['without prefix', (proof) => proof.slice(2)],
      ['with 0X', (proof) => proof.replace('0x', '0X')],
      ['one digit too short', (proof) => proof.slice(0, -1)],
      ['one digit too long', (proof) => `${proof}0`],
      ['of 128 bytes', (proof) => proof.slice(0, 258)],
      ['with another character', (proof) => `${proof.slice(0, -1)}g`],
      ['with a space', (proof) => `${proof.slice(0, -1)} `],
      ['with a digit of another script', (proof) => `${proof.slice(0, -1)}\u0130`],
      ['as nested JSON', () => '[["0x1","0x2"],[["0x3","0x4"],["0x5","0x6"]],["0x7","0x8"]]'],
    ])('a proof %s is refused', (_, change) => {
      expect(ruleOf(headerWith({ proof: change(MEMBERS.proof ?? '') }))).toBe('proof');
    });

    it.each([
      ['nullifierHash', 'nullifier_hash'],
      ['idCommitment', 'id_commitment'],
      ['sub', 'sub'],
    ] as const)('%s is a field element as in other parts of a request', (name, rule) => {
      const read = (text: string): string => toHex(decodeProofHeader(headerWith({ [name]: text }))[name]);
      const highest = toHex(wordOf(SCALAR_ORDER - 1n));
      for (const text of [
        '0x0',
        '0xaB',
        '0x1a2b3c',
        `0x${'0'.repeat(63)}1`,
        highest,
        highest.toUpperCase().replace('X', 'x'),
      ]) {
        expect(read(text)).toBe(toHex(wordOf(BigInt(text))));
      }
      const bad = [
        '',
        '0x',
        '1',
        'ab',
        '0X1',
        '0xg',
        '-0x1',
        '+0x1',
        ' 0x1',
        '0x1 ',
        '0x 1',
        '0x1\u0000',
        '1n',
        `0x${'0'.repeat(64)}1`,
        toHex(wordOf(SCALAR_ORDER)),
        `0x${'f'.repeat(64)}`,
      ];
      for (const text of bad) expect([text, ruleOf(headerWith({ [name]: text }))]).toEqual([text, rule]);
    });

    it.each<[string, Uint8Array]>([
      ['', Buffer.alloc(0)],
      ['0x', Buffer.alloc(0)],
      ['0x00', Buffer.of(0)],
      ['0xfFA0', Buffer.of(0xff, 0xa0)],
      ['proofgate-refresh', Buffer.from('proofgate-refresh')],
      ['0X00', Buffer.from('0X00')],
      [' 0x00', Buffer.from(' 0x00')],
      ['00', Buffer.from('00')],
      ['\u0000', Buffer.of(0)],
    ])('an external nullifier %j is decoded to its bytes', (externalNullifier, expected) => {
      const { externalNullifier: decoded } = decodeProofHeader(headerWith({ externalNullifier }));
      expect(Buffer.from(decoded).equals(expected)).toBe(true);
    });

    it.each(['0x0', '0xabc', '0xgg', '0x0g', '0x 0', '0x00 ', '0xproofgate'])(
      'an external nullifier %j is refused',
      (externalNullifier) => {
        expect(ruleOf(headerWith({ externalNullifier }))).toBe('external_nullifier');
      },
    );

    it('an external nullifier has at most 128 bytes in either form', () => {
      const longest = [`0x${'ab'.repeat(128)}`, 'x'.repeat(128), '😀'.repeat(32)];
      for (const externalNullifier of longest) {
        expect(decodeProofHeader(headerWith({ externalNullifier })).externalNullifier).toHaveLength(128);
        const longer = `${externalNullifier}${externalNullifier.startsWith('0x') ? '00' : 'x'}`;
        expect(ruleOf(headerWith({ externalNullifier: longer }))).toBe('external_nullifier');
      }
    });
  });

  it('is never repeated in a message', () => {
    const secret = 'a-value-that-nobody-may-see';
    const texts = [
      secret,
      encode(secret),
      encode(`{"proof":"${secret}`),
      encode(`{"${secret}":1,"${secret}":2}`),
      encode(`{"a":"\\x${secret}"}`),
      ...Object.keys(MEMBERS).map((name) =>
        headerWith({ [name]: name === 'externalNullifier' ? `0x${secret}` : secret }),
      ),
    ];
    for (const text of texts) {
      const error = refusal(text);
      expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain(secret);
      expect(error.cause).toBeUndefined();
    }
  });
});

/** Returns the next digit of the alphabet, which decodes to the same bytes with an unused bit set. */
function nextDigit(digit: string): string {
  return String.fromCharCode(digit.charCodeAt(0) + 1);
}
