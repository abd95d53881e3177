// Rules: spec/sign-in.md#cors
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { type BackChannel, openBackChannel, type Reply, startBackChannel } from '../support/back-channel.ts';

const OWN = 'https://own.example';
const OTHER = 'http://127.0.0.1:3000';
const PAST = 'https://past.example';
const STRANGER = 'https://stranger.example';
/** Origins of the pages of an app whose only redirect URI has a private scheme. */
const OF_AN_APP = ['https://localhost', 'capacitor://localhost', 'http://tauri.localhost', 'app://-'];
let token: string;
const service = opened(openBackChannel, 'stop');
const own = opened(() => service.addClient({ redirectUris: [`${OWN}/cb`, 'com.example.app:/cb'] }));
const app = opened(() =>
  service.addClient({
    redirectUris: ['com.example.app:/cb'],
    applicationType: 'native',
    tokenEndpointAuthMethod: 'none',
    allowedOrigins: OF_AN_APP,
  }),
);
beforeAll(async () => {
  await service.addClient({ redirectUris: [`${OTHER}/cb?x=1`] });
  await service.addClient(
    { redirectUris: [`${PAST}/cb`], allowedOrigins: ['ionic://localhost'] },
    { status: 'disabled' },
  );
  token = await service.accessToken(own);
});

function corsOf({ headers }: Reply): Record<string, string> {
  const names = [...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-'));
  return Object.fromEntries(names);
}

const VARY = { vary: 'Origin' };
const PREFLIGHT_VARY = { vary: 'Origin, Access-Control-Request-Headers' };
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
  const preflight = (origin: string, requested = 'authorization'): Promise<Reply> =>
    service.call(`OPTIONS ${path}`, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': requested,
      },
    });

  it.each([OWN, OTHER])('allows %s, an origin of an active client', async (origin) => {
    const reply = await preflight(origin);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(corsOf(reply)).toEqual({
      ...allowed(origin),
      ...PREFLIGHT_VARY,
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
      expect(corsOf(reply)).toEqual(PREFLIGHT_VARY);
    },
  );

  it('allows what error monitors and tracers add to every request of a page', async () => {
    const reply = await preflight(OWN, 'baggage,sentry-trace,traceparent');
    const names = 'Authorization, Content-Type, DPoP, baggage, sentry-trace, traceparent';
    expect(reply.headers.get('access-control-allow-headers')).toBe(names);
  });

  it('allows the origins that a client has besides its redirect URIs', async () => {
    for (const origin of OF_AN_APP) {
      const reply = await preflight(origin, 'content-type');
      expect(reply.headers.get('access-control-allow-origin')).toBe(origin);
    }
  });
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

  it('is allowed for the origins that its own client has besides its redirect URIs', async () => {
    for (const [origin, expected] of [
      ['capacitor://localhost', allowed('capacitor://localhost')],
      ['ionic://localhost', VARY],
      [OWN, VARY],
    ] as const) {
      const form = { client_id: app.id, token: 'x' };
      expect(corsOf(await from(origin, 'POST /revoke', { form }))).toEqual(expected);
    }
  });

  it('without an Origin gets no CORS header but Vary', async () => {
    const reply = await service.call('POST /token', { form: '' });
    expect(corsOf(reply)).toEqual(VARY);
  });
});
