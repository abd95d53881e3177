import { describe, expect, it } from 'vitest';
import { addressFilter } from '../../../src/config/values/address-block.ts';

describe('addressFilter', () => {
  it.each(['::/64', '::fffe:0:0/95', '::/1', '::/0'])('does not match IPv4 clients with %s', (block) => {
    const isTrusted = addressFilter([block]);
    expect(isTrusted('1.2.3.4')).toBe(false);
    expect(isTrusted('203.0.113.9')).toBe(false);
  });

  it('matches addresses of both families with their blocks', () => {
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

  it('matches no address without blocks', () => {
    expect(addressFilter([])('127.0.0.1')).toBe(false);
  });
});
