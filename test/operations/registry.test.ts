// Rules: spec/operations.md#admin-api
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useAdmin } from '../admin/support/admin-client.ts';
import { orbPem } from '../cli/support/orb-pem.ts';

const KEY = JSON.parse(
  readFileSync(new URL('../../circuits/semaphore-depth20/verification-key.json', import.meta.url), 'utf8'),
);

// All of its rows are listed.
const admin = useAdmin();

describe('signing keys over the admin API', () => {
  it('are listed with the date of the next rotation, rotated and removed', async () => {
    const signin = async () => (await admin.call('GET /keys?use=signin')).body.items;
    const before = await signin();
    expect(before.map(({ state }: { state: string }) => state).sort()).toEqual(['active', 'next']);
    expect(before.find(({ state }: { state: string }) => state === 'active')?.changes_at).toMatch(/Z$/);
    expect(await admin.refusal('POST /keys/rotate', { body: {} })).toEqual([409, 'signing_key.too_young']);
    const rotated = (await admin.call('POST /keys/rotate', { body: { force: true } })).body;
    expect(rotated).toMatchObject({ early: true });
    expect((await admin.call(`DELETE /keys/${rotated.active}`)).status).toBe(204);
    expect((await signin()).some(({ kid }: { kid: string }) => kid === rotated.active)).toBe(false);
    expect(await admin.refusal(`DELETE /keys/${rotated.active}`)).toEqual([404, 'signing_key.unknown']);
    expect(JSON.stringify(await signin())).not.toContain('"d"');
  });

  it('of credentials are rotated and revoked', async () => {
    const { active, retired } = (await admin.call('POST /keys/rotate', { body: { use: 'credential' } })).body;
    expect(retired).not.toBe(active);
    expect((await admin.call(`DELETE /keys/${retired}?use=credential`)).status).toBe(204);
    const { items } = (await admin.call('GET /keys?use=credential')).body;
    const states = Object.fromEntries(items.map(({ kid, state }) => [kid, state]));
    expect(states).toMatchObject({ [active]: 'active', [retired]: 'revoked' });
    expect(await admin.refusal('DELETE /keys/none?use=credential')).toEqual([404, 'issuer_key.unknown']);
    expect(await admin.refusal('GET /keys?use=other')).toEqual([400, 'admin.invalid_request']);
  });
});

describe('verifying keys over the admin API', () => {
  it('are imported once, checked point by point, and listed', async () => {
    const body = { id: 'mine', key: KEY, depth: 20, source: 'test' };
    const imported = await admin.call('POST /vkeys', { body });
    expect([imported.status, imported.body.key]).toMatchObject([201, { id: 'mine', depth: 20, inputs: 4 }]);
    expect((await admin.call('POST /vkeys', { body })).status).toBe(201);
    const { items } = (await admin.call('GET /vkeys')).body;
    expect(items.filter(({ id }: { id: string }) => id === 'mine')).toHaveLength(1);
    const other = { ...KEY, IC: KEY.IC.slice(0, 4), nPublic: 3 };
    expect(await admin.refusal('POST /vkeys', { body: { ...body, key: other } })).toEqual([
      409,
      'key.conflict',
    ]);
    const broken = { ...KEY, vk_alpha_1: ['1', '1', '1'] };
    expect(await admin.refusal('POST /vkeys', { body: { id: 'broken', key: broken } })).toEqual([
      400,
      'key.point_not_on_curve',
    ]);
    for (const wrong of [{ key: {} }, { key: { ...KEY, protocol: 'plonk' } }]) {
      expect((await admin.refusal('POST /vkeys', { body: { id: 'wrong', ...wrong } }))[0]).toBe(400);
    }
    expect(await admin.refusal('POST /vkeys', { body: { id: 'NO', key: KEY } })).toEqual([
      400,
      'admin.invalid_request',
    ]);
  });
});

describe('uses of verifying keys over the admin API', () => {
  it('are the trees that a setting binds to them, and those whose current root names them', async () => {
    const usesOf = async (id: string): Promise<unknown> =>
      (await admin.call('GET /vkeys')).body.items.find((key) => key.id === id)?.used_for;
    const body = { id: 'of-a-root', key: KEY, depth: 20 };
    expect((await admin.call('POST /vkeys', { body })).body.key).toMatchObject({ used_for: [] });
    const root = { environment: 'production', tree: 'face', root: '0x7', key: 'of-a-root' };
    expect((await admin.call('POST /roots', { body: root })).status).toBe(201);
    expect(await usesOf('of-a-root')).toEqual([{ environment: 'production', tree: 'face', by: 'root' }]);
    const uses = (await admin.call('GET /vkeys')).body.items.flatMap(({ used_for }) => used_for);
    for (const [environment, tree] of [['production', 'orb'] as const, ['staging', 'account'] as const]) {
      expect(uses).toContainEqual({ environment, tree, by: 'setting' });
    }
    expect((await admin.call('POST /roots', { body: { ...root, root: '0x8', key: undefined } })).status).toBe(
      201,
    );
    expect(await usesOf('of-a-root')).toEqual([]);
  });
});

describe('roots over the admin API', () => {
  const ROOT = { environment: 'staging', tree: 'orb' } as const;

  it('are added, become current, and are listed with age and source, page by page', async () => {
    for (const number of [1, 2, 3]) {
      const received_at = new Date(Date.UTC(2026, 0, number)).toISOString();
      const added = await admin.call('POST /roots', { body: { ...ROOT, root: `0x${number}`, received_at } });
      expect([added.status, added.body]).toMatchObject([201, { source: 'operator', superseded_at: null }]);
    }
    const current = (await admin.call('GET /roots')).body.items;
    expect(
      current.find(({ environment }: { environment: string }) => environment === 'staging'),
    ).toMatchObject({
      root: `0x${'3'.padStart(64, '0')}`,
      age_seconds: expect.any(Number),
    });
    const first = await admin.call('GET /roots?environment=staging&tree=orb&limit=2');
    const second = await admin.call(
      `GET /roots?environment=staging&tree=orb&limit=2&cursor=${first.body.next_cursor}`,
    );
    const roots = [...first.body.items, ...second.body.items].map(({ root }: { root: string }) =>
      Number(root),
    );
    expect([roots, second.body.next_cursor]).toEqual([[1, 2, 3], null]);
    const latest = await admin.call('GET /roots?environment=staging&tree=orb&order=newest&limit=2');
    const before = await admin.call(
      `GET /roots?environment=staging&tree=orb&order=newest&limit=2&cursor=${latest.body.next_cursor}`,
    );
    const back = [...latest.body.items, ...before.body.items].map(({ root }) => Number(root));
    expect([back, before.body.next_cursor]).toEqual([[3, 2, 1], null]);
    const pruned = await admin.call('POST /roots/prune', { body: { before: '2026-01-02T00:00:00.000Z' } });
    expect(pruned.body).toEqual({ removed: 1 });
  });

  it('are refused with the member', async () => {
    expect(await admin.refusal('POST /roots', { body: { ...ROOT, root: `0x${'f'.repeat(64)}` } })).toEqual([
      400,
      'root.invalid',
    ]);
    expect(await admin.refusal('POST /roots', { body: { ...ROOT, root: '5' } })).toEqual([
      400,
      'admin.invalid_request',
    ]);
    expect(await admin.refusal('POST /roots/prune', { body: { before: 'today' } })).toEqual([
      400,
      'admin.invalid_request',
    ]);
    for (const query of ['environment=staging', 'tree=orb', 'environment=x', 'tree=orb&environment=x']) {
      expect(await admin.refusal(`GET /roots?${query}`)).toEqual([400, 'admin.invalid_request']);
    }
  });

  it('of sources are listed, and an unknown source cannot be reset', async () => {
    expect((await admin.call('GET /roots/sources')).body.items).toEqual([]);
    expect(await admin.refusal('POST /roots/sources/none/reset')).toEqual([404, 'roots.source_unknown']);
  });
});

describe('records of credential refresh over the admin API', () => {
  const record = (number: number, changes: object = {}): object => ({
    id_comm: `0x${number.toString(16)}`,
    signup_id: `s-${number}`,
    orb_id: '0c1d2e3f',
    enrolled_at: '2024-01-01T00:00:00Z',
    ...changes,
  });
  const id = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;

  it('are imported, listed page by page, shown and revoked', async () => {
    const records = [record(7), record(8), record(9), record(10, { signup_id: 's-9' }), record(0)];
    const imported = (await admin.call('POST /signups', { body: { records } })).body;
    expect(imported).toMatchObject({ added: 3, updated: 0, unchanged: 0 });
    expect(imported.refused.map(({ index }: { index: number }) => index)).toEqual([3, 4]);
    expect((await admin.call('POST /signups', { body: { records: [record(7)] } })).body.unchanged).toBe(1);
    const page = (await admin.call('GET /signups?limit=2')).body;
    expect(page.items.map(({ id_comm }: { id_comm: string }) => id_comm)).toEqual([id(7), id(8)]);
    const rest = (await admin.call(`GET /signups?limit=2&cursor=${page.next_cursor}`)).body;
    expect(rest.items[0]?.id_comm).toBe(id(9));
    expect((await admin.call('GET /signups/0x7')).body).toMatchObject({ status: 'active', bindings: [] });
    expect((await admin.call('PATCH /signups/0x7', { body: { status: 'revoked' } })).body.status).toBe(
      'revoked',
    );
    expect(await admin.refusal('GET /signups/0xff')).toEqual([404, 'signup.unknown']);
    expect(await admin.refusal('PATCH /signups/0xff', { body: { status: 'revoked' } })).toEqual([
      404,
      'signup.unknown',
    ]);
    expect(await admin.refusal('PATCH /signups/0x7', { body: { status: 'active' } })).toEqual([
      400,
      'admin.invalid_request',
    ]);
  });

  it('have keys of orbs, which are imported, listed and revoked', async () => {
    const { pem, hash } = orbPem(1);
    const records = [
      { orb_id: 'orb-1', keys: [pem] },
      { orb_id: 'orb-1', keys: ['no key'] },
    ];
    const imported = (await admin.call('POST /orb-keys', { body: { records } })).body;
    expect([imported.added, imported.refused.length]).toEqual([1, 1]);
    expect((await admin.call('GET /orb-keys?orb_id=orb-1')).body.items).toEqual([
      expect.objectContaining({ key_hash: hash, status: 'active', pem }),
    ]);
    const revoke = `PATCH /orb-keys/orb-1/${hash}` as const;
    expect((await admin.call(revoke, { body: { status: 'revoked' } })).status).toBe(204);
    expect((await admin.call('GET /orb-keys?orb_id=orb-1')).body.items[0]?.status).toBe('revoked');
    expect(await admin.refusal(`PATCH /orb-keys/orb-2/${hash}`, { body: { status: 'revoked' } })).toEqual([
      404,
      'orb_key.unknown',
    ]);
    expect(await admin.refusal('GET /orb-keys')).toEqual([400, 'admin.invalid_request']);
  });
});

describe('the audit log over the admin API', () => {
  it('has who, when, what and the request of each change, and no secret', async () => {
    const created = await admin.call('POST /apps', {
      body: { name: 'Audited', redirect_uris: ['https://a.example/cb'] },
    });
    const { app_id, client_secret, version } = created.body;
    await admin.call(`PATCH /apps/${app_id}`, { body: { name: 'Renamed' }, version });
    const { items } = (await admin.call(`GET /audit?target=${app_id}`)).body;
    expect(items).toMatchObject([
      { actor: 'api:config', action: 'app.updated', before: { name: 'Audited' }, after: { name: 'Renamed' } },
      { actor: 'api:config', action: 'app.created', before: null, after: { name: 'Audited' } },
    ]);
    expect(items[1]?.request_id).toBe(created.headers.get('x-request-id'));
    expect(JSON.stringify(items)).not.toContain(client_secret);
    const paged: number[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await admin.call(`GET /audit?limit=4${query}`);
      paged.push(...body.items.map(({ seq }: { seq: number }) => seq));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(Array.from({ length: paged.length }, (_, index) => paged.length - index));
    const { token, token_id } = (await admin.call('POST /tokens', { body: { name: 'ci', scope: 'write' } }))
      .body;
    await admin.call('POST /apps', { body: {}, token });
    const own = (await admin.call(`GET /audit?actor=api:${token_id}`)).body.items;
    expect(own).toMatchObject([{ action: 'app.created' }]);
  });
});
