import { describe, expect, it } from 'vitest';
import { rateLimitKey } from '../../src/addresses.ts';
import { type AddressKeys, createAddressKeys } from '../../src/apps/index.ts';
import { keyConfig } from './support/key-config.ts';

describe('the keys of an address', () => {
  const keysOf = createAddressKeys(keyConfig(1));
  const keys = (address: string): AddressKeys => keysOf(rateLimitKey(address));

  it('are the same on every node, and do not reveal the address', () => {
    const { addressKey, networkKey } = keys('203.0.113.7');
    expect(createAddressKeys(keyConfig(1))('203.0.113.7')).toEqual({ addressKey, networkKey });
    expect(addressKey).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(createAddressKeys(keyConfig(2))('203.0.113.7').addressKey).not.toBe(addressKey);
  });

  it('treat an IPv4 address as its own network', () => {
    expect(keys('203.0.113.7').networkKey).toBe(keys('203.0.113.7').addressKey);
    expect(keys('203.0.113.7').networkKey).not.toBe(keys('203.0.113.8').networkKey);
  });

  it('treat an IPv6 /64 as an address, and its /48 as its network', () => {
    const first = keys('2001:db8:1:2::1');
    expect(keys('2001:db8:1:2:ffff::9')).toEqual(first);
    const sibling = keys('2001:db8:1:3::1');
    expect(sibling.addressKey).not.toBe(first.addressKey);
    expect(sibling.networkKey).toBe(first.networkKey);
    expect(keys('2001:db8:2:2::1').networkKey).not.toBe(first.networkKey);
    expect(keys('2001::1').networkKey).toBe(keys('2001:0:0:9::1').networkKey);
  });
});
