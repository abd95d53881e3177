// Rules: spec/sign-in.md#redirect-uris
import { describe, expect, it } from 'vitest';
import { checkRedirectUri, type RedirectUriRules } from '../../../src/config/apps/redirect-uri.ts';

const WEB: RedirectUriRules = {
  isStaging: false,
  applicationType: 'web',
  allowShortScheme: false,
  isDevelopment: false,
};
const NATIVE: RedirectUriRules = { ...WEB, applicationType: 'native' };
const SHORT: RedirectUriRules = { ...NATIVE, allowShortScheme: true };
const STAGING: RedirectUriRules = { ...WEB, isStaging: true };
const DEVELOPMENT: RedirectUriRules = { ...STAGING, isDevelopment: true };

const NOT_LOOPBACK = 'is http on a host other than localhost, 127.0.0.1, [::1]; expected https';
const NO_HTTP =
  'is http, which only staging and native clients may have, and only on a loopback host; expected https';
const CHARACTER =
  'has a character that no URI may have (RFC 3986), such as a space, a control character or one outside ASCII';

describe('checkRedirectUri, allowed', () => {
  it.each<[string, RedirectUriRules]>([
    ['https://shop.example/cb', WEB],
    ['https://shop.example', WEB],
    ['https://shop.example:8443/cb?tenant=a&b=%20', WEB],
    ['HTTPS://Shop.Example/cb', WEB],
    ['https://127.0.0.1/cb', WEB],
    ['https://[2001:db8::1]/cb', WEB],
    [`https://shop.example/${'a'.repeat(2048 - 21)}`, WEB],
    ['http://localhost/cb', STAGING],
    ['http://localhost:3000/cb', STAGING],
    ['http://127.0.0.1:3000/cb', STAGING],
    ['http://[::1]:3000/cb', STAGING],
    ['http://LOCALHOST:3000/cb', STAGING],
    ['http://127.0.0.1/cb', NATIVE],
    ['com.example.app:/cb', NATIVE],
    ['com.example.app://callback/path', NATIVE],
    ['https://shop.example/cb', NATIVE],
    ['audiobookshelf://oauth', SHORT],
    ['vscode://vscode.github-authentication/did-authenticate', SHORT],
    ['cursor://anysphere.cursor-retrieval/cb?a=1', SHORT],
    ['myapp://callback', SHORT],
    ['myapp:/callback', SHORT],
    ['MyApp://callback', SHORT],
    ['com.example.app:/cb', SHORT],
    ['http://shop.test:3000/cb', DEVELOPMENT],
  ])('%s for %o', (uri, rules) => {
    expect(checkRedirectUri(uri, rules)).toBeUndefined();
  });
});

describe('checkRedirectUri, refused with the reason', () => {
  it.each<[string, RedirectUriRules, string]>([
    ['/cb', WEB, 'is not absolute: it has no scheme'],
    ['//shop.example/cb', WEB, 'is not absolute: it has no scheme'],
    ['shop.example/cb', WEB, 'is not absolute: it has no scheme'],
    [`https://shop.example/${'a'.repeat(2049 - 21)}`, WEB, 'is longer than 2048 characters'],
    ['https://shop.example/c b', WEB, CHARACTER],
    ['https://shop.example/cb\n', WEB, CHARACTER],
    ['https://shop.example/cb\u0000', WEB, CHARACTER],
    ['https://shöp.example/cb', WEB, CHARACTER],
    ['https://shop.example\\@evil.example/cb', WEB, CHARACTER],
    ['https://shop.example/"><script>', WEB, CHARACTER],
    ['', WEB, CHARACTER],
    ['https://shop.example/cb#', WEB, 'has a fragment'],
    ['https://shop.example/cb#part', WEB, 'has a fragment'],
    ['https://me@shop.example/cb', WEB, 'has user info'],
    ['https://me:pass@shop.example/cb', WEB, 'has user info'],
    ['https://@shop.example/cb', WEB, 'has user info'],
    ['com.example.app://me@host/cb', NATIVE, 'has user info'],
    ['https://*.shop.example/cb', WEB, 'has a "*", and URIs are compared byte for byte'],
    ['https://shop.example/*', WEB, 'has a "*", and URIs are compared byte for byte'],
    ['http://shop.example/cb', WEB, NO_HTTP],
    ['http://localhost/cb', WEB, NO_HTTP],
    ['http://shop.example/cb', STAGING, NOT_LOOPBACK],
    ['http://shop.example/cb', NATIVE, NOT_LOOPBACK],
    ['http://localhost.evil.example/cb', STAGING, NOT_LOOPBACK],
    ['http://127.0.0.2/cb', STAGING, NOT_LOOPBACK],
    ['http://127.1/cb', STAGING, NOT_LOOPBACK],
    ['http://shop.test/cb', { ...DEVELOPMENT, isStaging: false }, NO_HTTP],
    ['http://shop.test/cb', { ...DEVELOPMENT, isDevelopment: false }, NOT_LOOPBACK],
    ['https:///cb', WEB, 'has no valid host'],
    ['https:shop.example/cb', WEB, 'has no valid host'],
    ['https://:443/cb', WEB, 'has no valid host'],
    ['https://shop.example:99999/cb', WEB, 'has no valid host'],
    [
      'com.example.app:/cb',
      WEB,
      'has the private scheme com.example.app, which only native clients may have',
    ],
    [
      'myapp://cb',
      NATIVE,
      'has the private scheme myapp without a dot, which any app may claim; allow_short_scheme accepts the risk',
    ],
    [
      'myapp://cb',
      { ...SHORT, applicationType: 'web' },
      'has the private scheme myapp, which only native clients may have',
    ],
    ['myapp://me@cb', SHORT, 'has user info'],
    ['myapp://*', SHORT, 'has a "*", and URIs are compared byte for byte'],
    ['myapp://cb#a', SHORT, 'has a fragment'],
    ['my_app://cb', SHORT, 'is not absolute: it has no scheme'],
    ['myapp://cb', DEVELOPMENT, 'has the private scheme myapp, which only native clients may have'],
    ...[
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'file:///cb',
      'blob:https://x/y',
      'about:blank',
      'vbscript:x',
      'view-source:https://x',
      'mailto:a@b.example'.replace('@', '%40'),
      'intent://x',
      'chrome://settings',
      'MS-settings:x',
      'web+shop://cb',
      'httpx://shop.example',
      'localhost:3000/cb',
      'tel:1',
      'wss://x',
    ].map((uri): [string, RedirectUriRules, string] => [
      uri,
      { ...SHORT, ...DEVELOPMENT, allowShortScheme: true, applicationType: 'native' },
      `has the scheme ${uri.split(':')[0]?.toLowerCase()}, which is never allowed`,
    ]),
  ])('%j for %o', (uri, rules, reason) => {
    expect(checkRedirectUri(uri, rules)).toBe(reason);
  });
});
