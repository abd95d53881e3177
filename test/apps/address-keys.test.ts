import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { rateLimitKey } from '../../src/addresses.ts';
import {
  type AddressKeys,
  type BridgeIds,
  createAddressKeys,
  createBridgeIds,
} from '../../src/apps/address-keys.ts';
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

const nodeWith = (fill: number): BridgeIds => createBridgeIds(keyConfig(fill));

describe('the ids of requests on the bridge', () => {
  const [node, otherNode, stranger] = [nodeWith(1), nodeWith(1), nodeWith(2)] as const;

  it('are different UUIDs of version 4', () => {
    const ids = Array.from({ length: 1000 }, () => node.create());
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids.map((id) => id.slice(0, 23))).size).toBe(ids.length);
  });

  it('are recognized by every node with the same master key, and by no other', () => {
    const id = node.create();
    expect([node, otherNode, stranger].map(({ isOwn }) => isOwn(id))).toEqual([true, true, false]);
  });

  it('are recognized during a rotation of the master key by nodes with the former key and with the new one', () => {
    const between = (masterKey: number, former: number): BridgeIds => {
      const config = keyConfig(masterKey);
      const masterKeyPrevious = keyConfig(former).keys.masterKey;
      return createBridgeIds({ ...config, keys: { ...config.keys, masterKeyPrevious } });
    };
    const nodes = [between(1, 2), between(2, 1)];
    for (const maker of nodes) {
      const id = maker.create();
      expect(nodes.map(({ isOwn }) => isOwn(id))).toEqual([true, true]);
    }
    expect(between(2, 1).isOwn(nodeWith(3).create())).toBe(false);
  });

  it('are told from made-up ids and from changed ones', () => {
    for (let count = 0; count < 1000; count++) expect(node.isOwn(randomUUID())).toBe(false);
    const id = node.create();
    for (const [at, digit] of [...id].entries()) {
      if (digit === '-') continue;
      const other = digit === '0' ? '1' : '0';
      expect(node.isOwn(`${id.slice(0, at)}${other}${id.slice(at + 1)}`)).toBe(false);
    }
  });

  it.each(['', 'invite-code-0123456789abcdef', 'f'.repeat(64), 'F'.repeat(36), `${'0'.repeat(36)}\n`])(
    'have one form only: %j is none',
    (text) => {
      expect(node.isOwn(text)).toBe(false);
    },
  );
});
