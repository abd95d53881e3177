// Rules: spec/operations.md#admin-api
import { describe, expect, it } from 'vitest';
import { renderAdminError } from '../../../src/http/errors/admin.ts';
import { createHostCheck } from '../../../src/http/headers/own-host.ts';
import { rawRequest } from '../../support/server/raw-client.ts';
import { openListener, testRoute } from '../../support/server/test-listener.ts';

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
