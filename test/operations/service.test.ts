// Rules: spec/operations.md#admin-api
import { describe, expect, it } from 'vitest';
import { useAdmin } from '../admin/support/admin-client.ts';
import { seedExample } from '../admin/support/example-request.ts';

/** Counts are by hour and by day, neither of which must end while the tests run. */
const NOW = Date.UTC(2026, 5, 1, 12, 30);

// The number of threads is changed from 1.
const admin = useAdmin({ settings: { 'engine.workers': '1' }, now: () => NOW });

describe('the service over the admin API', () => {
  it('reports its state with notices in plain language', async () => {
    const { body } = await admin.call('GET /status');
    expect(body).toMatchObject({
      profile: 'test',
      ready: true,
      interfaces: { signin: true, refresh: true, verify: true },
      store: { reachable: true, writable: true },
      checks: { store: { status: 'ok' } },
    });
    expect(body.notices).toContainEqual(
      expect.objectContaining({ code: 'profile.development', level: 'info' }),
    );
    const { items } = (await admin.call('GET /nodes')).body;
    expect(items).toEqual([expect.objectContaining({ node_id: body.node_id, self: true, ready: true })]);
  });

  it('changes the number of workers while it serves, and records it', async () => {
    const changed = await admin.call('PATCH /engine', { body: { workers: 2 } });
    expect(changed.body).toMatchObject({ workers: 2, ready_workers: 2 });
    expect((await admin.call('GET /engine')).body).toMatchObject({ workers: 2 });
    await admin.call('PATCH /engine', { body: { workers: 2 } });
    await admin.call('PATCH /engine', { body: { workers: 1 } });
    const { items } = (await admin.call('GET /audit?action=engine.workers_changed')).body;
    expect(items.map(({ before, after }: { before: object; after: object }) => [before, after])).toEqual([
      [{ workers: 2 }, { workers: 1 }],
      [{ workers: 1 }, { workers: 2 }],
    ]);
    for (const workers of [0, 257, 1.5, '2', null]) {
      expect((await admin.call('PATCH /engine', { body: { workers } })).body.errors).toEqual([
        { path: 'body/workers', detail: expect.stringMatching(/^must |^expected |is /) },
      ]);
    }
  });

  it('switches the issuance of credentials for all nodes', async () => {
    expect((await admin.call('PATCH /refresh', { body: { enabled: false } })).body.enabled).toBe(false);
    expect((await admin.call('GET /refresh')).body).toMatchObject({ enabled: false, configured: true });
    expect((await admin.call('PATCH /refresh', { body: { enabled: true } })).body.enabled).toBe(true);
    expect((await admin.call('PATCH /refresh', { body: {} })).status).toBe(400);
  });

  it('shows every setting with its origin, and no secret', async () => {
    const { items } = (await admin.call('GET /config')).body;
    const find = (key: string): unknown => items.find((setting: { key: string }) => setting.key === key);
    expect(find('profile')).toMatchObject({ value: 'test', origin: 'env', env: 'PROOFGATE_PROFILE' });
    expect(JSON.stringify(items)).not.toContain(admin.token);
  });

  it('sweeps, and revokes tokens by jti', async () => {
    const swept = await admin.call('POST /sweep', { body: {} });
    expect(swept.body.removed).toMatchObject({ admin_answers: 0 });
    const jti = '00000000-0000-4000-8000-000000000000';
    expect((await admin.call('POST /tokens/revoke', { body: { jti } })).body).toMatchObject({
      revoked: true,
      jti,
    });
    const store = await admin.app.openStore();
    expect(await store.grants.isRevoked(jti, NOW)).toBe(true);
    await store.close();
    expect(await admin.refusal('POST /tokens/revoke', { body: { token: 'not a token' } })).toEqual([
      400,
      'admin.not_a_token',
    ]);
    for (const body of [{}, { jti, token: 'a' }, { jti: 'x' }]) {
      expect((await admin.call('POST /tokens/revoke', { body })).body.code).toBe('admin.invalid_request');
    }
  });

  it('explains refusals by code, those of the items of a verification too', async () => {
    const send = await seedExample(admin.app);
    expect((await send({ nullifier: '0x1' })).status).toBe(400);
    expect((await send({ nullifier: '0x1' })).status).toBe(400);
    await fetch(`${admin.app.publicUrl}/no-such-path`);
    const { items } = (await admin.call('GET /errors/recent?hours=1')).body;
    const countOf = (code: string): unknown =>
      items.find((row: { code: string }) => row.code === code)?.count;
    expect([countOf('verify.all_failed'), countOf('proof.false')]).toEqual([2, 2]);
    expect(items.find((row: { code: string }) => row.code === 'proof.false')).toMatchObject({
      title: expect.any(String),
      cause: expect.any(String),
      cure: expect.any(String),
    });
    for (const hours of ['0', '169', 'x']) {
      expect((await admin.call(`GET /errors/recent?hours=${hours}`)).status).toBe(400);
    }
  });
});

describe('counts by app', () => {
  it('tell people from repeated proofs, by day', async () => {
    const send = await seedExample(admin.app);
    await send();
    await send();
    await send();
    const { items } = (await admin.call(`GET /apps/${send.appId}/usage?days=1`)).body;
    expect(items).toEqual([
      {
        day: '2026-06-01',
        environment: 'production',
        verified_new: 1,
        verified_reused: 2,
        verified_session: 0,
        verify_refused: 2,
        signed_in: 0,
      },
    ]);
    expect((await admin.call('GET /usage?days=1')).body.items).toEqual(items);
    expect((await admin.call('GET /usage/apps?days=1')).body.items).toEqual([
      {
        app_id: send.appId,
        name: expect.any(String),
        verified_new: 1,
        verified_reused: 2,
        verified_session: 0,
        verify_refused: 2,
        signed_in: 0,
      },
    ]);
    expect((await admin.call('GET /usage/apps?environment=staging')).body.items).toEqual([]);
    expect((await admin.call('GET /usage/apps?limit=0')).status).toBe(400);
    const actions = await admin.call(`GET /apps/${send.appId}/actions`);
    expect(actions.body.items).toEqual([
      expect.objectContaining({ environment: 'production', action: send.action, nullifiers: 1 }),
    ]);
    expect((await admin.call(`GET /apps/${send.appId}/actions?environment=staging`)).body.items).toEqual([]);
    expect((await admin.call('GET /apps/app_x/usage')).body.code).toBe('app.unknown');
    expect((await admin.call('GET /apps/app_x/actions')).body.code).toBe('app.unknown');
    expect((await admin.call('GET /usage?days=91')).status).toBe(400);
  });

  it('of an action are reset in staging, where each person can then take part again, and never in production', async () => {
    const { appId, action } = await seedExample(admin.app);
    const store = await admin.app.openStore();
    const record = async (environment: 'production' | 'staging', byte: number): Promise<boolean> => {
      const nullifier = new Uint8Array(32).fill(byte);
      const entry = {
        environment,
        nullifier,
        appId,
        action,
        actionDescription: '',
        requestId: 'r',
        createdAt: 1,
      };
      return (await store.nullifiers.record(entry)).isNew;
    };
    for (const byte of [1, 2, 3]) await record('staging', byte);
    await record('production', 1);
    const reset = await admin.call(`POST /apps/${appId}/actions/reset`, { body: { action } });
    expect(reset.body).toEqual({ removed: 3 });
    expect([await record('staging', 1), await record('production', 1)]).toEqual([true, false]);
    const { items } = (await admin.call('GET /audit?action=action.reset')).body;
    expect(items).toEqual([
      expect.objectContaining({ target: appId, after: { environment: 'staging', action } }),
    ]);
    expect(await admin.refusal(`POST /apps/${appId}/actions/reset`, { body: { action: 'other' } })).toEqual([
      404,
      'action.unknown',
    ]);
    expect((await admin.call('POST /apps/app_x/actions/reset', { body: { action } })).body.code).toBe(
      'app.unknown',
    );
    await store.close();
  });
});
