import { describe, expect, it } from 'vitest';
import { renderAdminError } from '../../../src/http/errors/admin.ts';
import {
  createHostCheck,
  mediaTypeOf,
  prefersHtml,
  requireForm,
  requireJson,
} from '../../../src/http/headers/request-headers.ts';
import { rawRequest } from '../../support/server/raw-client.ts';
import { openListener, testRoute } from '../../support/server/test-listener.ts';

describe('a page at a URL that API clients use too', () => {
  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
    ['text/html'],
    ['TEXT/HTML; charset=utf-8'],
    ['text/html, */*'],
    ['text/html;q=0.5, */*;q=0.1'],
    ['application/json;q=0.9, text/html'],
    ['text/html, application/json;q=0'],
  ])('is served for Accept %j', (accept) => {
    expect(prefersHtml(accept)).toBe(true);
  });

  it.each([
    [undefined],
    [''],
    ['*/*'],
    ['text/*'],
    ['application/json'],
    ['application/json, text/html'],
    ['text/html, application/json'],
    ['text/html;q=0.8, application/json;q=0.9'],
    ['text/html;q=0'],
    ['text/html;q=0, */*'],
    ['text/html;q=0.1, */*;q=0.2'],
    ['application/xhtml+xml'],
    ['text/plain'],
    [';;q,,'],
    [`${'x/y,'.repeat(300)}text/html`],
  ])('is not served for Accept %j', (accept) => {
    expect(prefersHtml(accept)).toBe(false);
  });
});

const typed = (value: string): ReadonlyMap<string, string> => new Map([['content-type', value]]);
const NONE: ReadonlyMap<string, string> = new Map();

describe('the media type of a request', () => {
  it.each([
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    [' application/json ;charset=utf-8', 'application/json'],
    ['application/json;', 'application/json'],
    ['application/problem+json', 'application/problem+json'],
    ['', ''],
  ])('of Content-Type %j is %j', (value, expected) => {
    expect(mediaTypeOf(typed(value))).toBe(expected);
  });

  it('is undefined without the header', () => {
    expect(mediaTypeOf(NONE)).toBeUndefined();
  });
});

describe('a route that takes one media type', () => {
  it.each(['application/json', 'APPLICATION/JSON;charset=utf-8'])('of JSON accepts %j', (value) => {
    expect(() => requireJson(typed(value))).not.toThrow();
  });

  it.each([
    'text/plain',
    'application/json-seq',
    'application/x-www-form-urlencoded',
    'text/application/json',
    '',
  ])('of JSON refuses %j', (value) => {
    expect(() => requireJson(typed(value))).toThrow(expect.objectContaining({ code: 'http.not_json' }));
  });

  it.each(['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=UTF-8'])(
    'of forms accepts %j',
    (value) => {
      expect(() => requireForm(typed(value))).not.toThrow();
    },
  );

  it.each(['multipart/form-data; boundary=x', 'application/json', ''])('of forms refuses %j', (value) => {
    expect(() => requireForm(typed(value))).toThrow(expect.objectContaining({ code: 'signin.not_a_form' }));
  });

  it('refuses a request without the header', () => {
    expect(() => requireJson(NONE)).toThrow(expect.objectContaining({ code: 'http.not_json' }));
    expect(() => requireForm(NONE)).toThrow(expect.objectContaining({ code: 'signin.not_a_form' }));
  });
});

describe('the host of a request to the admin listener', () => {
  const isOwn = createHostCheck(['Admin.Example.', '0.0.0.0']);

  it.each([
    'localhost',
    'localhost:9090',
    'LOCALHOST.',
    'a.localhost:1',
    'admin.example',
    'ADMIN.example:9090',
    '127.0.0.1',
    '10.1.2.3:9090',
    '[::1]',
    '[2001:db8::1]:9090',
    '[::ffff:10.0.0.1]:80',
  ])('may be %s', (host) => {
    expect(isOwn(host)).toBe(true);
  });

  it.each([
    'evil.example',
    'evil.example:9090',
    'admin.example.evil.example',
    'xadmin.example',
    'localhost.evil',
    '',
    ':9090',
    'evillocalhost',
    '127.0.0.1.evil.example',
    '[::1].evil.example',
    'admin.example@evil',
    '127.1',
    '2130706433',
    'localhost:9090:80',
    'localhost#a',
  ])('is not %j', (host) => {
    expect(isOwn(host)).toBe(false);
  });

  it('is checked before anything else, on unknown paths too, and absent only in requests of no browser', async () => {
    const options = { fallbacks: [], renderUnknown: renderAdminError, hostNames: ['admin.example'] };
    const route = testRoute('GET', '/t', () => ({ status: 200 }), { renderError: renderAdminError });
    const { port, records } = await openListener([route], options);
    const statusOf = async (target: string, host: string): Promise<number> =>
      (await rawRequest(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status;
    expect(await statusOf('/t', 'admin.example')).toBe(200);
    expect(await statusOf('/t', 'evil.example')).toBe(421);
    expect(await statusOf('/unknown', 'evil.example')).toBe(421);
    expect(await statusOf('/unknown', 'localhost')).toBe(404);
    expect(records.map(({ code }) => code)).toEqual([
      undefined,
      'admin.host_not_allowed',
      'admin.host_not_allowed',
      'http.not_found',
    ]);
  });
});
