// Rules: spec/sign-in.md#allowed-origins
import { describe, expect, it } from 'vitest';
import { checkOrigin } from '../../../src/config/apps/origin.ts';

const USUAL = { isStaging: false, isDevelopment: false };
const DEVELOPMENT = { isStaging: true, isDevelopment: true };
const NO_ORIGIN =
  'is not an origin; expected scheme, host and port in lower case, without a path, such as capacitor://localhost';

describe('an origin of the pages of a client', () => {
  it.each([
    'https://app.example',
    'https://app.example:8443',
    'https://xn--bcher-kva.example',
    'https://[2001:db8::1]:8443',
    'https://localhost',
    'http://localhost',
    'http://localhost:8100',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://tauri.localhost',
    'https://tauri.localhost',
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'app://localhost',
    'app://notes.example',
    'app://-',
    'app://.',
    'com.example.app://localhost:8080',
    'chrome-extension://aapocclcgogkmnckokdopfmhonfmgoek',
    'moz-extension://4f6a3c2e-0d6e-4f0a-9b1c-6f2d3a7e5b10',
  ])('may be %s', (origin) => {
    expect(checkOrigin(origin, USUAL)).toBeUndefined();
  });

  it('may be http on any host for a staging client with the development mark alone', () => {
    expect(checkOrigin('http://192.0.2.1:8100', DEVELOPMENT)).toBeUndefined();
    for (const rules of [
      USUAL,
      { ...DEVELOPMENT, isStaging: false },
      { ...DEVELOPMENT, isDevelopment: false },
    ]) {
      const reason = 'is http on a host other than localhost; expected https';
      expect(checkOrigin('http://192.0.2.1:8100', rules)).toBe(reason);
    }
  });

  it.each([
    ['null', 'is the origin of every sandboxed page and local file'],
    ['*', 'has a "*", and origins are compared byte for byte'],
    ['https://*.app.example', 'has a "*", and origins are compared byte for byte'],
    [
      'app.example',
      'is not an origin; expected scheme, host and port as browsers send them, such as https://app.example',
    ],
    [
      'https://',
      'is not an origin; expected scheme, host and port as browsers send them, such as https://app.example',
    ],
    ['https://app.example/', 'is not what browsers send, which is "https://app.example"'],
    ['https://app.example/path?a#b', 'is not what browsers send, which is "https://app.example"'],
    ['https://app.example:443', 'is not what browsers send, which is "https://app.example"'],
    ['HTTPS://App.example', 'is not what browsers send, which is "https://app.example"'],
    ['https://me@app.example', 'is not what browsers send, which is "https://app.example"'],
    ['https://bücher.example', 'is not what browsers send, which is "https://xn--bcher-kva.example"'],
    [' https://app.example', 'is not what browsers send, which is "https://app.example"'],
    ['http://app.example', 'is http on a host other than localhost; expected https'],
    ['http://localhost.evil.example', 'is http on a host other than localhost; expected https'],
    ['capacitor://localhost/', NO_ORIGIN],
    ['Capacitor://localhost', NO_ORIGIN],
    ['capacitor://LOCALHOST', NO_ORIGIN],
    ['capacitor://me@localhost', NO_ORIGIN],
    ['capacitor:localhost', NO_ORIGIN],
    ['capacitor://', NO_ORIGIN],
    ['file://', 'has the scheme file, which is never allowed'],
    ['data:text/html,x', 'has the scheme data, which is never allowed'],
    ['javascript:alert(1)', 'has the scheme javascript, which is never allowed'],
    ['blob:https://app.example', 'has the scheme blob, which is never allowed'],
    ['wss://app.example', 'has the scheme wss, which is never allowed'],
    ['capacitor://localhost\n', NO_ORIGIN],
  ])('must not be %j', (origin, reason) => {
    expect(checkOrigin(origin, USUAL)).toBe(reason);
  });
});
