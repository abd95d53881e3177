// Rules: spec/sign-in.md#revocation
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import {
  basicOf,
  openBackChannel,
  type Reply,
  startBackChannel,
  type TestClient,
} from '../support/back-channel.ts';
import {
  badRequest,
  expectNoStore,
  expectRefusal,
  missing,
  REFUSALS,
  repeated,
  wrongMethod,
} from '../support/refusals.ts';

const service = opened(openBackChannel, 'stop');
const client = opened(() => service.addClient());

const revoke = (form: Record<string, string>, by: TestClient = client): Promise<Reply> =>
  service.call('POST /revoke', { headers: { authorization: by.basic }, form });
const statusOf = async (token: string): Promise<number> =>
  (await service.call('GET /userinfo', { headers: { authorization: `Bearer ${token}` } })).status;

function expectDone(reply: Reply): void {
  expect([reply.status, reply.text]).toEqual([200, '']);
  expectNoStore(reply);
}

describe('POST /revoke', () => {
  it('permanently revokes an access token of the caller', async () => {
    const [token, other] = [await service.accessToken(client), await service.accessToken(client)];
    expect(await statusOf(token)).toBe(200);
    expectDone(await revoke({ token, token_type_hint: 'refresh_token' }));
    expect(await statusOf(token)).toBe(401);
    expectDone(await revoke({ token }));
    expect(await statusOf(other)).toBe(200);
  });

  it('stores the revocation until the token expires, and no longer', async () => {
    const token = await service.accessToken(client);
    const { jti = '', exp = 0 } = decodeJwt(token);
    expectDone(await revoke({ token }));
    expect(await service.store.grants.isRevoked(jti, exp * 1000 - 1)).toBe(true);
    expect(await service.store.grants.isRevoked(jti, exp * 1000)).toBe(false);
  });

  it('accepts a public client', async () => {
    const open = await service.addClient({ tokenEndpointAuthMethod: 'none' });
    const token = await service.accessToken(open);
    expectDone(await service.call('POST /revoke', { form: { token, client_id: open.id } }));
    expect(await statusOf(token)).toBe(401);
  });

  it('answers 200 to a token that is foreign, expired or not an access token', async () => {
    const { body } = await service.exchange(client, await service.issueCode(client));
    const over = await service.accessToken(client);
    const gone = await service.addClient({}, { status: 'disabled' });
    service.clock.now += 3_600_000;
    for (const token of ['garbage', 'a.b.c', over, String(body.id_token), await service.accessToken(gone)]) {
      expectDone(await revoke({ token }));
    }
  });

  it("refuses another client's token, which stays active", async () => {
    const other = await service.addClient();
    const token = await service.accessToken(other);
    expectRefusal(
      await revoke({ token }),
      badRequest('invalid_request', 'The token was issued to another client.', 'token', 'invalid_token'),
    );
    expect(await statusOf(token)).toBe(200);
  });

  it('runs its checks in the specified order', async () => {
    const wrong = { authorization: basicOf(client.id, 'sk_wrong') };
    const large = `token=%zz${'a'.repeat(16_400)}`;
    const call = (line: string, form: string, contentType?: string) =>
      service.call(line, { headers: wrong, form, ...(contentType === undefined ? {} : { contentType }) });
    const put = await call('PUT /revoke', large, 'text/plain');
    expectRefusal(put, wrongMethod('PUT'));
    expect(put.headers.get('allow')).toBe('POST, OPTIONS');
    expectRefusal(await call('POST /revoke', large, 'text/plain'), REFUSALS.notAForm);
    expectRefusal(await call('POST /revoke', large), REFUSALS.bodyTooLarge);
    expectRefusal(await call('POST /revoke', 'token=1&token=%zz'), REFUSALS.malformed);
    expectRefusal(await call('POST /revoke', 'token=1&token=2'), repeated('token'));
    expectRefusal(await call('POST /revoke', ''), {
      ...REFUSALS.wrongCredentials,
      challenge: 'Basic realm="http://localhost:8080", charset="UTF-8"',
    });
    expectRefusal(await revoke({ token: '' }), missing('token'));
  });

  it('is rate-limited by address', async () => {
    const limited = await startBackChannel({ 'rateLimits.revoke': '1' });
    expectRefusal(await limited.call('POST /revoke', { contentType: '' }), REFUSALS.notAForm);
    expectRefusal(await limited.call('POST /revoke', { contentType: '' }), REFUSALS.rateLimited);
  });
});
