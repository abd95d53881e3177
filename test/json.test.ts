// Rules: spec/interfaces.md#conventions
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, parseJsonText } from '../src/json.ts';

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
