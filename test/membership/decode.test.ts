// Rules: spec/verification.md#encodings
import { describe, expect, it } from 'vitest';
import { decodeProof, writeProof } from '../../src/membership/decode-proof.ts';
import { toHex, writeHex } from '../../src/semaphore/hex.ts';
import { decodeWord, isBelowScalarOrder, writeWord } from '../../src/semaphore/words.ts';
import { printValue } from '../../src/verification/request/field-messages.ts';
import { P, R } from '../support/crypto/bn254.ts';
import { VECTORS, vector } from '../verification/support/vectors.ts';

const hexOf = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const wordsOf = (proof: string): bigint[] =>
  Array.from({ length: 8 }, (_, i) => BigInt(`0x${proof.slice(2 + i * 64, 66 + i * 64)}`));
const nested = (words: readonly unknown[]): string => {
  const [w0, w1, w2, w3, w4, w5, w6, w7] = words;
  return JSON.stringify([
    [w0, w1],
    [
      [w2, w3],
      [w4, w5],
    ],
    [w6, w7],
  ]);
};
const proofHex = (text: string): string | undefined => {
  const bytes = decodeProof(text);
  return bytes && toHex(bytes);
};

describe('decodeProof', () => {
  const { proof } = vector(0);
  const words = wordsOf(proof);

  it.each([...VECTORS.entries()])('decodes the 256 bytes of entry %i', (_index, entry) => {
    expect(decodeProof(entry.proof)).toEqual(Uint8Array.from(Buffer.from(entry.proof.slice(2), 'hex')));
  });

  it.each([
    ['upper-case digits', `0x${proof.slice(2).toUpperCase()}`],
    ['the prefix 0X', `0X${proof.slice(2)}`],
    ['JSON text of hex words', nested(words.map((word) => `0x${word.toString(16)}`))],
    [
      'JSON text of padded upper-case hex words',
      nested(words.map((word) => `0x${hexOf(word).slice(2).toUpperCase()}`)),
    ],
    ['JSON text of decimal words', nested(words.map(String))],
    ['JSON text with white space', nested(words.map(String)).replaceAll(',', ' ,\n')],
    ['JSON text with escaped quotes', nested(words.map(String)).replaceAll('"', '\\"')],
  ])('accepts %s', (_name, text) => {
    expect(proofHex(text)).toBe(proof);
  });

  it('accepts small words as JSON numbers, hex of one digit and decimals up to 2^256 - 1', () => {
    const top = (2n ** 256n - 1n).toString();
    const text = nested([0, 1, '0', '0x0', Number.MAX_SAFE_INTEGER, top, '0xA', 10]);
    const expected = [0n, 1n, 0n, 0n, 2n ** 53n - 1n, 2n ** 256n - 1n, 10n, 10n];
    expect(proofHex(text)).toBe(`0x${expected.map((word) => hexOf(word).slice(2)).join('')}`);
  });

  it('leaves compressed words to the engine', () => {
    const text = `0x${vector(0)
      .proof_compressed.map((word) => word.slice(2))
      .join('')}${'0'.repeat(256)}`;
    expect(proofHex(text)).toBe(text);
  });

  const bad = (index: number, word: unknown): string =>
    nested(words.map((good, i) => (i === index ? word : good.toString())));
  it.each([
    ['7 words', proof.slice(0, -64)],
    ['257 bytes', `${proof}00`],
    ['128 bytes', proof.slice(0, 258)],
    ['odd length', proof.slice(0, -1)],
    ['no prefix', proof.slice(2)],
    ['another prefix', `1x${proof.slice(2)}`],
    ['white space around', ` ${proof} `],
    ['white space instead of digits', ` ${proof.slice(0, -2)} `],
    ['a letter that is not a digit', `${proof.slice(0, -1)}g`],
    ['a character whose low byte is a digit', `${proof.slice(0, -1)}\u0130`],
    ['nothing', ''],
    ['only the prefix', '0x'],
    ['JSON that is not an array', '{"a":1}'],
    ['JSON text with white space around', ` ${nested(words.map(String))}`],
    ['broken JSON text', '[[1,2],'],
    ['JSON text that only looks like an array', '[1]x]'],
    ['eight words in one array', JSON.stringify(words.map(String))],
    ['nine words', nested(words.map(String)).replace(/\]$/, ',["1","2"]]')],
    ['a decimal with a leading zero', bad(3, '01')],
    ['a decimal of 79 digits', bad(3, '1'.repeat(79))],
    ['a decimal of 2^256', bad(3, (2n ** 256n).toString())],
    ['a hex word of 65 digits', bad(3, `0x${'1'.repeat(65)}`)],
    ['a hex word without digits', bad(3, '0x')],
    ['a hex word with the prefix 0X', bad(3, '0X1')],
    ['a hex word without prefix', bad(3, 'ff')],
    ['an empty word', bad(3, '')],
    ['a negative number', bad(3, -1)],
    ['a fraction', bad(3, 1.5)],
    ['a number above the safe integers', bad(3, 2 ** 53)],
    ['a negative decimal', bad(3, '-1')],
    ['null', bad(3, null)],
    ['a word with white space', bad(3, ' 1')],
    ['a deep array', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ])('refuses %s', (_name, text) => {
    expect(decodeProof(text)).toBeUndefined();
  });

  it('overwrites the previous content of the target', () => {
    const small = nested(['0', '0x1', 2, '0', '0', '0', '0', '0']);
    for (const text of [proof, small]) {
      const target = Buffer.alloc(260, 0xee);
      expect(writeProof(text, target)).toBe(true);
      expect(new Uint8Array(target.subarray(0, 256))).toEqual(decodeProof(text));
      expect([...target.subarray(256)]).toEqual([0xee, 0xee, 0xee, 0xee]);
    }
  });

  it('agrees with writeHex on every character in place of a digit', () => {
    const characters = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code));
    for (const character of [...characters, '\ud800', '\uff10', '\uffff']) {
      for (const at of [2, 3, 257, 513]) {
        const text = `${proof.slice(0, at)}${character}${proof.slice(at + 1)}`;
        const plain = new Uint8Array(256);
        const isHex = writeHex(text, 2, text.length, plain);
        expect(decodeProof(text), JSON.stringify([character, at])).toEqual(isHex ? plain : undefined);
      }
    }
  });

  it('refuses a very long decimal without parsing it', () => {
    expect(decodeProof(bad(0, '9'.repeat(200_000)))).toBeUndefined();
  });
});

describe('decodeWord', () => {
  it.each([
    ['0x0abc', 0xabcn],
    ['ABC', 0xabcn],
    ['0XAbC', 0xabcn],
    [' \t\r\n\v\f0x1 \n', 1n],
    ['10', 0x10n],
    ['0', 0n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  ])('reads %j', (text, value) => {
    const word = decodeWord(text);
    expect(word && toHex(word)).toBe(hexOf(value));
  });

  it.each([
    '',
    '0x',
    '  ',
    'zz',
    '0x0x1',
    '1 2',
    '-1',
    `0x${'0'.repeat(65)}`,
    '1'.repeat(65),
    '\u00a01',
    'x1',
    '0\u01301',
  ])('refuses %j', (text) => {
    expect(decodeWord(text)).toBeUndefined();
  });

  it.each(['1', '0x0abc', `0x${'1'.repeat(63)}`, 'f'.repeat(64)])(
    'overwrites the previous content of the target with %j',
    (text) => {
      const target = new Uint8Array(34).fill(0xee);
      expect(writeWord(text, target, 1)).toBe(true);
      expect(target.subarray(1, 33)).toEqual(decodeWord(text));
      expect([target[0], target[33]]).toEqual([0xee, 0xee]);
    },
  );

  it('returns words with separate buffers', () => {
    expect(decodeWord('1')?.buffer).not.toBe(decodeWord('1')?.buffer);
  });
});

describe('isBelowScalarOrder', () => {
  it.each([
    [0n, true],
    [R - 1n, true],
    [R, false],
    [R + 1n, false],
    [P, false],
    [2n ** 256n - 1n, false],
  ])('judges %i', (value, expected) => {
    expect(isBelowScalarOrder(decodeWord(hexOf(value)) ?? new Uint8Array())).toBe(expected);
  });
});

describe('writeHex', () => {
  it('refuses more digits than fit, and no digits', () => {
    expect(writeHex('1234', 0, 4, new Uint8Array(1))).toBe(false);
    expect(writeHex('', 0, 0, new Uint8Array(1))).toBe(false);
  });

  it('accepts hex digits of either case and no other character', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const digit = String.fromCharCode(code);
      const isDigit = /^[0-9a-fA-F]$/.test(digit);
      for (const text of [digit, `${digit}0`, `0${digit}`, `1${digit}0`]) {
        const target = new Uint8Array(2);
        if (writeHex(text, 0, text.length, target) !== isDigit) expect.fail(`${JSON.stringify(text)}`);
        if (isDigit) expect(Buffer.from(target).toString('hex')).toBe(text.toLowerCase().padStart(4, '0'));
      }
    }
  });

  it('aligns an odd number of digits to the right', () => {
    const target = new Uint8Array(3);
    expect(writeHex('f12', 0, 3, target)).toBe(true);
    expect([...target]).toEqual([0, 0x0f, 0x12]);
  });
});

describe('printValue', () => {
  it.each([
    ['a"b\\', '"a"b\\"'],
    [-0, '-0'],
    [1e21, '1e+21'],
    [null, 'null'],
    [[1, 'a', null, true], '[\n  "1",\n  "\\"a\\"",\n  "null",\n  "true"\n]'],
    [{ a: { b: [] }, c: {} }, '{\n  "a": {\n    "b": []\n  },\n  "c": {}\n}'],
  ])('shows %j', (value, text) => {
    expect(printValue(value)).toBe(text);
  });

  it('truncates to 200 characters, never inside a surrogate pair', () => {
    expect(printValue('x'.repeat(300))).toBe(`"${'x'.repeat(199)}`);
    expect(printValue('😀'.repeat(300))).toBe(`"${'😀'.repeat(199)}`);
    expect([...printValue(new Array(1000).fill('a'))]).toHaveLength(200);
  });
});
