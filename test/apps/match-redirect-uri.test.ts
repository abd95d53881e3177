// Rules: spec/sign-in.md#redirect-uris
import { describe, expect, it } from 'vitest';
import { matchesRedirectUri, originsOf } from '../../src/apps/index.ts';
import { type ClientMetadata, DEFAULT_CLIENT } from '../../src/storage/index.ts';

function app(redirectUris: readonly string[], applicationType: ClientMetadata['applicationType'] = 'web') {
  return { client: { ...DEFAULT_CLIENT, redirectUris, applicationType } };
}

describe('a redirect URI of a request', () => {
  it('matches the registered one byte for byte', () => {
    const shop = app(['https://shop.example/cb?a=1', 'https://shop.example/%7Eme']);
    expect(matchesRedirectUri(shop, 'https://shop.example/cb?a=1')).toBe(true);
    expect(matchesRedirectUri(shop, 'https://shop.example/%7Eme')).toBe(true);
  });

  it.each([
    'https://shop.example/cb/',
    'https://shop.example/cb?',
    'https://shop.example/CB',
    'https://SHOP.example/cb',
    'https://shop.example:443/cb',
    'https://shop.example/c%62',
    'https://shop.example/cb ',
    'https://shop.example/cb\n',
    'https://shop.example',
    'https://shop.example.evil.example/cb',
    '',
  ])('does not match as %j', (uri) => {
    expect(matchesRedirectUri(app(['https://shop.example/cb'], 'native'), uri)).toBe(false);
  });

  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb'],
    ['http://127.0.0.1:1/cb', 'http://127.0.0.1:65535/cb'],
    ['http://127.0.0.1:80/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]/cb?x=1', 'http://[::1]:8080/cb?x=1'],
    ['http://localhost', 'http://localhost:3000'],
  ])('of a native client may have another port: %s matches %s', (registered, uri) => {
    expect(matchesRedirectUri(app([registered], 'native'), uri)).toBe(true);
    expect(matchesRedirectUri(app([registered], 'web'), uri)).toBe(false);
  });

  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/other'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb?x=1'],
    ['http://127.0.0.1/cb', 'http://localhost:51004/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1:51004/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65536/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:0/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004@evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:/cb'],
    ['http://127.0.0.1', 'http://127.0.0.1:80.evil.example'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb\n'],
    ['https://127.0.0.1/cb', 'https://127.0.0.1:51004/cb'],
    ['http://shop.test/cb', 'http://shop.test:51004/cb'],
    ['com.example.app://x/cb', 'com.example.app://x:1/cb'],
  ])('of a native client may differ only in a loopback port: %s does not match %j', (registered, uri) => {
    expect(matchesRedirectUri(app([registered], 'native'), uri)).toBe(false);
  });
});

describe('the origins of a client', () => {
  it('are those of its http and https URIs, as browsers serialize them', () => {
    const uris = [
      'https://shop.example/cb',
      'https://shop.example/other',
      'https://Shop.Example:443/cb',
      'https://shop.example:8443/cb',
      'http://127.0.0.1:3000/cb',
      'http://[::1]:3000/cb',
      'com.example.app:/cb',
    ];
    expect([...originsOf(app(uris, 'native'))]).toEqual([
      'https://shop.example',
      'https://shop.example:8443',
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
    ]);
    expect(originsOf(app([])).size).toBe(0);
  });
});
