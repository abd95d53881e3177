// Rules: spec/operations.md#egress-proxy
import { describe, expect, it } from 'vitest';
import { isProxyException, parseProxy, proxyFinder } from '../../../src/config/values/proxy-rules.ts';

describe('the address of a proxy', () => {
  it.each([
    ['http://egress.example:3128', { isTls: false, host: 'egress.example', port: 3128 }],
    ['HTTP://egress.example', { isTls: false, port: 80, name: 'http://egress.example' }],
    ['https://egress.example', { isTls: true, port: 443, name: 'https://egress.example' }],
    ['http://[fd00::1]:3128/', { host: 'fd00::1', name: 'http://[fd00::1]:3128' }],
    ['egress.example:3128', { isTls: false, host: 'egress.example', port: 3128 }],
    ['http://egress.example', { authorization: undefined }],
    ['http://a%40b:p%3Aw%C3%A9@h', { authorization: `Basic ${Buffer.from('a@b:p:wé').toString('base64')}` }],
    ['http://user@h:1', { authorization: `Basic ${btoa('user:')}`, name: 'http://h:1' }],
  ])('%s is read', (text, expected) => {
    expect(parseProxy(text)).toMatchObject(expected);
  });

  it.each([
    'socks5://egress.example:1080',
    'ftp://egress.example',
    'http://',
    'http://egress.example/path',
    'http://egress.example?x=1',
    'http://egress.example:99999',
    'http://user:p%zz@egress.example',
    'http://user:p#ss@egress.example',
    'DIRECT;PROXY a:1',
    '',
  ])('%s is none', (text) => {
    expect(parseProxy(text)).toBeUndefined();
  });
});

describe('an exception from the proxy', () => {
  const proxy = parseProxy('http://egress.example:3128');
  const isDirect = (exceptions: readonly string[], url: string): boolean =>
    proxyFinder({ http: proxy, https: proxy, exceptions })(new URL(url)) === undefined;

  it.each([
    ['*', 'https://anything.example/', true],
    ['a.example', 'https://a.example/', true],
    ['a.example', 'https://A.Example./', true],
    ['A.EXAMPLE.', 'https://a.example/', true],
    ['a.example', 'https://b.a.example/', true],
    ['a.example', 'https://ba.example/', false],
    ['a.example', 'https://a.example.evil/', false],
    ['.a.example', 'https://b.a.example/', true],
    ['.a.example', 'https://a.example/', true],
    ['*.a.example', 'https://b.a.example/', true],
    ['.a.example', 'https://ba.example/', false],
    ['internal', 'http://db.internal:8080/', true],
    ['a.example:8443', 'https://a.example:8443/', true],
    ['a.example:8443', 'https://a.example/', false],
    ['a.example:443', 'https://a.example/', true],
    ['a.example:80', 'http://a.example/', true],
    ['10.1.2.3', 'https://10.1.2.3/', true],
    ['10.1.2.3', 'https://10.1.2.4/', false],
    ['10.1.2.3:8545', 'http://10.1.2.3:8545/', true],
    ['10.1.2.3:8545', 'http://10.1.2.3/', false],
    ['10.1.2.3', 'https://[::ffff:10.1.2.3]/', true],
    ['10.0.0.0/8', 'http://10.200.0.1/', true],
    ['10.0.0.0/8', 'http://11.0.0.1/', false],
    ['10.0.0.0/8', 'http://10.example/', false],
    ['fd00::/8', 'https://[fd12::1]/', true],
    ['fd00::/8', 'https://[fe12::1]/', false],
    ['fd00::1', 'https://[fd00:0::1]:8443/', true],
    ['[fd00::1]', 'https://[fd00::1]/', true],
    ['[fd00::1]:8443', 'https://[fd00::1]/', false],
    ['[fd00::1]:8443', 'https://[fd00::1]:8443/', true],
    // not asked: this machine and its link are called directly
    ['x', 'http://localhost:9090/', true],
    ['x', 'http://a.localhost/', true],
    ['x', 'http://127.9.9.9/', true],
    ['x', 'http://[::1]/', true],
    ['x', 'http://0.0.0.0/', true],
    ['x', 'http://169.254.169.254/', true],
    ['x', 'http://[fe80::1]/', true],
    ['<-loopback>', 'http://127.0.0.1/', false],
    ['<-loopback>', 'http://localhost/', false],
    ['x', 'http://localhost.example/', false],
  ])('%s: %s is called directly: %s', (entry, url, expected) => {
    expect(isProxyException(entry)).toBe(true);
    expect(isDirect(['z.example', entry], url)).toBe(expected);
  });

  it.each(['10.0.0.0/33', 'fd00::/129', 'a.example/8', 'https://a.example', 'a b', '[fd00::1', 'a..b:x', ''])(
    '%s is none',
    (entry) => {
      expect(isProxyException(entry)).toBe(false);
      expect(isDirect([entry], 'https://a.example/')).toBe(false);
    },
  );

  it('is none of a name of thousands of characters, at once', () => {
    expect(isProxyException(`${'a'.repeat(50_000)}!`)).toBe(false);
  });

  it('leaves http and https to a proxy of their own', () => {
    const https = parseProxy('http://other.example:3128');
    const find = proxyFinder({ http: proxy, https, exceptions: [] });
    expect(find(new URL('http://a.example'))).toBe(proxy);
    expect(find(new URL('https://a.example'))).toBe(https);
    expect(
      proxyFinder({ http: undefined, https, exceptions: [] })(new URL('http://a.example')),
    ).toBeUndefined();
  });
});
