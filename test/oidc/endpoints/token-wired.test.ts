import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { basicOf } from '../support/back-channel.ts';

const RP = 'https://shop.example';
let authorization: string;
const service = opened(
  () =>
    startSigninService({
      settings: {
        'signin.introspectionLegacy401': 'true',
        'rateLimits.clientAuthFailures': '2',
        'rateLimits.revoke': '1',
        'rateLimits.clientCalls': '7',
      },
    }),
  'end',
);
beforeAll(async () => {
  authorization = basicOf(service.web.clientId, service.web.clientSecret);
});

function post(
  path: string,
  form: Record<string, string>,
  headers: Record<string, string>,
): Promise<Response> {
  const body = new URLSearchParams(form);
  return fetch(service.baseUrl + path, { method: 'POST', headers: { origin: RP, ...headers }, body });
}

async function metricLines(name: string): Promise<string[]> {
  const text = await (await fetch(`${service.app.adminUrl}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(`proofgate_${name}`));
}

describe('the endpoints for clients in the running service', () => {
  it('serve a sign-in from its code to its revocation', async () => {
    const { web } = service;
    const { parameters } = await service.complete({ nonce: 'n' });
    const form = {
      grant_type: 'authorization_code',
      code: parameters.code ?? '',
      redirect_uri: web.redirectUri,
    };
    const answer = await post('/token', form, { authorization });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, RP]);
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const bearer = { authorization: `Bearer ${token}` };
    const userInfo = await fetch(`${service.baseUrl}/userinfo`, { headers: bearer });
    expect(await userInfo.json()).toMatchObject({ [`${service.baseUrl}/v1`]: { verification_level: 'orb' } });
    expect(await (await post('/introspect', { token }, { authorization })).json()).toMatchObject({
      active: true,
    });
    expect((await post('/revoke', { token }, { authorization })).status).toBe(200);
    expect((await fetch(`${service.baseUrl}/userinfo`, { headers: bearer })).status).toBe(401);
    expect((await post('/introspect', { token }, { authorization })).status).toBe(401);
    expect((await post('/token', form, { authorization })).status).toBe(400);
    expect(service.app.log()).toContain('"event":"code.replayed"');
    expect(await metricLines('code_replay_total')).toEqual(['proofgate_code_replay_total 1']);
    expect(await metricLines('token_issued_total')).toContain(
      'proofgate_token_issued_total{grant="authorization_code"} 1',
    );
  });

  it('are rate-limited by client once it has authenticated, and not by address', async () => {
    const wrong = { authorization: basicOf(service.web.clientId, 'sk_wrong') };
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await post('/introspect', { token: 'x' }, wrong)).status);
    for (let i = 0; i < 3; i++)
      statuses.push((await post('/revoke', { token: 'x' }, { authorization })).status);
    expect(statuses).toEqual([401, 401, 429, 200, 200, 429]);
    expect(await metricLines('client_auth_failures_total')).toEqual([
      'proofgate_client_auth_failures_total{reason="wrong_secret"} 3',
    ]);
  });

  it('are listed in the metadata', async () => {
    const document = await (await fetch(`${service.baseUrl}/.well-known/openid-configuration`)).json();
    const names = ['token', 'introspection', 'revocation', 'userinfo'].map((name) => `${name}_endpoint`);
    for (const name of [...names, 'jwks_uri']) {
      const address = (document as Record<string, string>)[name] ?? '';
      expect(address.startsWith(service.baseUrl)).toBe(true);
      expect((await fetch(address, { method: 'PUT' })).status).toBe(405);
    }
  });
});
