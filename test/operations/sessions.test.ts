// Rules: spec/sign-in.md#administration-of-sessions
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../src/config/apps/client-of.ts';
import type { AppRow } from '../../src/storage/apps/apps.ts';
import type { SessionRow } from '../../src/storage/signin/sessions.ts';
import type { Store } from '../../src/storage/store.ts';
import { useAdmin } from '../admin/support/admin-client.ts';
import { addSession } from '../support/signin/add-session.ts';

const SHOP = `app_${'1'.repeat(32)}`;
const FORUM = `app_${'2'.repeat(32)}`;
const CONFIGURED = {
  client_id: FORUM,
  redirect_uris: ['https://forum.example/cb'],
  token_endpoint_auth_method: 'none',
};

const admin = useAdmin({
  settings: { 'signin.sessionSeconds': '3600', 'apps.list': JSON.stringify([CONFIGURED]) },
});
let store: Store;
beforeAll(async () => {
  store = await admin.app.openStore();
  await admin.call('POST /apps', { body: { app_id: SHOP, redirect_uris: ['https://shop.example/cb'] } });
});
afterAll(() => store?.close());

const add = async (person: number): Promise<SessionRow> => {
  const app = await store.apps.findByAppId(SHOP);
  return await addSession(store, app as AppRow, person, Date.now());
};
const sidsOf = async (path = `/apps/${SHOP}/sessions`): Promise<unknown[]> =>
  (await admin.call(`GET ${path}`)).body.items.map(({ sid }) => sid);

describe('sessions over the admin API', () => {
  it('are listed page by page and counted, with a digest of the sub', async () => {
    const rows: SessionRow[] = [];
    for (const person of [0x11, 0x22, 0x33]) rows.push(await add(person));
    const first = (await admin.call(`GET /apps/${SHOP}/sessions?limit=2`)).body;
    expect(first.items).toHaveLength(2);
    const rest = (await admin.call(`GET /apps/${SHOP}/sessions?limit=2&cursor=${first.next_cursor}`)).body;
    expect(rest.next_cursor).toBeNull();
    const items = [...first.items, ...rest.items];
    expect(new Set(items.map(({ sid }) => sid))).toEqual(new Set(rows.map(({ sid }) => sid)));
    expect(new Set(items.map(({ person }) => person)).size).toBe(3);
    expect(JSON.stringify(items)).not.toMatch(/0x[0-9a-f]{8}/);
    expect((await admin.call(`GET /apps/${SHOP}/session-count`)).body).toEqual({ sessions: 3 });
  });

  it('end one by one and all together, each in the audit log', async () => {
    const { sid } = await add(0x44);
    expect((await admin.call(`DELETE /apps/${FORUM}/sessions/${sid}`)).status).toBe(404);
    expect((await admin.call(`DELETE /apps/${SHOP}/sessions/${sid}`)).status).toBe(204);
    expect(await sidsOf()).not.toContain(sid);
    expect(await admin.refusal(`DELETE /apps/${SHOP}/sessions/${sid}`)).toEqual([404, 'session.unknown']);
    await add(0x55);
    const { length } = await sidsOf();
    expect((await admin.call(`DELETE /apps/${SHOP}/sessions`)).body).toEqual({ revoked: length });
    expect(await sidsOf()).toEqual([]);
    for (const action of ['session.revoked', 'session.all_revoked']) {
      const { items } = (await admin.call(`GET /audit?action=${action}`)).body;
      expect(items).toMatchObject([{ target: SHOP, actor: expect.stringMatching(/^api:/) }]);
    }
  });

  it('belong to apps of the configuration, too', async () => {
    const client = {
      ...DEFAULT_CLIENT,
      redirectUris: CONFIGURED.redirect_uris,
      tokenEndpointAuthMethod: 'none' as const,
    };
    const shop = (await store.apps.findByAppId(SHOP)) as AppRow;
    const app = { ...shop, appId: FORUM, client };
    const { sid } = await addSession(store, app, 0x66, Date.now());
    expect(await sidsOf(`/apps/${FORUM}/sessions`)).toEqual([sid]);
    expect((await admin.call(`DELETE /apps/${FORUM}/sessions/${sid}`)).status).toBe(204);
    expect((await admin.call(`GET /apps/${FORUM}/session-count`)).body).toEqual({ sessions: 0 });
  });
});
