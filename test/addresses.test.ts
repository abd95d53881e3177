import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { addressText, rateLimitKey } from '../src/addresses.ts';
import { RawClient, requestText } from './support/server/raw-client.ts';
import { describeRequest, openListener, testRoute } from './support/server/test-listener.ts';

const groups = (text: string): ArrayBuffer => {
  const values = text.split(':').map((group) => Number.parseInt(group, 16));
  return new Uint8Array(values.flatMap((value) => [value >> 8, value & 0xff])).buffer;
};

describe('addressText', () => {
  it('writes IPv4 with dots', () => {
    expect(addressText(new Uint8Array([203, 0, 113, 9]).buffer)).toBe('203.0.113.9');
  });

  it('maps ::ffff: to IPv4', () => {
    expect(addressText(groups('0:0:0:0:0:ffff:cb00:7109'))).toBe('203.0.113.9');
  });

  // RFC 5952 sections 4 and 5
  const rows: [string, string][] = [
    ['2001:db8:0:0:0:0:2:1', '2001:db8::2:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:aaaa:bbbb:cccc:dddd:eeee:aa1', '2001:db8:aaaa:bbbb:cccc:dddd:eeee:aa1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['2001:db8:0:0:0:0:0:0', '2001:db8::'],
    ['0:0:0:0:1:ffff:cb00:7109', '::1:ffff:cb00:7109'],
  ];
  it.each(rows)('writes %s as %s', (expanded, text) => {
    expect(addressText(groups(expanded))).toBe(text);
  });

  it('distinguishes addresses that differ in one byte or share their ends, also after thousands of others', () => {
    const near = [0, 1, 2, 3].map((at) => new Uint8Array([10, 20, 30, 40]).with(at, 255));
    const many = Array.from({ length: 3000 }, (_, index) => Uint8Array.of(192, index >> 8, index & 255, 7));
    for (const bytes of [...near, ...many, ...near, ...many]) {
      expect(addressText(new Uint8Array(bytes).buffer)).toBe(bytes.join('.'));
    }
  });

  it('returns "unknown" for bytes that are not an address', () => {
    expect(addressText(new ArrayBuffer(0))).toBe('unknown');
  });
});

describe('rateLimitKey', () => {
  it('keeps IPv4 whole', () => {
    expect(rateLimitKey('203.0.113.9')).toBe('203.0.113.9');
  });

  it('counts IPv6 by its /64', () => {
    expect(rateLimitKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(rateLimitKey('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
    expect(rateLimitKey('2001:db8:1:3::9')).toBe('2001:db8:1:3::/64');
    expect(rateLimitKey('2001:db8::1')).toBe('2001:db8:0:0::/64');
    expect(rateLimitKey('::1')).toBe('0:0:0:0::/64');
    expect(rateLimitKey('fe80::')).toBe('fe80:0:0:0::/64');
  });
});

describe('the address of a client', () => {
  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((entry) => entry?.address === '::1');

  async function seenFrom(host: string, listenOn: string): Promise<unknown> {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)], { host: listenOn });
    const client = await RawClient.open(port, host);
    client.send(requestText('GET /t'));
    const { address } = JSON.parse((await client.response()).body.toString());
    client.destroy();
    return address;
  }

  it('is IPv4 over IPv4', async () => {
    expect(await seenFrom('127.0.0.1', '127.0.0.1')).toBe('127.0.0.1');
  });

  it.skipIf(!hasIpv6)('is ::1 over IPv6 (skipped where the machine has no ::1)', async () => {
    expect(await seenFrom('::1', '::1')).toBe('::1');
  });

  it.skipIf(!hasIpv6)('is IPv4 when an IPv4 client reaches an IPv6 listener', async () => {
    expect(await seenFrom('127.0.0.1', '::')).toBe('127.0.0.1');
  });
});
