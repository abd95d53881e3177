// Rules: spec/operations.md#answers
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FixedHeaders,
  header,
  mergeHeaders,
  securityHeaders,
} from '../../../src/http/headers/response-headers.ts';

describe('header', () => {
  it('accepts visible ASCII and spaces', () => {
    const all = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => i + 0x20));
    expect(header('X-All', all)).toEqual(['X-All', all]);
    expect(header('X-Empty', '')).toEqual(['X-Empty', '']);
  });

  it('refuses a value with any other character at any position', () => {
    const other = fc.integer({ min: 0, max: 0xffff }).filter((code) => code < 0x20 || code > 0x7e);
    fc.assert(
      fc.property(fc.string(), other, fc.string(), (before, code, after) => {
        expect(() => header('X', before + String.fromCharCode(code) + after)).toThrow('response header X');
      }),
    );
  });

  it.each(['', 'a b', 'a:', 'a\r\nb', 'ü', 'a\0'])('refuses the name %j', (name) => {
    expect(() => header(name, 'v')).toThrow('not a token');
  });

  it('does not repeat the value in its message', () => {
    expect(() => header('X', 'secret\r\n')).toThrow(expect.not.stringContaining('secret'));
  });
});

it('mergeHeaders lets a later set replace a name in any letter case', () => {
  expect(mergeHeaders({ A: '1', B: '2' }, undefined, { a: '3' })).toEqual([
    ['a', '3'],
    ['B', '2'],
  ]);
});

describe('FixedHeaders', () => {
  it('are validated like other headers', () => {
    expect(() => new FixedHeaders({ A: 'b\r\nC: d' })).toThrow('response header A');
  });

  it('replace the defaults of the given listener', () => {
    const fixed = new FixedHeaders({ B: '2', A: '3' });
    const [one, other] = [new FixedHeaders({ a: '1', C: '4' }), new FixedHeaders({})];
    for (let round = 0; round < 2; round++) {
      expect(fixed.over(one)).toEqual([
        ['A', '3'],
        ['C', '4'],
        ['B', '2'],
      ]);
      expect(fixed.over(other)).toEqual([
        ['B', '2'],
        ['A', '3'],
      ]);
    }
    expect(other.over(new FixedHeaders({}))).toEqual([]);
  });
});

it('securityHeaders requires https only when the service uses it', () => {
  expect(securityHeaders('https://id.example.org')).toHaveProperty('Strict-Transport-Security');
  expect(securityHeaders('http://localhost:8080')).toEqual({ 'X-Content-Type-Options': 'nosniff' });
  expect(securityHeaders('http://localhost:8080', true)).toEqual({ 'X-Content-Type-Options': 'nosniff' });
  const hsts = (withSubDomains?: boolean) =>
    securityHeaders('https://id.example.org', withSubDomains)['Strict-Transport-Security'];
  expect([hsts(), hsts(true)]).toEqual(['max-age=31536000', 'max-age=31536000; includeSubDomains']);
});
