// Rules: spec/sign-in.md#store-unavailable
import { describe, expect, it } from 'vitest';
import { startBackChannel } from '../support/back-channel.ts';
import { expectRefusal, type Refusal } from '../support/refusals.ts';

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
