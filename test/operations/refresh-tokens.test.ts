// Rules: spec/operations.md#admin-api
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/storage/store.ts';
import { type AdminClient, startAdmin } from '../admin/support/admin-client.ts';
import { beginFamily } from '../oidc/support/begin-family.ts';

const APP = 'app_11111111111111111111111111111111';
const OTHER = 'app_22222222222222222222222222222222';

let admin: AdminClient;
let store: Store;

beforeAll(async () => {
  // Its apps have fixed ids, and all of their rows are compared.
  admin = await startAdmin();
  store = await admin.app.openStore();
  for (const app_id of [APP, OTHER]) {
    const body = { app_id, redirect_uris: ['https://shop.example/cb'], refresh_tokens: true };
    expect((await admin.call('POST /apps', { body })).status).toBe(201);
  }
});

afterAll(async () => {
  await store.close();
  await admin.app.stop();
});

describe('refresh tokens over the admin API', () => {
  it('are listed by app, page by page, without tokens and subjects', async () => {
    const now = Date.now();
    const first = await beginFamily(store, APP, now - 2000);
    const second = await beginFamily(store, APP, now - 1000);
    await beginFamily(store, OTHER, now);
    const page = await admin.call(`GET /apps/${APP}/refresh-tokens?limit=1`);
    expect(page.body.items).toEqual([
      {
        family_id: second.familyId,
        person: expect.any(String),
        acr: 'orb',
        scope: 'openid offline_access',
        created_at: new Date(now - 1000).toISOString(),
        last_used_at: new Date(now - 1000).toISOString(),
        expires_at: new Date(now - 1000 + 86_400_000).toISOString(),
      },
    ]);
    const next = await admin.call(`GET /apps/${APP}/refresh-tokens?cursor=${page.body.next_cursor}`);
    expect(next.body.items.map(({ family_id }) => family_id)).toEqual([first.familyId]);
    expect(next.body.next_cursor).toBeNull();
    expect(JSON.stringify([page.body, next.body])).not.toContain('2121');
  });

  it('are ended one by one, or all of an app, with their access tokens', async () => {
    const { familyId } = await beginFamily(store, APP, Date.now());
    const other = await beginFamily(store, OTHER, Date.now());
    const path = (id: string): `DELETE ${string}` => `DELETE /apps/${APP}/refresh-tokens/${id}`;
    expect((await admin.call(path(familyId))).status).toBe(204);
    expect(await store.grants.isRevoked('jti', Date.now(), familyId)).toBe(true);
    for (const id of [familyId, other.familyId]) {
      expect(await admin.refusal(path(id))).toEqual([404, 'refresh_token.unknown']);
    }
    const { items } = (await admin.call(`GET /apps/${APP}/refresh-tokens`)).body;
    const all = await admin.call(`DELETE /apps/${APP}/refresh-tokens`);
    expect([all.status, all.body]).toEqual([200, { revoked: items.length }]);
    expect((await admin.call(`GET /apps/${APP}/refresh-tokens`)).body.items).toEqual([]);
    expect((await admin.call(`GET /apps/${OTHER}/refresh-tokens`)).body.items).not.toEqual([]);
    const audit = (await admin.call('GET /audit?action=refresh_tokens.revoked')).body.items;
    expect(audit).toMatchObject([{ target: APP, after: { family: 'all' } }, { target: APP }]);
  });

  it('of an app that does not exist are refused', async () => {
    const unknown = `app_${'9'.repeat(32)}`;
    for (const call of [`GET /apps/${unknown}/refresh-tokens`, `DELETE /apps/${unknown}/refresh-tokens`]) {
      expect(await admin.refusal(call as `GET ${string}`)).toEqual([404, 'app.unknown']);
    }
  });
});
