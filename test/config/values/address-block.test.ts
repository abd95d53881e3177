import { describe, expect, it } from 'vitest';
import { addressFilter } from '../../../src/config/index.ts';

describe('addressFilter', () => {
  it.each(['::/64', '::fffe:0:0/95', '::/1', '::/0'])(
    'does not take IPv4 clients for part of %s',
    (block) => {
      const isTrusted = addressFilter([block]);
      expect(isTrusted('1.2.3.4')).toBe(false);
      expect(isTrusted('203.0.113.9')).toBe(false);
    },
  );

  it('takes addresses of both families in blocks of their own', () => {
    const isTrusted = addressFilter(['10.0.0.0/8', '2001:db8::/32', '::1']);
    expect(['10.1.2.3', '2001:db8::7', '::1'].map(isTrusted)).toEqual([true, true, true]);
    expect(['11.1.2.3', '2001:db9::7', '::2', 'unknown', ''].map(isTrusted)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('trusts nobody where no block is given', () => {
    expect(addressFilter([])('127.0.0.1')).toBe(false);
  });
});
