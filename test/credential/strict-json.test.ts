import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson, type StrictJson, StrictJsonError } from '../../src/credential/strict-json.ts';
import { casesOf } from '../support/cases.ts';

/** Converts to the value that `JSON.parse` returns. */
function plain(value: StrictJson): unknown {
  switch (value.kind) {
    case 'object':
      // JSON.parse makes "__proto__" an own member too
      return Object.fromEntries(value.entries.map(([name, member]) => [name, plain(member)]));
    case 'array':
      return value.items.map(plain);
    case 'string':
      return value.text;
    case 'number':
      return Number(value.source);
    case 'boolean':
      return value.value;
    case 'null':
      return null;
  }
}

function faultOf(text: string): unknown {
  try {
    parseStrictJson(text);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(StrictJsonError);
    return error;
  }
}

describe('parseStrictJson', () => {
  it('reads every JSON value as JSON.parse does, with and without white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, isSpaced) => {
        const text = JSON.stringify(value, null, isSpaced ? '\r\n\t ' : undefined);
        expect(plain(parseStrictJson(text))).toEqual(JSON.parse(text));
      }),
      { seed: 6, numRuns: casesOf(2000, 300) },
    );
  });

  it('refuses what JSON.parse refuses, for texts that are nearly JSON', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '0',
      '1',
      '-',
      '.',
      'e',
      '+',
      'true',
      'null',
      ' ',
      '\n',
      '\u00a0',
      '\ufeff',
      '\u0001',
      '\\u12',
      'NaN',
      "'",
      '/**/',
      '01',
      '1.',
      '.5',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join('');
        let expected: unknown = StrictJsonError;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(faultOf(text)).toMatchObject({ fault: 'syntax' });
          return;
        }
        // Such a text can repeat the name "a", which JSON.parse accepts.
        const fault = faultOf(text);
        if (fault === undefined) expect(plain(parseStrictJson(text))).toEqual(expected);
        else expect(fault).toMatchObject({ fault: 'duplicate_member', member: 'a' });
      }),
      { seed: 6, numRuns: casesOf(20_000, 2000) },
    );
  });

  it('keeps the order of members and the digits of numbers', () => {
    expect(parseStrictJson('{"b":18446744073709551615,"1":1e3,"a":-0.0}')).toEqual({
      kind: 'object',
      entries: [
        ['b', { kind: 'number', source: '18446744073709551615' }],
        ['1', { kind: 'number', source: '1e3' }],
        ['a', { kind: 'number', source: '-0.0' }],
      ],
    });
  });

  it.each([
    ['the same spelling', '{"a":1,"b":2,"a":1}', 'a', 13],
    ['an escape', '{"signup_id":1,"signup\\u005fid":1}', 'signup_id', 15],
    ['a nested object', '[{"x":{"":0,"":0}}]', '', 12],
    ['a name that objects have', '{"__proto__":1,"__proto__":1}', '__proto__', 15],
  ])('refuses a repeated name: %s', (_, text, member, offset) => {
    expect(faultOf(text)).toMatchObject({ fault: 'duplicate_member', member, offset });
  });

  it('accepts one name in two objects, and names that objects have', () => {
    expect(plain(parseStrictJson('[{"a":1},{"a":{"a":2}}]'))).toEqual([{ a: 1 }, { a: { a: 2 } }]);
    expect(parseStrictJson('{"__proto__":null}')).toEqual({
      kind: 'object',
      entries: [['__proto__', { kind: 'null' }]],
    });
  });

  it('refuses a lone surrogate, escaped or not, as value and as name', () => {
    for (const text of ['"\\ud800"', '"\udc00"', '"\\udc00\\ud800"', '{"\\ud83d":1}', '"\\ud83d\\u0041"']) {
      expect(faultOf(text)).toMatchObject({ fault: 'lone_surrogate' });
    }
    expect(plain(parseStrictJson('"\\ud83d\\ude00"'))).toBe('\u{1f600}');
    expect(plain(parseStrictJson('"\u{1f600}"'))).toBe('\u{1f600}');
  });

  it('accepts eight levels of objects and arrays and refuses nine', () => {
    expect(faultOf(`${'['.repeat(8)}${']'.repeat(8)}`)).toBeUndefined();
    expect(faultOf(`${'{"a":'.repeat(8)}1${'}'.repeat(8)}`)).toBeUndefined();
    for (const opening of ['[', '{"a":'])
      expect(faultOf(opening.repeat(9))).toMatchObject({ fault: 'too_deep', offset: opening.length * 8 });
    // the recursion depth does not grow with the length of the text
    expect(faultOf('['.repeat(1_000_000))).toMatchObject({ fault: 'too_deep' });
  });

  it('reports the offset and nothing of the text', () => {
    expect(faultOf('{"secret":"hush\\x"}')).toMatchObject({
      fault: 'syntax',
      offset: 10,
      message: 'string with a bad escape or control character at offset 10',
    });
    expect(faultOf('{"secret":1,"secret":2}')).toMatchObject({
      message: 'second member of a name at offset 12',
    });
    expect(faultOf('1 2')).toMatchObject({ message: 'text after the value at offset 2' });
    expect(faultOf('')).toMatchObject({ message: 'expected a value at offset 0' });
  });
});
