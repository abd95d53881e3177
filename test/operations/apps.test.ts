// Rules: spec/operations.md#admin-api
import { describe, expect, it } from 'vitest';
import { startAdmin, useAdmin } from '../admin/support/admin-client.ts';

const ID = 'app_11111111111111111111111111111111';
const LISTED = 'app_22222222222222222222222222222222';
const CALLBACK = 'https://shop.example/callback';

const LIST = [
  { client_id: LISTED, name: 'Listed', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
];
const admin = useAdmin({ settings: { 'apps.list': JSON.stringify(LIST) } });

const create = async (
  body: object = {},
): Promise<{ app_id: string; version: number; client_secret?: string; readonly rp_id: string }> =>
  (await admin.call('POST /apps', { body })).body;

describe('apps over the admin API', () => {
  it('are registered with a secret that is shown once, and read back without it', async () => {
    const created = await admin.call('POST /apps', {
      body: { app_id: ID, name: 'Shop', redirect_uris: [CALLBACK], require_pkce: true },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ app_id: ID, name: 'Shop', status: 'active', require_pkce: true });
    expect(created.body.client_secret).toMatch(/^sk_[0-9a-f]{48}$/);
    const read = await admin.call(`GET /apps/${ID}`);
    expect(read.body.client_secret).toBeUndefined();
    expect(read.body.secrets).toEqual(created.body.secrets);
    expect(read.headers.get('etag')).toBe(`"${created.body.version}"`);
    expect((await admin.call(`GET /apps/${created.body.rp_id}`)).body).toEqual(read.body);
    const { secret } = { secret: created.body.client_secret as string };
    expect(admin.app.log()).not.toContain(secret);
  });

  it('may be public, staging, or without sign-in', async () => {
    expect(
      await create({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
    ).not.toHaveProperty('client_secret');
    expect((await create({ staging: true })).app_id).toMatch(/^app_staging_/);
    const plain = await create();
    expect([plain, 'client_secret' in plain]).toMatchObject([{ redirect_uris: [] }, false]);
  });

  it('are refused with the wrong member and the rule', async () => {
    const refusal = async (body: object): Promise<unknown[]> => {
      const { status, body: problem } = await admin.call('POST /apps', { body });
      return [status, problem.code, problem.errors?.[0]?.path];
    };
    expect(await refusal({ app_id: ID })).toEqual([409, 'app.exists', undefined]);
    expect(await refusal({ app_id: LISTED })).toEqual([409, 'app.exists', undefined]);
    expect(await refusal({ redirect_uris: ['http://shop.example/'] })).toEqual([
      400,
      'app.invalid',
      'redirect_uris[0]',
    ]);
    expect(await refusal({ logo: Buffer.from('text').toString('base64') })).toEqual([
      400,
      'app.invalid',
      'logo',
    ]);
    const { rp_id } = (await admin.call(`GET /apps/${ID}`)).body;
    expect(await refusal({ rp_id })).toEqual([409, 'app.rp_id_taken', 'rp_id']);
    const fields: readonly (readonly [object, string])[] = [
      [{ app_id: 'shop' }, 'app_id'],
      [{ name: '' }, 'name'],
      [{ redirect_uris: CALLBACK }, 'redirect_uris'],
      [{ status: 'on' }, 'status'],
      [{ logo: 5 }, 'logo'],
    ];
    for (const [body, path] of fields) expect(await refusal(body)).toEqual([400, 'app.invalid', path]);
    const schema: readonly (readonly [object, string])[] = [
      [{ name: 'a\u0000' }, 'body/name'],
      [{ colour: 'red' }, 'body/colour'],
      [{ client_id: ID }, 'body/client_id'],
      [{ staging: 1 }, 'body/staging'],
    ];
    for (const [body, path] of schema)
      expect(await refusal(body)).toEqual([400, 'admin.invalid_request', path]);
  });

  it('keep their redirect URIs if a change has something else than a list', async () => {
    const { version } = (await admin.call(`GET /apps/${ID}`)).body;
    for (const redirect_uris of [{}, 5, CALLBACK, null]) {
      const { status, body } = await admin.call(`PATCH /apps/${ID}`, { body: { redirect_uris }, version });
      expect([status, body.code, body.errors?.[0]?.path]).toEqual([400, 'app.invalid', 'redirect_uris']);
    }
  });

  it('are refused with every wrong field at once, each with its reason', async () => {
    const wrong = {
      app_id: 'shop',
      rp_id: 'rp_1',
      name: '',
      response_types: [],
      redirect_uris: [CALLBACK, 'http://shop.example/', 'shop'],
      logo: 'AAAA',
    };
    const refused = (await admin.call('POST /apps', { body: wrong })).body;
    const reasons = Object.fromEntries((refused.errors ?? []).map(({ path, detail }) => [path, detail]));
    expect(refused.code).toBe('app.invalid');
    expect(reasons).toMatchObject({
      app_id: 'expected app_ or app_staging_ and 32 lower-case hex digits, got "shop"',
      rp_id: 'expected rp_ and 16 hex digits, got "rp_1"',
      name: expect.stringContaining('expected 1 to 64 characters'),
      response_types: expect.stringContaining('expected one or more of'),
      'redirect_uris[1]': expect.stringContaining('"http://shop.example/" '),
      'redirect_uris[2]': expect.stringContaining('is not absolute'),
      logo: expect.stringContaining('expected a PNG, JPEG or WebP'),
    });
    expect(Object.keys(reasons)).toHaveLength(7);

    const { app_id, version } = await create();
    const change = { body: { rp_id: 'rp_1', redirect_uris: ['shop'], logo: 'AAAA' }, version };
    const unchanged = (await admin.call(`PATCH /apps/${app_id}`, change)).body;
    expect(unchanged.errors?.map(({ path }) => path)).toEqual(['logo', 'rp_id', 'redirect_uris[0]']);
    const other = await create();
    const taken = { body: { rp_id: other.rp_id }, version };
    expect((await admin.call(`PATCH /apps/${app_id}`, taken)).body.errors).toMatchObject([{ path: 'rp_id' }]);
  });

  it('in staging are checked by its rules, whether its app_id or the request says so', async () => {
    const body = { redirect_uris: ['http://localhost/cb'] };
    const codes = async (more: object): Promise<unknown> =>
      (await admin.call('POST /apps', { body: { ...body, ...more } })).status;
    expect(await codes({ staging: true })).toBe(201);
    expect(await codes({ app_id: `app_staging_${'5'.repeat(32)}` })).toBe(201);
    expect(await codes({ app_id: `app_${'5'.repeat(32)}` })).toBe(400);
  });

  it('are changed at the version that was read, and at no other', async () => {
    const { app_id, version } = await create({ name: 'Before' });
    const change = { body: { name: 'After' }, version };
    const changed = await admin.call(`PATCH /apps/${app_id}`, change);
    expect(changed.body).toMatchObject({ name: 'After' });
    expect(changed.body.version).toBeGreaterThan(version);
    expect(await admin.refusal(`PATCH /apps/${app_id}`, change)).toEqual([409, 'app.changed']);
    expect(await admin.refusal(`PATCH /apps/${app_id}`, { body: { name: 'After' } })).toEqual([
      428,
      'admin.version_required',
    ]);
    const malformed = await admin.call(`PATCH /apps/${app_id}`, {
      body: { name: 'After' },
      headers: { 'if-match': '*' },
    });
    expect(malformed.body.errors).toMatchObject([{ path: 'headers/if-match' }]);
    expect((await admin.call(`PATCH /apps/${app_id}`, { ...change, body: {} })).status).toBe(400);
  });

  it('get a logo and lose it', async () => {
    const { app_id, version } = await create();
    const png = Buffer.from('89504e470d0a1a0a00', 'hex').toString('base64');
    const set = await admin.call(`PATCH /apps/${app_id}`, { body: { logo: png }, version });
    expect(set.body.logo).toBe(true);
    const removed = await admin.call(`PATCH /apps/${app_id}`, {
      body: { logo: null },
      version: set.body.version,
    });
    expect(removed.body.logo).toBe(false);
  });

  it('are disabled and removed at a version', async () => {
    const { app_id, version } = await create();
    const disabled = await admin.call(`PATCH /apps/${app_id}`, { body: { status: 'disabled' }, version });
    expect(disabled.body.status).toBe('disabled');
    expect((await admin.call(`DELETE /apps/${app_id}`, { version })).body.code).toBe('app.changed');
    expect((await admin.call(`DELETE /apps/${app_id}`)).status).toBe(428);
    expect((await admin.call(`DELETE /apps/${app_id}`, { version: disabled.body.version })).status).toBe(204);
    for (const request of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = request === 'PATCH' ? { body: { name: 'a' } } : {};
      expect(await admin.refusal(`${request} /apps/${app_id}`, { ...body, version })).toEqual([
        404,
        'app.unknown',
      ]);
    }
  });

  it('of the configuration are read-only', async () => {
    expect((await admin.call(`GET /apps/${LISTED}`)).body).toMatchObject({ version: 0, created_at: null });
    for (const [request, call] of [
      [`PATCH /apps/${LISTED}`, { body: { name: 'a' }, version: 0 }],
      [`DELETE /apps/${LISTED}`, { version: 0 }],
      [`POST /apps/${LISTED}/secrets`, { body: {} }],
      [`DELETE /apps/${LISTED}/secrets/cs_1`, {}],
    ] as const) {
      const { status, body } = await admin.call(request, call);
      expect([status, ['app.read_only', 'app.public'].includes(body.code)]).toEqual([409, true]);
    }
  });

  it('are listed page by page, the latest first, those of the configuration last, each once', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `Paged ${index}`);
    for (const name of names) await create({ name });
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await admin.call(`GET /apps?limit=3${query}`);
      expect(body.items.length).toBeLessThanOrEqual(3);
      ids.push(...body.items.map(({ app_id }: { app_id: string }) => app_id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength((await admin.call('GET /apps?limit=200')).body.items.length);
    expect(ids.at(-1)).toBe(LISTED);
    const found = await admin.call('GET /apps?search=PAGED&limit=2');
    expect(found.body.items.map(({ name }: { name: string }) => name)).toEqual(['Paged 6', 'Paged 5']);
    expect((await admin.call('GET /apps?search=%25')).body.items).toEqual([]);
    expect((await admin.call('GET /apps?search=listed')).body.items).toHaveLength(1);
    expect((await admin.call(`GET /apps?search=${ID.slice(4)}`)).body.items).toHaveLength(1);
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=a',
    'limit=1&limit=2',
    'cursor=',
    'cursor=e30',
    'cursor=WzFd',
    'x=1',
  ])('refuse the page %s', async (query) => {
    expect(await admin.refusal(`GET /apps?${query}`)).toEqual([400, 'admin.invalid_request']);
  });
});

describe('secrets over the admin API', () => {
  it('are rotated with an overlap, at most two at a time, and removed', async () => {
    const { app_id, client_secret } = await create({ redirect_uris: [CALLBACK] });
    const rotated = await admin.call(`POST /apps/${app_id}/secrets`, { body: { overlap_seconds: 60 } });
    expect(rotated.status).toBe(201);
    expect(rotated.body.client_secret).not.toBe(client_secret);
    const { items } = (await admin.call(`GET /apps/${app_id}/secrets`)).body;
    expect(items.map(({ expires_at }: { expires_at: string | null }) => expires_at === null)).toEqual([
      false,
      true,
    ]);
    expect(await admin.refusal(`POST /apps/${app_id}/secrets`, { body: {} })).toEqual([
      409,
      'app.two_secrets',
    ]);
    const path = `DELETE /apps/${app_id}/secrets/${items[0]?.secret_id}` as const;
    expect((await admin.call(path)).status).toBe(204);
    expect((await admin.call(path)).body.code).toBe('app.secret_unknown');
  });

  it('are refused to a public app and to one that is unknown', async () => {
    const { app_id } = await create({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
    expect((await admin.call(`POST /apps/${app_id}/secrets`, { body: {} })).body.code).toBe('app.public');
    for (const request of ['GET /apps/app_x/secrets', 'DELETE /apps/app_x/secrets/a'] as const) {
      expect((await admin.call(request)).body.code).toBe('app.unknown');
    }
    expect((await admin.call('POST /apps/app_x/secrets', { body: {} })).body.code).toBe('app.unknown');
  });
});

describe('apps over the admin API where signin.allowLocalLogout is off', () => {
  it.each([
    'http://localhost:3000/out',
    'https://localhost/out',
    'https://[::ffff:127.0.0.1]/out',
    'https://169.254.169.254/out',
  ])('are refused with the backchannel_logout_uri %s, at registration and at a change', async (uri) => {
    const strict = await startAdmin({ settings: { 'signin.allowLocalLogout': 'false' } });
    const body = { staging: true, redirect_uris: [CALLBACK], backchannel_logout_uri: uri };
    const refusal = {
      status: 400,
      body: { code: 'app.invalid', errors: [{ path: 'backchannel_logout_uri' }] },
    };
    expect(await strict.call('POST /apps', { body })).toMatchObject(refusal);
    const remote = { ...body, backchannel_logout_uri: 'https://shop.example/out' };
    const made = await strict.call('POST /apps', { body: remote });
    expect(made.status).toBe(201);
    const headers = { 'If-Match': `"${made.body.version}"` };
    const change = { headers, body: { backchannel_logout_uri: uri } };
    expect(await strict.call(`PATCH /apps/${made.body.app_id}`, change)).toMatchObject(refusal);
    await strict.app.stop();
  });
});
