// Rules: spec/sign-in.md#client-authentication
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/observability/index.ts';
import { createClientAuthentication } from '../../../src/oidc/endpoints/index.ts';
import { parseParameters } from '../../../src/oidc/index.ts';
import { type AppRow, DEFAULT_CLIENT, OPEN_POLICY } from '../../../src/storage/index.ts';

const SECRET = 'sk_right';

function appOf(appId: string, change: Partial<AppRow> = {}): AppRow {
  return {
    ...{ appId, rpId: 'rp_0', name: appId, status: 'active', verification: 'none', isDevelopment: true },
    ...{ client: DEFAULT_CLIENT, policy: OPEN_POLICY, hasLogo: false, createdAt: 0, updatedAt: 0 },
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
