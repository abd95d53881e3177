import { describe, expect, it } from 'vitest';
import { readQuery } from '../../src/http/routes/public/wallet/read-leaf.ts';

describe('reading the known parameters of a query', () => {
  it.each([
    ['', {}],
    ['tree=orb&commitment=0x1', { tree: 'orb', commitment: '0x1' }],
    ['tree=a+b%20c', { tree: 'a b c' }],
    ['%74ree=%C3%A4', { tree: 'ä' }],
    ['tree=a=b', { tree: 'a=b' }],
    ['tree=', {}],
    ['tree', {}],
    ['other=1&other=2&tree=orb', { tree: 'orb' }],
    ['__proto__=1&tree=orb', { tree: 'orb' }],
  ])('reads %j', (query, expected) => {
    expect(readQuery(query, ['tree', 'commitment'])).toEqual(expected);
  });

  it('refuses a repeated known parameter, even if one of the two is empty', () => {
    for (const query of ['tree=orb&tree=orb', 'tree=&tree=orb', 'tree=orb&tree']) {
      expect(() => readQuery(query, ['tree'])).toThrow(
        expect.objectContaining({ code: 'signin.repeated_parameter', details: { path: 'tree' } }),
      );
    }
  });

  it.each(['tree=%', 'tree=%zz', 'tree=%ff', '%ff=1'])(
    'refuses %s, which is not percent-encoded UTF-8',
    (query) => {
      expect(() => readQuery(query, ['tree'])).toThrow(
        expect.objectContaining({ code: 'signin.malformed_parameters' }),
      );
    },
  );
});
