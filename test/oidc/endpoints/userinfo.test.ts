// Rules: spec/sign-in.md#user-information
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { rawRequest, requestText } from '../../support/server/raw-client.ts';
import {
  type BackChannel,
  openBackChannel,
  type Reply,
  SUB,
  startBackChannel,
} from '../support/back-channel.ts';
import { expectNoStore, expectRefusal, REFUSALS, type Refusal, wrongMethod } from '../support/refusals.ts';

const MISSING: Refusal = {
  status: 401,
  error: 'invalid_token',
  code: 'unauthenticated',
  text: 'Missing credentials.',
  challenge: 'Bearer realm="http://localhost:8080", DPoP algs="ES256 ES384 EdDSA Ed25519 RS256 PS256"',
};
const INVALID: Refusal = {
  ...REFUSALS.inactive,
  challenge:
    'Bearer realm="http://localhost:8080", error="invalid_token", error_description="Token is invalid or expired."',
};
const service = opened(openBackChannel, 'stop');
const client = opened(() => service.addClient());

const get = (authorization: string, at: BackChannel = service): Promise<Reply> =>
  at.call('GET /userinfo', { headers: { authorization } });

describe('/userinfo', () => {
  it.each([
    [['openid'], {}],
    [['openid', 'email'], { email: `${SUB}@localhost` }],
    [['openid', 'profile'], { name: 'World ID User', given_name: 'World ID', family_name: 'User' }],
  ])('returns the claims of the scopes %j, by GET and by POST', async (scope, more) => {
    const code = await service.issueCode(client, { scope });
    const { body } = await service.exchange(client, code);
    const headers = { authorization: `Bearer ${body.access_token}` };
    for (const [line, options] of [
      ['GET /userinfo', { headers }],
      ['POST /userinfo', { headers }],
      ['POST /userinfo', { headers, form: 'access_token=x&access_token=y' }],
      ['POST /userinfo', { headers, form: '{"a":', contentType: 'application/json' }],
    ] as const) {
      const reply = await service.call(line, options);
      expect(reply.status).toBe(200);
      expectNoStore(reply);
      expect(reply.headers.get('content-type')).toBe('application/json');
      expect(reply.body).toEqual({
        sub: SUB,
        'http://localhost:8080/beta': { likely_human: 'strong', credential_type: 'orb' },
        'http://localhost:8080/v1': { verification_level: 'orb' },
        ...more,
      });
    }
  });

  it('accepts the scheme in any case, and spaces around the token', async () => {
    const token = await service.accessToken(client);
    for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
      expect((await get(`${scheme} ${token} `)).status).toBe(200);
    }
  });

  it('refuses a request without a bearer token, with a challenge that names no error', async () => {
    const token = await service.accessToken(client);
    for (const authorization of ['Bearer', 'Bearer ', 'Basic abc', client.basic, `Token ${token}`, token]) {
      expectRefusal(await get(authorization), MISSING);
    }
    expectRefusal(await service.call('GET /userinfo'), MISSING);
    expectRefusal(await service.call(`GET /userinfo?access_token=${token}`), MISSING);
    expectRefusal(await service.call('POST /userinfo', { form: { access_token: token } }), MISSING);
  });

  it('refuses two Authorization headers', async () => {
    const line = `Authorization: Bearer ${await service.accessToken(client)}`;
    const reply = await rawRequest(service.port, requestText('GET /userinfo', [line, line]));
    expect([reply.status, JSON.parse(reply.body.toString()).code]).toEqual([400, 'invalid_request']);
  });

  it('checks the method, then the sizes of header and body, then the token', async () => {
    const large = { authorization: `Bearer ${'a'.repeat(8192)}` };
    const put = await service.call('PUT /userinfo', { headers: large });
    expectRefusal(put, wrongMethod('PUT'));
    expect(put.headers.get('allow')).toBe('GET, POST, OPTIONS');
    expect((await service.call('HEAD /userinfo')).status).toBe(405);
    expectRefusal(await service.call('GET /userinfo', { headers: large }), REFUSALS.authorizationTooLarge);
    expectRefusal(await service.call('POST /userinfo', { form: 'a'.repeat(16_385) }), REFUSALS.bodyTooLarge);
  });

  it('refuses an ID token, garbage, and tokens with a foreign signature', async () => {
    const { body } = await service.exchange(client, await service.issueCode(client));
    const token = await service.accessToken(client);
    const [head = '', claims = '', signature = ''] = token.split('.');
    const foreign = await new SignJWT({ sub: SUB })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(new Uint8Array(32));
    for (const bad of [
      String(body.id_token),
      'garbage',
      'a b c',
      '..',
      `${head}.${claims}.`,
      `${head}.${claims}.${signature.slice(0, -4)}AAAA`,
      foreign,
      `${token}.x`,
    ]) {
      expectRefusal(await get(`Bearer ${bad}`), INVALID);
    }
  });

  it('refuses an expired or revoked token, and accepts an expired one again if the clock goes back', async () => {
    const token = await service.accessToken(client);
    const startedAt = service.clock.now;
    service.clock.now = startedAt + 3_599_999;
    expect((await get(`Bearer ${token}`)).status).toBe(200);
    service.clock.now = startedAt + 3_600_000;
    expectRefusal(await get(`Bearer ${token}`), INVALID);
    service.clock.now = startedAt;
    expect((await get(`Bearer ${token}`)).status).toBe(200);
    await service.call('POST /revoke', { headers: { authorization: client.basic }, form: { token } });
    expectRefusal(await get(`Bearer ${token}`), INVALID);
  });

  it('refuses the tokens of a client that is disabled or removed, within storage.cacheSeconds', async () => {
    const [disabled, removed] = [await service.addClient(), await service.addClient()];
    const tokens = [await service.accessToken(disabled), await service.accessToken(removed)];
    for (const token of tokens) expect((await get(`Bearer ${token}`)).status).toBe(200);
    await service.store.apps.update(disabled.id, { status: 'disabled' }, service.clock.now);
    await service.store.apps.remove(removed.id);
    service.clock.now += 60_000;
    for (const token of tokens) expectRefusal(await get(`Bearer ${token}`), INVALID);
  });

  it('accepts only tokens of its own base address, which may have a path', async () => {
    const deep = await startBackChannel({ baseUrl: 'http://localhost:8080/deep', 'claims.beta': 'false' });
    const own = await deep.addClient();
    const reply = await get(`Bearer ${await deep.accessToken(own)}`, deep);
    expect(reply.body).toEqual({
      sub: SUB,
      'http://localhost:8080/deep/v1': { verification_level: 'orb' },
      email: `${SUB}@localhost`,
    });
    expect((await get('Bearer x', deep)).headers.get('www-authenticate')).toMatch(
      /^Bearer realm="http:\/\/localhost:8080\/deep", error=/,
    );
    expectRefusal(await get(`Bearer ${await deep.accessToken(own)}`), INVALID);
  });
});
