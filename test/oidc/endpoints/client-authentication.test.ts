// Rules: spec/sign-in.md#client-authentication
import { describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../../src/config/apps/client-of.ts';
import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';
import { createClientAuthentication } from '../../../src/oidc/endpoints/authenticate-client.ts';
import { parseParameters } from '../../../src/oidc/parameters.ts';
import type { AppRow } from '../../../src/storage/apps/apps.ts';
import { opened } from '../../support/opened.ts';
import { rawRequest, requestText } from '../../support/server/raw-client.ts';
import {
  basicOf,
  type CallOptions,
  counterOf,
  openBackChannel,
  type Reply,
  startBackChannel,
  type TestClient,
} from '../support/back-channel.ts';
import { expectRefusal, REFUSALS, type Refusal } from '../support/refusals.ts';

const SECRET = 'sk_right';

function appOf(appId: string, change: Partial<AppRow> = {}): AppRow {
  return {
    appId,
    rpId: 'rp_0',
    name: appId,
    status: 'active',
    verification: 'none',
    isDevelopment: true,
    client: DEFAULT_CLIENT,
    policy: OPEN_POLICY,
    hasLogo: false,
    createdAt: 0,
    updatedAt: 0,
    ...change,
  };
}

const APPS = new Map(
  [
    appOf('confidential'),
    appOf('disabled', { status: 'disabled' }),
    appOf('public', { client: { ...DEFAULT_CLIENT, tokenEndpointAuthMethod: 'none' } }),
  ].map((app) => [app.appId, app]),
);

/** Authenticates a form; returns the calls to the registry and the outcome. */
async function authenticate(form: string): Promise<{ readonly calls: string[]; readonly outcome: unknown }> {
  const calls: string[] = [];
  const metrics = createMetrics();
  const authentication = createClientAuthentication({
    clients: {
      async find(id) {
        calls.push('find');
        return APPS.get(id);
      },
      async checkSecret(_id, secret) {
        calls.push('checkSecret');
        return secret === SECRET;
      },
    },
    baseUrl: 'https://id.example',
    metrics,
    log: { warn: () => {} },
  });
  const call = {
    authorization: undefined,
    parameters: parseParameters(form),
    address: '203.0.113.1',
    requestId: 'r',
    facts: { client: undefined, nonce: undefined },
    limits: { beforeCheck: async () => {}, authenticated: async () => {}, refuseStranger: () => {} },
  };
  const outcome = await authentication.authenticate(call, 'any_client').then(
    ({ appId }) => appId,
    (error: { code?: unknown }) => error.code,
  );
  metrics.close();
  return { calls, outcome };
}

describe('client authentication', () => {
  it.each([
    ['a right secret', `client_id=confidential&client_secret=${SECRET}`, 'confidential'],
    ['a wrong secret', 'client_id=confidential&client_secret=sk_x', 'client.invalid_credentials'],
    ['no secret', 'client_id=confidential', 'client.invalid_credentials'],
    ['a disabled client', `client_id=disabled&client_secret=${SECRET}`, 'client.invalid_credentials'],
    ['an unknown client', `client_id=nobody&client_secret=${SECRET}`, 'client.invalid_credentials'],
    ['an unknown client without a secret', 'client_id=nobody', 'client.invalid_credentials'],
    ['a secret alone', `client_secret=${SECRET}`, 'client.invalid_credentials'],
    ['a public client', 'client_id=public', 'public'],
    [
      'a public client with a secret',
      `client_id=public&client_secret=${SECRET}`,
      'client.invalid_credentials',
    ],
  ])('makes the same registry calls for %s', async (_name, form, outcome) => {
    expect(await authenticate(form)).toEqual({ calls: ['find', 'checkSecret'], outcome });
  });
});

const CHALLENGE = 'Basic realm="http://localhost:8080", charset="UTF-8"';
const NO_CREDENTIALS: Refusal = { ...REFUSALS.noCredentials, challenge: CHALLENGE };
const WRONG_HEADER: Refusal = { ...REFUSALS.wrongCredentials, challenge: CHALLENGE };
const WRONG_BODY: Refusal = REFUSALS.wrongCredentials;
/** Parameter that each endpoint reports as missing in an empty form, once the client is authenticated. */
const KNOWN: Readonly<Record<string, string>> = {
  '/token': 'grant_type',
  '/introspect': 'token',
  '/revoke': 'token',
};
const ENDPOINTS = Object.keys(KNOWN);
const service = opened(openBackChannel, 'stop');
const confidential = opened(() => service.addClient());
const open = opened(() => service.addClient({ tokenEndpointAuthMethod: 'none' }));
const disabled = opened(() => service.addClient({}, { status: 'disabled' }));

function basic(text: string | Uint8Array): CallOptions {
  return { headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` }, form: '' };
}

function header(authorization: string): CallOptions {
  return { headers: { authorization }, form: '' };
}

function expectKnown(reply: Reply, path: string): void {
  expect([path, reply.status, reply.body.attribute]).toEqual([path, 400, KNOWN[path]]);
}

const encoded = (text: string): string =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`).join('');

describe.each(ENDPOINTS)('client authentication at %s', (path) => {
  const call = (options: CallOptions): Promise<Reply> =>
    service.call(`POST ${path}`, { form: '', ...options });

  it('accepts Basic in each spelling', async () => {
    const { id, secret } = confidential;
    for (const options of [
      basic(`${id}:${secret}`),
      header(basicOf(id, secret).replace('Basic', 'bAsIC')),
      header(basicOf(id, secret).replace(' ', '   ')),
      basic(`${id.replaceAll('_', '%5F')}:${secret.replaceAll('_', '%5f')}`),
      basic(`${encoded(id)}:${encoded(secret)}`),
      { ...basic(`${id}:${secret}`), form: { client_id: id } },
      { ...basic(`${id}:${secret}`), form: { client_id: id, client_secret: '' } },
    ]) {
      expectKnown(await call(options), path);
    }
  });

  it('accepts client_id and client_secret in the body', async () => {
    const { id, secret } = confidential;
    expectKnown(await call({ form: { client_id: id, client_secret: secret } }), path);
  });

  it('refuses a request without credentials, with a challenge', async () => {
    for (const form of ['', 'foo=1', 'client_id=&client_secret=']) {
      expectRefusal(await call({ form }), NO_CREDENTIALS);
    }
  });

  it.each([
    ['another scheme', () => header('Bearer abc')],
    ['a scheme alone', () => header('Basic')],
    ['text that is not base64', () => header('Basic a_b-')],
    ['incomplete base64', () => header('Basic YTp')],
    ['no colon', () => basic(confidential.id)],
    ['bytes that are not UTF-8', () => basic(Buffer.from([0xff, 0x3a, 0xff]))],
    ['a broken escape', () => basic(`${confidential.id}:%zz`)],
    ['an escape that is not UTF-8', () => basic('%ff:x')],
    ['an unknown client', () => basic('app_00000000000000000000000000000000:sk_x')],
    ['an empty client', () => basic(':')],
    ['a client with U+0000', () => basic(`${confidential.id}\u0000:${confidential.secret}`)],
    ['a wrong secret', () => basic(`${confidential.id}:sk_${'0'.repeat(48)}`)],
    ['a secret with an appended character', () => basic(`${confidential.id}:${confidential.secret}:`)],
    ['no secret', () => basic(`${confidential.id}:`)],
    ["another client's secret", () => basic(`${confidential.id}:${disabled.secret}`)],
    ['a disabled client with its secret', () => basic(`${disabled.id}:${disabled.secret}`)],
    ['a public client with a secret', () => basic(`${open.id}:${open.secret}`)],
  ])('refuses %s in the header, with a challenge', async (_name, options) => {
    expectRefusal(await call(options()), WRONG_HEADER);
  });

  it.each([
    ['an unknown client', () => ({ client_id: 'app_1', client_secret: 'sk_x' })],
    ['a wrong secret', () => ({ client_id: confidential.id, client_secret: 'sk_x' })],
    ['no secret', () => ({ client_id: confidential.id })],
    ['an empty secret', () => ({ client_id: confidential.id, client_secret: '' })],
    ['a secret alone', () => ({ client_secret: confidential.secret })],
    ['an unknown client without a secret', () => ({ client_id: 'x\u0000' })],
    ['a disabled client', () => ({ client_id: disabled.id, client_secret: disabled.secret })],
    ['a public client with a secret', () => ({ client_id: open.id, client_secret: open.secret })],
  ])('refuses %s in the body, without a challenge', async (_name, form) => {
    expectRefusal(await call({ form: form() }), WRONG_BODY);
  });

  it('refuses both ways together, and two client ids, before it checks a secret', async () => {
    const wrong = basic(`${confidential.id}:sk_wrong`);
    const refusal = { status: 400, error: 'invalid_request', code: 'invalid_request' } as const;
    expectRefusal(await call({ ...wrong, form: { client_secret: 'x', client_id: open.id } }), {
      ...refusal,
      text: 'Only one way of client authentication may be used: the Authorization header or the body.',
      attribute: 'client_secret',
    });
    expectRefusal(await call({ ...wrong, form: { client_id: open.id } }), {
      ...refusal,
      text: 'client_id differs from the one of the Authorization header.',
      attribute: 'client_id',
    });
  });

  it('accepts an Authorization header of up to 8 KiB', async () => {
    const ofLength = (length: number): CallOptions => header('Basic '.padEnd(length, 'A'));
    expectRefusal(await call(ofLength(8192)), WRONG_HEADER);
    expectRefusal(await call(ofLength(8193)), REFUSALS.authorizationTooLarge);
  });

  it('accepts a body of up to 16 KiB', async () => {
    const { id, secret } = confidential;
    const ofLength = (length: number): CallOptions => ({
      ...basic(`${id}:${secret}`),
      form: 'a='.padEnd(length, 'a'),
    });
    expectKnown(await call(ofLength(16_384)), path);
    expectRefusal(await call(ofLength(16_385)), REFUSALS.bodyTooLarge);
  });

  it('refuses two Authorization headers', async () => {
    const line = `Authorization: ${confidential.basic}`;
    const headers = [line, line, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 0'];
    const reply = await rawRequest(service.port, requestText(`POST ${path}`, headers));
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body.toString())).toMatchObject({
      error: 'invalid_request',
      code: 'invalid_request',
      detail: 'A header that must be sent once was repeated.',
    });
  });
});

describe('a public client', () => {
  it('identifies itself at /token and /revoke, in the body or in the header', async () => {
    for (const path of ['/token', '/revoke']) {
      for (const options of [{ form: { client_id: open.id } }, basic(`${open.id}:`)]) {
        expectKnown(await service.call(`POST ${path}`, options), path);
      }
    }
  });

  it('cannot call /introspect', async () => {
    expectRefusal(await service.call('POST /introspect', { form: { client_id: open.id } }), WRONG_BODY);
    expectRefusal(await service.call('POST /introspect', basic(`${open.id}:`)), WRONG_HEADER);
  });
});

describe('a failed authentication', () => {
  it.each([
    ['no_credentials', () => ({ form: '' }), undefined],
    ['unreadable_header', () => header('Digest x'), undefined],
    ['unknown_client', () => basic('planted-client:planted-secret'), undefined],
    ['disabled_client', () => basic(`${disabled.id}:planted-secret`), () => disabled.id],
    ['public_client', () => basic(`${open.id}:planted-secret`), () => open.id],
    ['missing_secret', () => basic(`${confidential.id}:`), () => confidential.id],
    ['wrong_secret', () => basic(`${confidential.id}:planted-secret`), () => confidential.id],
  ] as const)(
    'is logged and counted as %s, without anything that was sent',
    async (reason, options, clientId) => {
      const count = (): Promise<number> => counterOf(service.metrics, 'clientAuthFailuresTotal', { reason });
      const before = { count: await count(), lines: service.log().length };
      const reply = await service.call('POST /token', options());
      expect(reply.status).toBe(401);
      const lines = service.log().slice(before.lines);
      expect(lines.filter(({ event }) => event === 'client.auth_failed')).toEqual([
        expect.objectContaining({ level: 'warn', reason, requestId: reply.headers.get('x-request-id') }),
      ]);
      expect(lines.map((line) => line.clientId)).toEqual([clientId?.(), clientId?.()]);
      expect(JSON.stringify(lines)).not.toContain('planted');
      expect(await count()).toBe(before.count + 1);
    },
  );
});

describe('rateLimits.clientAuthFailures', () => {
  const TOO_MANY: Refusal = {
    ...REFUSALS.rateLimited,
    text: 'Too many failed authentications. Please try again later.',
  };

  it('answers 429 after that many failures of a client at all endpoints, while its right credentials still work', async () => {
    const limited = await startBackChannel({ 'rateLimits.clientAuthFailures': '3' });
    const [one, two] = [await limited.addClient(), await limited.addClient()];
    const fail = (client: TestClient, path: string): Promise<Reply> =>
      limited.call(`POST ${path}`, basic(`${client.id}:sk_wrong`));
    for (const path of ENDPOINTS) expectRefusal(await fail(one, path), WRONG_HEADER);
    const lines = limited.log().length;
    for (const path of ENDPOINTS) {
      const reply = await fail(one, path);
      expectRefusal(reply, TOO_MANY);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(limited.log().slice(lines)).toEqual([
      expect.objectContaining({ status: 429, clientId: one.id, code: 'client.too_many_failures' }),
    ]);
    expect(await counterOf(limited.metrics, 'clientAuthFailuresTotal', { reason: 'wrong_secret' })).toBe(6);
    expectRefusal(await fail(two, '/token'), WRONG_HEADER);
    const right = await limited.call('POST /introspect', { headers: { authorization: one.basic }, form: '' });
    expect(right.body.attribute).toBe('token');
  });

  it('counts all failures that name no registered client together', async () => {
    const limited = await startBackChannel({ 'rateLimits.clientAuthFailures': '2' });
    expectRefusal(await limited.call('POST /token', basic('app_1:x')), WRONG_HEADER);
    expectRefusal(await limited.call('POST /token', { form: '' }), NO_CREDENTIALS);
    expectRefusal(await limited.call('POST /revoke', { form: { client_id: 'app_2' } }), TOO_MANY);
  });
});
