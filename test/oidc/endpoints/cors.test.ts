// Rules: spec/sign-in.md#cors
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { type BackChannel, openBackChannel, type Reply, startBackChannel } from '../support/back-channel.ts';

const OWN = 'https://own.example';
const OTHER = 'http://127.0.0.1:3000';
const PAST = 'https://past.example';
const STRANGER = 'https://stranger.example';
let token: string;
const service = opened(openBackChannel, 'stop');
const own = opened(() => service.addClient({ redirectUris: [`${OWN}/cb`, 'com.example.app:/cb'] }));
beforeAll(async () => {
  await service.addClient({ redirectUris: [`${OTHER}/cb?x=1`] });
  await service.addClient({ redirectUris: [`${PAST}/cb`] }, { status: 'disabled' });
  token = await service.accessToken(own);
});

function corsOf({ headers }: Reply): Record<string, string> {
  const names = [...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-'));
  return Object.fromEntries(names);
}

const VARY = { vary: 'Origin' };
function allowed(origin: string): Record<string, string> {
  return {
    ...VARY,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'DPoP-Nonce, WWW-Authenticate',
  };
}

describe.each([
  ['/par', 'POST, OPTIONS'],
  ['/token', 'POST, OPTIONS'],
  ['/revoke', 'POST, OPTIONS'],
  ['/userinfo', 'GET, POST, OPTIONS'],
])('a preflight of %s', (path, methods) => {
  const preflight = (origin: string): Promise<Reply> =>
    service.call(`OPTIONS ${path}`, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });

  it.each([OWN, OTHER])('allows %s, an origin of an active client', async (origin) => {
    const reply = await preflight(origin);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(corsOf(reply)).toEqual({
      ...allowed(origin),
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'Authorization, Content-Type, DPoP',
      'access-control-max-age': '600',
    });
  });

  it.each([STRANGER, PAST, 'null', 'HTTPS://own.example', 'https://own.example.evil', 'com.example.app://'])(
    'answers 204 to %s without CORS headers',
    async (origin) => {
      const reply = await preflight(origin);
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect(corsOf(reply)).toEqual(VARY);
    },
  );
});

describe('a request from a page', () => {
  const from = (
    origin: string,
    line: string,
    options: Parameters<BackChannel['call']>[1] = {},
  ): Promise<Reply> => service.call(line, { ...options, headers: { ...options.headers, origin } });

  it('is checked against the origins of its own client at /token, /revoke and /userinfo', async () => {
    const basic = { authorization: own.basic };
    const bearer = { authorization: `Bearer ${token}` };
    for (const [origin, expected] of [
      [OWN, allowed(OWN)],
      [OTHER, VARY],
      [STRANGER, VARY],
    ] as const) {
      const form = {
        grant_type: 'authorization_code',
        code: await service.issueCode(own, { redirectUri: `${OWN}/cb` }),
        redirect_uri: `${OWN}/cb`,
      };
      const answers = [
        await from(origin, 'POST /token', { headers: basic, form }),
        await from(origin, 'POST /token', { form: { ...form, client_id: own.id, client_secret: 'sk_x' } }),
        await from(origin, 'POST /token', { headers: basic, form }),
        await from(origin, 'POST /token', { headers: basic, form: '' }),
        await from(origin, 'POST /revoke', { headers: basic, form: { token: 'x' } }),
        await from(origin, 'POST /revoke', { headers: basic, form: '' }),
        await from(origin, 'GET /userinfo', { headers: bearer }),
        await from(origin, 'POST /userinfo', { headers: bearer }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 401, 400, 400, 200, 400, 200, 200]);
      for (const answer of answers) expect(corsOf(answer)).toEqual(expected);
    }
  });

  it('is checked against the origins of all active clients if its client is unknown', async () => {
    for (const [origin, expected] of [
      [OWN, allowed(OWN)],
      [OTHER, allowed(OTHER)],
      [PAST, VARY],
      [STRANGER, VARY],
    ] as const) {
      const answers = [
        await from(origin, 'POST /token', { form: '', contentType: 'text/plain' }),
        await from(origin, 'POST /token', { form: '' }),
        await from(origin, 'POST /token', { form: 'a=%zz' }),
        await from(origin, 'POST /token', { form: { client_id: 'app_1' } }),
        await from(origin, 'POST /token', { form: 'a'.repeat(16_385) }),
        await from(origin, 'PUT /token'),
        await from(origin, 'GET /userinfo'),
        await from(origin, 'GET /userinfo', { headers: { authorization: 'Bearer x' } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 401, 400, 401, 413, 405, 401, 401]);
      for (const answer of answers) expect(corsOf(answer)).toEqual(expected);
    }
  });

  it('may read the answer to too many requests', async () => {
    const limited = await startBackChannel({ 'rateLimits.token': '1', 'rateLimits.clientAuthFailures': '1' });
    const client = await limited.addClient({ redirectUris: [`${OWN}/cb`] });
    const wrong = { form: { client_id: client.id, client_secret: 'sk_x' }, headers: { origin: OWN } };
    for (const [path, status] of [
      ['/token', 401],
      ['/token', 429],
      ['/revoke', 429],
    ] as const) {
      const reply = await limited.call(`POST ${path}`, wrong);
      expect([reply.status, corsOf(reply)]).toEqual([status, allowed(OWN)]);
    }
  });

  it('is allowed as soon as a client with its origin is added', async () => {
    const added = await service.addClient({ redirectUris: ['https://new.example/cb'] });
    const reply = await from('https://new.example', 'POST /revoke', {
      headers: { authorization: added.basic },
      form: { token: 'x' },
    });
    expect(corsOf(reply)).toEqual(allowed('https://new.example'));
  });

  it('without an Origin gets no CORS header but Vary', async () => {
    const reply = await service.call('POST /token', { form: '' });
    expect(corsOf(reply)).toEqual(VARY);
  });
});
