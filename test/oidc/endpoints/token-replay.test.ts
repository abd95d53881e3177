// Rules: spec/sign-in.md#authorization-code and spec/sign-in.md#store-unavailable
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { counterOf, openBackChannel, type Reply, startBackChannel } from '../support/back-channel.ts';
import { badRequest, expectRefusal, INACTIVE, REFUSALS, type Refusal } from '../support/refusals.ts';

const INVALID_CODE: Refusal = badRequest('invalid_grant', 'Invalid authorization code.', 'code');
const REVOKED: Refusal = {
  ...REFUSALS.inactive,
  challenge:
    'Bearer realm="http://localhost:8080", error="invalid_token", error_description="Token is invalid or expired."',
};
const service = opened(openBackChannel, 'stop');
const client = opened(() => service.addClient());

const userInfo = (token: string): Promise<Reply> =>
  service.call('GET /userinfo', { headers: { authorization: `Bearer ${token}` } });
const introspect = (token: string): Promise<Reply> =>
  service.call('POST /introspect', { headers: { authorization: client.basic }, form: { token } });

async function expectActive(token: string): Promise<void> {
  expect((await userInfo(token)).status).toBe(200);
  expect((await introspect(token)).body).toMatchObject({ active: true });
}

async function expectRevoked(token: string): Promise<void> {
  expectRefusal(await userInfo(token), REVOKED);
  expect((await introspect(token)).body).toEqual(INACTIVE);
}

describe('a code that is used again', () => {
  it.each([
    ['immediately', 0],
    ['30 seconds later', 30_000],
    ['after it expired', 301_000],
  ])('%s is refused and revokes the access token', async (_name, laterMs) => {
    const code = await service.issueCode(client);
    const replays = await counterOf(service.metrics, 'codeReplayTotal');
    const token = String((await service.exchange(client, code)).body.access_token);
    await expectActive(token);
    service.clock.now += laterMs;
    await expectActive(token);
    const before = service.log().length;
    expectRefusal(await service.exchange(client, code), INVALID_CODE);
    await expectRevoked(token);
    expect(await counterOf(service.metrics, 'codeReplayTotal')).toBe(replays + 1);
    const events = service
      .log()
      .slice(before)
      .filter(({ event }) => event === 'code.replayed');
    expect(events).toEqual([
      expect.objectContaining({ clientId: client.id, requestId: expect.any(String), level: 'warn' }),
    ]);
    expectRefusal(await service.exchange(client, code), INVALID_CODE);
    await expectRevoked(token);
  });

  it('revokes until the last second of the access token, for which its row is kept', async () => {
    const code = await service.issueCode(client);
    const token = String((await service.exchange(client, code)).body.access_token);
    service.clock.now += 3_599_000;
    await service.store.sweep(service.clock.now, 1000);
    await expectActive(token);
    expectRefusal(await service.exchange(client, code), INVALID_CODE);
    await service.store.sweep(service.clock.now, 1000);
    await expectRevoked(token);
  });

  it('from another client changes nothing', async () => {
    const other = await service.addClient();
    const code = await service.issueCode(client);
    const token = String((await service.exchange(client, code)).body.access_token);
    expectRefusal(await service.exchange(other, code), INVALID_CODE);
    await expectActive(token);
  });

  it('revokes even with another redirect URI or verifier', async () => {
    for (const wrong of [{ redirect_uri: 'https://evil.example' }, { code_verifier: 'x' }]) {
      const code = await service.issueCode(client);
      const token = String((await service.exchange(client, code)).body.access_token);
      expectRefusal(await service.exchange(client, code, wrong), INVALID_CODE);
      await expectRevoked(token);
    }
  });

  it('does not revoke other tokens of the same person and client', async () => {
    const [first, second] = [await service.issueCode(client), await service.issueCode(client)];
    const token = String((await service.exchange(client, first)).body.access_token);
    await service.exchange(client, second);
    await service.exchange(client, second);
    await expectActive(token);
  });

  it('fifty times in parallel yields one token set, which is revoked', async () => {
    const code = await service.issueCode(client);
    const replies = await Promise.all(Array.from({ length: 50 }, () => service.exchange(client, code)));
    const successes = replies.filter(({ status }) => status === 200);
    expect(successes).toHaveLength(1);
    for (const reply of replies) if (reply.status !== 200) expectRefusal(reply, INVALID_CODE);
    const token = String(successes[0]?.body.access_token);
    expect(decodeJwt(token).client_id).toBe(client.id);
    await expectRevoked(token);
  });
});

const UNAVAILABLE: Refusal = {
  status: 503,
  error: 'temporarily_unavailable',
  code: 'server_error',
  text: 'The service is temporarily unavailable. Please try again.',
};

describe('while the store is unreachable', () => {
  it('the endpoints for clients answer 503 and call no code, token or client invalid', async () => {
    const service = await startBackChannel();
    const client = await service.addClient({ redirectUris: ['https://own.example/cb'] });
    const code = await service.issueCode(client);
    const token = await service.accessToken(client);
    await service.store.close();
    const own = { origin: 'https://own.example' };
    const basic = { ...own, authorization: client.basic };
    const replies = [
      await service.exchange(client, code),
      await service.call('POST /par', { headers: basic, form: { client_id: client.id } }),
      await service.call('POST /introspect', { headers: basic, form: { token } }),
      await service.call('POST /revoke', { headers: basic, form: { token } }),
      await service.call('GET /userinfo', { headers: { ...own, authorization: `Bearer ${token}` } }),
      await service.call('POST /token', { headers: own, form: { client_id: client.id } }),
    ];
    for (const reply of replies) {
      expectRefusal(reply, UNAVAILABLE);
      expect(reply.headers.get('retry-after')).toBe('5');
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await service.call('GET /.well-known/openid-configuration')).status).toBe(200);
  });
});
