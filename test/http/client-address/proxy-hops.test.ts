// Rules: spec/operations.md#client-address
import { describe, expect, it } from 'vitest';
import { hopsFromLast } from '../../../src/http/client-address/proxy-source.ts';

const forwarded = (...lines: string[]): string[] => [...hopsFromLast('forwarded', lines)];
const plain = (...lines: string[]): string[] => [...hopsFromLast('x-forwarded-for', lines)];

describe('hops of X-Forwarded-For', () => {
  it('are read from the last to the first, over several lines', () => {
    expect(plain('192.0.2.1, 192.0.2.2', '192.0.2.3')).toEqual(['192.0.2.3', '192.0.2.2', '192.0.2.1']);
  });

  const spellings: [string, string][] = [
    ['192.0.2.1:4711', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['[::FFFF:c000:201]:1', '192.0.2.1'],
    ['\t192.0.2.1 ', '192.0.2.1'],
  ];
  it.each(spellings)('are read from %j as %s', (text, address) => {
    expect(plain(text)).toEqual([address]);
  });

  const malformed = [
    '',
    'unknown',
    '_hidden',
    'example.org',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    '0xc0000201',
    '192.0.2.1:',
    '192.0.2.1:123456',
    '[192.0.2.1]',
    '[2001:db8::1',
    '2001:db8::1]',
    '2001:db8::g',
    'fe80::1%eth0',
    '"192.0.2.1"',
    '192.0.2.1 192.0.2.2',
    '192.0.2.1;',
    'for=192.0.2.1',
  ];
  it.each(malformed)('end at %j', (text) => {
    expect(plain(`192.0.2.9, ${text}, 192.0.2.8`)).toEqual(['192.0.2.8']);
    expect(plain('192.0.2.9', text)).toEqual([]);
  });
});

describe('hops of Forwarded', () => {
  it('are read from the last to the first, over several lines', () => {
    expect(forwarded('for=192.0.2.1, for=192.0.2.2;proto=https', 'by=10.0.0.1;for=192.0.2.3')).toEqual([
      '192.0.2.3',
      '192.0.2.2',
      '192.0.2.1',
    ]);
  });

  const spellings: [string, string][] = [
    ['For="[2001:DB8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for="192.0.2.1:_port.1"', '192.0.2.1'],
    ['FOR=192.0.2.1;by=203.0.113.43;proto=http', '192.0.2.1'],
    ['proto=http ; for="192\\.0.2.1"', '192.0.2.1'],
    ['for=192.0.2.1;host="a, b;for=6.6.6.6"', '192.0.2.1'],
    ['host="\\";for=6.6.6.6";for=192.0.2.1', '192.0.2.1'],
    ['for="[::ffff:192.0.2.1]"', '192.0.2.1'],
  ];
  it.each(spellings)('are read from %j as %s', (text, address) => {
    expect(forwarded(text)).toEqual([address]);
  });

  const malformed = [
    'for=',
    'for',
    'proto=https',
    'for=unknown',
    'for=_hidden',
    'for="_hidden:80"',
    'for=2001:db8::1',
    'for="2001:db8::1"',
    'for=192.0.2.1:80',
    'for=[2001:db8::1]',
    'for="192.0.2.1',
    '192.0.2.1',
    '',
    'for=192.0.2.1;for=192.0.2.2',
    'for=192.0.2.1;',
    'for = 192.0.2.1',
    'for="[192.0.2.1]"',
    'for=""',
    'for="[fe80::1%25eth0]"',
    'for=192.0.2.1 for=192.0.2.2',
  ];
  it.each(malformed)('end at %j', (text) => {
    expect(forwarded(`for=192.0.2.9, ${text}, for=192.0.2.8`)).toEqual(['192.0.2.8']);
    expect(forwarded('for=192.0.2.9', text)).toEqual(text === '' ? ['192.0.2.9'] : []);
  });

  const prefixes = ['for="', 'for=6.6.6.6;x="', 'for=6.6.6.6;x="\\', '"', 'for=6.6.6.6;x="y,', ',,,', ';'];
  it.each(prefixes)('end with the element of the proxy, even when a client put %j before it', (prefix) => {
    for (const own of ['for=192.0.2.8', 'for="[2001:db8::8]:80"', 'for=192.0.2.8;host="a, for=6.6.6.6"']) {
      const [first] = forwarded(`${prefix}, ${own}`);
      expect(first).toBe(own.includes('2001') ? '2001:db8::8' : '192.0.2.8');
    }
  });

  it('are parsed in time linear in the length of the header, whatever it contains', () => {
    const pieces = [
      ',',
      ', ',
      'a=',
      ',a="',
      ',a="x",',
      ';',
      'for=1.2.3.4,',
      ' ',
      '"',
      '\\',
      'a=b;',
      ',a=b',
      '\t;',
    ];
    for (const piece of pieces) {
      const line = piece.repeat(Math.floor(60_000 / piece.length));
      for (const end of ['', '"', 'x', ' ', '=']) {
        const [first] = hopsFromLast('forwarded', [line + end]);
        expect(first ?? '1.2.3.4').toBe('1.2.3.4');
      }
    }
  });
});
