// Rules: spec/operations.md#admin-api
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_BASE_PATH, createAuthenticate, OPERATIONS, prepareAdminToken } from '../../src/admin/index.ts';
import { type AdminClient, operationOf, startAdmin } from './support/admin-client.ts';

let admin: AdminClient;
let readToken: string;

beforeAll(async () => {
  admin = await startAdmin({ settings: { 'rateLimits.adminFailures': '0' } });
  readToken = (await admin.call('POST /tokens', { body: { name: 'reader', scope: 'read' } })).body.token;
});

afterAll(() => admin.app.stop());

/** Returns a path of an operation with some value for each parameter. */
function pathOf(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '0x7').replace('/orb-keys', '/orb-keys');
}

describe('tokens of the admin API', () => {
  it.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
    'are needed for %s, and of scope write where it changes something',
    async (_id, { method, path, scope }) => {
      const request = `${method} ${pathOf(path)}` as const;
      const body = method === 'POST' || method === 'PATCH' ? { body: {} } : {};
      for (const token of [null, '', 'x', `pgat_${'A'.repeat(43)}`, `${admin.token}x`]) {
        const { status, headers, body: problem } = await admin.call(request, { ...body, token });
        expect([status, problem.code]).toEqual([401, 'http.unauthenticated']);
        expect(headers.get('www-authenticate')).toBe('Bearer realm="proofgate admin"');
      }
      const { status } = await admin.call(request, { ...body, token: readToken });
      if (scope === 'write') expect(status).toBe(403);
      else expect(status).not.toBe(403);
    },
  );

  it('of scope read change nothing, whatever is sent', async () => {
    const head = async (): Promise<unknown> => {
      const store = await admin.app.openStore();
      const found = await store.audit.head();
      await store.close();
      return found;
    };
    const before = await head();
    for (const { method, path, example, scope } of OPERATIONS.filter((one) => one.scope === 'write')) {
      const request = `${method} ${pathOf(path)}` as const;
      const { status, body } = await admin.call(request, {
        ...{ token: readToken, version: 1, headers: { 'idempotency-key': 'k' } },
        ...(example.body === undefined ? {} : { body: example.body }),
      });
      expect([scope, status, body.code]).toEqual(['write', 403, 'admin.forbidden']);
    }
    expect(await head()).toEqual(before);
  });

  it('are listed without their values, end at their time, and stop working when they are revoked', async () => {
    const made = await admin.call('POST /tokens', {
      body: { name: 'short', scope: 'read', expires_in_seconds: 1 },
    });
    expect(made.status).toBe(201);
    const { token, token_id } = made.body;
    expect(token).toMatch(/^pgat_[A-Za-z0-9_-]{43}$/);
    const listed = await admin.call('GET /tokens');
    expect(JSON.stringify(listed.body)).not.toContain(token);
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ token_id, name: 'short', scope: 'read' }),
    );
    expect(admin.app.log()).not.toContain(token);
    await delay(1100);
    expect((await admin.call('GET /status', { token })).status).toBe(401);

    const other = (await admin.call('POST /tokens', { body: { name: 'other', scope: 'write' } })).body;
    expect((await admin.call('GET /status', { token: other.token })).status).toBe(200);
    expect((await admin.call(`DELETE /tokens/${other.token_id}`, { token: other.token })).status).toBe(204);
    expect((await admin.call('GET /status', { token: other.token })).status).toBe(401);
    const again = await admin.call(`DELETE /tokens/${other.token_id}`);
    expect([again.status, again.body.code]).toEqual([404, 'admin_token.unknown']);
    const bad = await admin.call('POST /tokens', { body: { name: 'a\u0007', scope: 'read' } });
    expect([bad.status, bad.body.code]).toEqual([400, 'admin_token.invalid']);
  });

  it('read the metrics, of either scope', async () => {
    const metrics = async (token: string): Promise<number> => {
      const authenticate = createAuthenticate('configured', { find: async () => undefined }, Date.now);
      return (await authenticate(`Bearer ${token}`)) === undefined ? 401 : 200;
    };
    expect([await metrics('configured'), await metrics('other')]).toEqual([200, 401]);
  });

  it('are compared by hash, and only texts of their form cost a look-up', async () => {
    let lookUps = 0;
    const { row, value } = prepareAdminToken({ name: 'a', scope: 'read' }, 0);
    const find = async () => {
      lookUps++;
      return row;
    };
    const authenticate = createAuthenticate('configured', { find }, () => 0);
    for (const header of [undefined, '', 'Bearer', `Basic ${value}`, 'Bearer x', `Bearer ${value} x`]) {
      expect(await authenticate(header)).toBeUndefined();
    }
    expect(lookUps).toBe(0);
    expect(await authenticate(`Bearer ${value}`)).toEqual({ actor: `api:${row.tokenId}`, scope: 'read' });
    expect(await authenticate(`bearer   ${value}`)).toEqual({ actor: `api:${row.tokenId}`, scope: 'read' });
    // A row of another token, as a broken index would return it, is not accepted.
    expect(await authenticate(`Bearer pgat_${'A'.repeat(43)}`)).toBeUndefined();
    expect(await authenticate('Bearer configured')).toEqual({ actor: 'api:config', scope: 'write' });
  });
});

describe('failed tokens', () => {
  it('are limited per address', async () => {
    const limited = await startAdmin({ settings: { 'rateLimits.adminFailures': '3' } });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      statuses.push((await limited.call('GET /status', { token: 'wrong' })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await limited.call('GET /status')).status).toBe(200);
    await limited.app.stop();
  });
});

describe('requests of the admin API', () => {
  it('have a JSON body where one is expected, and none elsewhere', async () => {
    const refusal = async (...call: Parameters<AdminClient['call']>): Promise<unknown[]> => {
      const { status, body } = await admin.call(...call);
      return [status, body.code];
    };
    const invalid = [400, 'admin.invalid_request'];
    expect(await refusal('POST /apps', { body: '{' })).toEqual(invalid);
    expect(await refusal('POST /apps', { body: '[]' })).toEqual(invalid);
    expect(await refusal('POST /apps', { body: 'null' })).toEqual(invalid);
    expect(await refusal('POST /apps', { body: '"\\ud800"' })).toEqual(invalid);
    const headers = { 'content-type': 'text/plain' };
    expect(await refusal('POST /apps', { body: '{}', headers })).toEqual([
      415,
      'admin.unsupported_media_type',
    ]);
    expect(await refusal('POST /sweep')).toEqual([415, 'admin.unsupported_media_type']);
    expect(await refusal('POST /apps', { body: `"${'a'.repeat(300_000)}"` })).toEqual([
      413,
      'http.body_too_large',
    ]);
    expect(await refusal('DELETE /tokens/at_1', { body: {} })).toEqual([413, 'http.body_too_large']);
  });

  it('have no cookie, and pages of other origins get no leave to send them', async () => {
    const url = `${admin.app.adminUrl}${ADMIN_BASE_PATH}/status`;
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${admin.token}`, origin: 'https://evil.example', cookie: 'a=b' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });

  it('are not served on the public listener', async () => {
    const answer = await fetch(`${admin.app.publicUrl}${ADMIN_BASE_PATH}/status`, {
      headers: { authorization: `Bearer ${admin.token}` },
    });
    expect(answer.status).toBe(404);
  });
});

describe('Idempotency-Key', () => {
  const body = { name: 'Once', redirect_uris: ['https://once.example/cb'] };

  it('makes a repeated creation return the first answer, and creates one app', async () => {
    const headers = { 'idempotency-key': 'first' };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => admin.call('POST /apps', { body, headers })),
    );
    const later = await admin.call('POST /apps', { body, headers });
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    expect(new Set([...replies, later].map((reply) => JSON.stringify(reply.body))).size).toBe(1);
    expect(later.status).toBe(201);
    const { items } = (await admin.call('GET /apps?search=Once')).body;
    expect(items).toHaveLength(1);
  });

  it('belongs to one request and one token', async () => {
    const headers = { 'idempotency-key': 'first' };
    const other = await admin.call('POST /apps', { body: { name: 'Other' }, headers });
    expect([other.status, other.body.code]).toEqual([422, 'admin.idempotency_key_reused']);
    const second = (await admin.call('POST /tokens', { body: { name: 'second', scope: 'write' } })).body
      .token;
    const created = await admin.call('POST /apps', { body, headers, token: second });
    expect([created.status, created.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('is kept for no refused request, and must be visible ASCII', async () => {
    const headers = { 'idempotency-key': 'refused' };
    const wrong = { redirect_uris: ['http://once.example/cb'] };
    expect((await admin.call('POST /apps', { body: wrong, headers })).status).toBe(400);
    expect((await admin.call('POST /apps', { body: { name: 'Right' }, headers })).status).toBe(201);
    const long = await admin.call('POST /apps', { body, headers: { 'idempotency-key': 'a'.repeat(256) } });
    expect(long.body.errors).toEqual([{ path: 'headers/idempotency-key' }]);
  });

  it('returns the same secret of a rotation, which is sealed in the store', async () => {
    const { app_id } = (await admin.call('POST /apps', { body })).body;
    const headers = { 'idempotency-key': 'rotation' };
    const request = `POST /apps/${app_id}/secrets` as const;
    const first = await admin.call(request, { body: {}, headers });
    const second = await admin.call(request, { body: {}, headers });
    expect([first.status, second.body]).toEqual([201, first.body]);
    expect(operationOf('POST', `/apps/${app_id}/secrets`).isIdempotent).toBe(true);
  });
});
