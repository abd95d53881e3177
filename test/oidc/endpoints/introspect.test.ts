// Rules: spec/sign-in.md#introspection
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import {
  type BackChannel,
  basicOf,
  openBackChannel,
  type Reply,
  STARTED_AT,
  SUB,
  startBackChannel,
  type TestClient,
} from '../support/back-channel.ts';
import {
  expectNoStore,
  expectRefusal,
  INACTIVE,
  missing,
  REFUSALS,
  repeated,
  wrongMethod,
} from '../support/refusals.ts';

const CHALLENGE = 'Basic realm="http://localhost:8080", charset="UTF-8"';
const service = opened(openBackChannel, 'stop');
const client = opened(() => service.addClient());

function introspect(form: string | Record<string, string>, at: BackChannel, by: TestClient): Promise<Reply> {
  return at.call('POST /introspect', { headers: { authorization: by.basic }, form });
}

/** Makes tokens of every kind that is not an active access token of the client, by name. */
async function inactiveTokens(at: BackChannel, own: TestClient): Promise<Record<string, string>> {
  const { body } = await at.exchange(own, await at.issueCode(own));
  const revoked = await at.accessToken(own);
  await at.store.grants.revoke(decodeJwt(revoked).jti ?? '', at.clock.now + 3_600_000);
  const other = await at.addClient();
  const gone = await at.addClient({}, { status: 'disabled' });
  return {
    garbage: 'garbage\u0000',
    'an ID token': String(body.id_token),
    'a revoked token': revoked,
    "another client's token": await at.accessToken(other),
    "a disabled client's token": await at.accessToken(gone),
    'a token that is too large': 'a'.repeat(9000),
  };
}

describe('POST /introspect', () => {
  it('describes an active token of the caller, whatever the hint', async () => {
    const token = await service.accessToken(client);
    const { exp, iat, jti } = decodeJwt(token);
    for (const form of [{ token }, { token, token_type_hint: 'refresh_token' }]) {
      const reply = await introspect(form, service, client);
      expect(reply.status).toBe(200);
      expectNoStore(reply);
      expect(reply.headers.get('content-type')).toBe('application/json');
      expect(reply.body).toEqual({
        active: true,
        client_id: client.id,
        sub: SUB,
        scope: 'openid email',
        token_type: 'Bearer',
        iss: 'http://localhost:8080',
        aud: 'http://localhost:8080',
        exp,
        iat,
        jti,
      });
    }
    const inBody = { token, client_id: client.id, client_secret: client.secret };
    expect((await service.call('POST /introspect', { form: inBody })).body.active).toBe(true);
  });

  it('answers everything else with one identical body', async () => {
    for (const [name, token] of Object.entries(await inactiveTokens(service, client))) {
      const reply = await introspect({ token }, service, client);
      expect([name, reply.status, reply.body]).toEqual([name, 200, INACTIVE]);
      expectNoStore(reply);
      expect(reply.headers.get('www-authenticate')).toBeNull();
    }
    const token = await service.accessToken(client);
    service.clock.now += 3_600_000;
    expect((await introspect({ token }, service, client)).body).toEqual(INACTIVE);
    service.clock.now = STARTED_AT;
  });

  it('answers 401 to inactive tokens if signin.introspectionLegacy401 is on', async () => {
    const legacy = await startBackChannel({ 'signin.introspectionLegacy401': 'true' });
    const own = await legacy.addClient();
    for (const token of Object.values(await inactiveTokens(legacy, own))) {
      expectRefusal(await introspect({ token }, legacy, own), {
        ...REFUSALS.inactive,
        challenge: CHALLENGE,
      });
    }
    const token = await legacy.accessToken(own);
    expect((await introspect({ token }, legacy, own)).body.active).toBe(true);
  });

  it('runs its checks in the specified order', async () => {
    const wrong = { authorization: basicOf(client.id, 'sk_wrong') };
    const right = { authorization: client.basic };
    const large = `token=%zz${'a'.repeat(16_400)}`;
    const call = (line: string, headers: Record<string, string>, form: string, contentType?: string) =>
      service.call(line, { headers, form, ...(contentType === undefined ? {} : { contentType }) });
    const put = await call('PUT /introspect', wrong, large, 'text/plain');
    expectRefusal(put, wrongMethod('PUT'));
    expect(put.headers.get('allow')).toBe('POST');
    expectRefusal(await call('POST /introspect', wrong, large, 'application/json'), REFUSALS.notAForm);
    expectRefusal(await call('POST /introspect', wrong, large), REFUSALS.bodyTooLarge);
    expectRefusal(await call('POST /introspect', wrong, 'token=1&token=%zz'), REFUSALS.malformed);
    for (const name of ['token', 'token_type_hint', 'client_id']) {
      expectRefusal(await call('POST /introspect', wrong, `${name}=1&${name}=2`), repeated(name));
    }
    expectRefusal(await call('POST /introspect', wrong, ''), {
      ...REFUSALS.wrongCredentials,
      challenge: CHALLENGE,
    });
    for (const form of ['', 'token=', 'token_type_hint=access_token']) {
      expectRefusal(await call('POST /introspect', right, form), missing('token'));
    }
    expect((await call('POST /introspect', right, 'token=x')).body).toEqual(INACTIVE);
  });

  it('is rate-limited by address', async () => {
    const limited = await startBackChannel({ 'rateLimits.introspect': '1' });
    expectRefusal(await limited.call('POST /introspect', { contentType: '' }), REFUSALS.notAForm);
    expectRefusal(await limited.call('POST /introspect', { contentType: '' }), REFUSALS.rateLimited);
    expectRefusal(await limited.call('POST /token', { contentType: '' }), REFUSALS.notAForm);
  });

  it.each(['OPTIONS', 'GET', 'DELETE'])('refuses %s, since no page calls it', async (method) => {
    const reply = await service.call(`${method} /introspect`, {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expectRefusal(reply, wrongMethod(method));
    expect(reply.headers.get('allow')).toBe('POST');
    const names = [...reply.headers.keys()].filter((name) => name.startsWith('access-control'));
    expect([names, reply.headers.get('vary')]).toEqual([[], null]);
  });
});
