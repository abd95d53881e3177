// Rules: spec/sign-in.md#introspection
import { describe, expect, it } from 'vitest';
import type { ClientMetadata } from '../../../src/storage/apps/apps.ts';
import { opened } from '../../support/opened.ts';
import { openBackChannel, type Reply, SUB, type TestClient } from '../support/back-channel.ts';
import { INACTIVE } from '../support/refusals.ts';

const service = opened(openBackChannel, 'stop');
const SCOPE = ['openid', 'offline_access'];

function ask(by: TestClient, token: string): Promise<Reply> {
  return service.call('POST /introspect', { headers: { authorization: by.basic }, form: { token } });
}

async function tokensOf(app: TestClient): Promise<{ readonly access: string; readonly refresh: string }> {
  const code = await service.issueCode(app, { scope: SCOPE, nonce: 'n' });
  const { body } = await service.exchange(app, code);
  return { access: String(body.access_token), refresh: String(body.refresh_token) };
}

/** Adds an API that asks about the tokens of these clients. */
function addApi(introspects: readonly string[], more: Partial<ClientMetadata> = {}): Promise<TestClient> {
  return service.addClient({ redirectUris: [], introspects, ...more });
}

describe('a client that introspects another one', () => {
  it('is told about its access tokens what the other client itself is told', async () => {
    const app = await service.addClient({ refreshTokens: true });
    const api = await addApi([app.id]);
    const { access } = await tokensOf(app);
    const reply = await ask(api, access);
    expect(reply.body).toMatchObject({ active: true, client_id: app.id, sub: SUB });
    expect(reply.body).toEqual((await ask(app, access)).body);
  });

  it('is told about its refresh tokens, until they are replaced', async () => {
    const app = await service.addClient({ refreshTokens: true });
    const api = await addApi([app.id]);
    const { refresh } = await tokensOf(app);
    expect((await ask(api, refresh)).body).toMatchObject({ active: true, client_id: app.id, sub: SUB });
    const form = { grant_type: 'refresh_token', refresh_token: refresh };
    await service.call('POST /token', { headers: { authorization: app.basic }, form });
    expect((await ask(api, refresh)).body).toEqual(INACTIVE);
  });

  it('is told nothing about the tokens of others, as if they did not exist', async () => {
    const [app, other] = [await service.addClient({ refreshTokens: true }), await service.addClient()];
    const { access, refresh } = await tokensOf(app);
    for (const stranger of [other, await addApi([other.id]), await addApi([`app_${'0'.repeat(32)}`])]) {
      for (const token of [access, refresh, 'x']) {
        const reply = await ask(stranger, token);
        expect([reply.status, reply.body]).toEqual([200, INACTIVE]);
      }
    }
  });

  it('gives the other one no permission to ask back, and cannot revoke its tokens', async () => {
    const app = await service.addClient({ refreshTokens: true });
    const api = await addApi([app.id], { redirectUris: ['https://shop.example/cb?x=1'] });
    expect((await ask(app, await service.accessToken(api))).body).toEqual(INACTIVE);
    const { access } = await tokensOf(app);
    const form = { token: access };
    const revoked = await service.call('POST /revoke', { headers: { authorization: api.basic }, form });
    expect([revoked.status, revoked.body.code]).toEqual([400, 'invalid_token']);
    expect((await ask(api, access)).body.active).toBe(true);
  });

  it.each([
    ['is removed', async (id: string) => service.store.apps.remove(id)],
    ['is disabled', async (id: string) => service.store.apps.update(id, { status: 'disabled' }, 1)],
  ])('is told that its tokens are inactive once it %s', async (_name, end) => {
    const app = await service.addClient({ refreshTokens: true });
    const api = await addApi([app.id]);
    const { access, refresh } = await tokensOf(app);
    await end(app.id);
    service.clock.now += 60_000;
    for (const token of [access, refresh]) expect((await ask(api, token)).body).toEqual(INACTIVE);
  });
});
