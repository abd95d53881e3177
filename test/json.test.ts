// Rules: spec/interfaces.md#conventions
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, encodingOf, parseJson, parseJsonText, textOfFile } from '../src/json.ts';
import { ENCODINGS } from './support/encodings.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const nestedObjects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('JSON of others', () => {
  it.each([nested, nestedObjects])('is read up to 32 levels, and refused beyond', (make) => {
    expect(JSON.stringify(parseJsonText(make(32)))).toBe(make(32));
    expect(() => parseJsonText(make(33))).toThrow(SyntaxError);
    expect(() => parseJson(Buffer.from(make(100_000)))).toThrow(SyntaxError);
  });

  it('may have any number of brackets side by side and in strings', () => {
    const value = { [nested(100)]: Array(100).fill([{}]), quoted: `\\"${'['.repeat(100)}\\`, last: ['\\'] };
    expect(parseJsonText(JSON.stringify(value))).toEqual(value);
  });

  it('is what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(parseJsonText(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['', '"', '"\\', '"\\"', '[', '["]', ']', nested(2).slice(1), '{"a":1}}', '\u0000'])(
    'is refused if it is none: %j',
    (text) => {
      expect(() => parseJsonText(text)).toThrow(SyntaxError);
    },
  );
});

describe('a text file', () => {
  it.each(ENCODINGS)('is decoded in %s, without its mark', (_name, encode) => {
    for (const text of ['{"a":"ä€😀"}', '1', '[1]', '\r\n{}']) {
      expect(decodeText(encode(text)), text).toBe(text);
      expect(textOfFile(encode(text)), text).toBe(text);
    }
  });

  it.each([
    ['nothing', []],
    ['one zero byte', [0]],
    ['a word that begins with a zero byte', [0, 0x12, 0x34, 0x56]],
    ['a word with a zero byte after a letter', [0x41, 0, 0x34, 0x56]],
    ['a number in four bytes', [0, 0, 0, 0x41]],
    ['a zero byte after another byte than one of a text', [0x91, 0, 0x41, 0]],
  ])('is in UTF-8 with the first bytes of %s', (_name, bytes) => {
    expect(encodingOf(Uint8Array.from(bytes))).toBe('utf-8');
  });

  it('that is none is not decoded, or with replacements', () => {
    const bytes = Uint8Array.from([0x61, 0xff, 0x62, 0x63]);
    expect(decodeText(bytes)).toBeUndefined();
    expect(textOfFile(bytes)).toBe('a\ufffdbc');
    expect(decodeText(Uint8Array.from([0xff, 0xfe, 0x00, 0xd8]))).toBeUndefined();
    expect(textOfFile(Uint8Array.from([0xff, 0xfe, 0x00, 0xd8]))).toBe('\ufffd');
  });
});
