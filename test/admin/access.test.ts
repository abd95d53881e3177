// Rules: spec/operations.md#admin-api
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticate, prepareAdminToken } from '../../src/admin/admin-tokens.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { endWaitsAtOnce } from '../support/end-waits.ts';
import { type AdminClient, startAdmin } from './support/admin-client.ts';

const METRICS_TOKEN = 'a-token-that-reads-metrics-only';

let admin: AdminClient;
let readToken: string;
/** How far the clock of the service is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  admin = await startAdmin({
    settings: {
      'rateLimits.adminFailures': '0',
      'metrics.requireToken': 'true',
      'metrics.token': METRICS_TOKEN,
    },
    now: () => Date.now() + aheadMs,
  });
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
        token: readToken,
        version: 1,
        headers: { 'idempotency-key': 'k' },
        ...(example.body === undefined ? {} : { body: example.body }),
      });
      expect([scope, status, body.code]).toEqual(['write', 403, 'admin.forbidden']);
    }
    expect(await head()).toEqual(before);
  });

  it('are listed without their values, end at their time, and stop working when they are revoked', async () => {
    const made = await admin.call('POST /tokens', {
      body: { name: 'short', scope: 'read', expires_in_seconds: 3600 },
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
    expect((await admin.call('GET /status', { token })).status).toBe(200);
    aheadMs = 3_600_000;
    expect((await admin.call('GET /status', { token })).status).toBe(401);

    const other = (await admin.call('POST /tokens', { body: { name: 'other', scope: 'write' } })).body;
    expect((await admin.call('GET /status', { token: other.token })).status).toBe(200);
    expect((await admin.call(`DELETE /tokens/${other.token_id}`, { token: other.token })).status).toBe(204);
    expect((await admin.call('GET /status', { token: other.token })).status).toBe(401);
    expect(await admin.refusal(`DELETE /tokens/${other.token_id}`)).toEqual([404, 'admin_token.unknown']);
  });

  it('make none that outlives them, and so none without an end, if they have one', async () => {
    const make = (token: string, seconds?: number): ReturnType<AdminClient['call']> =>
      admin.call('POST /tokens', {
        token,
        body: {
          name: 'a',
          scope: 'write',
          ...(seconds === undefined ? {} : { expires_in_seconds: seconds }),
        },
      });
    const { token, expires_at } = (await make(admin.token, 3600)).body;
    for (const seconds of [undefined, 3601, 86_400]) {
      const { status, body } = await make(token, seconds);
      expect([status, body.code]).toEqual([400, 'admin_token.invalid']);
      expect(body.detail).toContain(String(expires_at));
    }
    const shorter = await make(token, 60);
    expect(shorter.status).toBe(201);
    expect((await make(shorter.body.token, 3000)).status).toBe(400);
    const unending = (await make(admin.token)).body.token;
    expect((await make(unending, 31_536_000)).status).toBe(201);
    expect((await make(unending)).status).toBe(201);
  });

  it.each([
    ['64 characters, counted as people do', '\u{1f511}'.repeat(64), 201],
    ['more characters', '\u{1f511}'.repeat(65), 400],
    ['a control character', 'a\u0007', 400],
    ['a bidirectional override', 'reader\u202e', 400],
    ['a zero-width space', 're\u200bader', 400],
    ['a lone surrogate', 'a\ud800', 400],
  ])('have a name: %s', async (_, name, status) => {
    const { status: given, body } = await admin.call('POST /tokens', { body: { name, scope: 'read' } });
    expect(given).toBe(status);
    if (status === 400) expect(body.code).toBe('admin.invalid_request');
  });

  it('read the metrics, of either scope', async () => {
    const metrics = async (authorization: string): Promise<number> =>
      (await fetch(`${admin.app.adminUrl}/metrics`, { headers: { authorization } })).status;
    expect(await metrics(`Bearer ${readToken}`)).toBe(200);
    expect(await metrics(`Bearer ${admin.token}`)).toBe(200);
    expect(await metrics(`Bearer ${readToken}x`)).toBe(401);
  });

  it('for metrics read nothing else', async () => {
    const authorization = `Bearer ${METRICS_TOKEN}`;
    const metrics = await fetch(`${admin.app.adminUrl}/metrics`, { headers: { authorization } });
    expect(metrics.status).toBe(200);
    for (const request of ['GET /status', 'GET /tokens/self', 'POST /sweep'] as const) {
      expect((await admin.call(request, { token: METRICS_TOKEN })).status).toBe(401);
    }
  });

  it('are compared by hash, and only texts of their form cost a look-up', async () => {
    let lookUps = 0;
    const { row, value } = prepareAdminToken({ name: 'a', scope: 'read' }, 0);
    const find = async () => {
      lookUps++;
      return row;
    };
    const authenticate = createAuthenticate(
      () => 'configured',
      { find },
      () => 0,
    );
    for (const header of [undefined, '', 'Bearer', `Basic ${value}`, 'Bearer x', `Bearer ${value} x`]) {
      expect(await authenticate(header)).toBeUndefined();
    }
    expect(lookUps).toBe(0);
    expect(await authenticate(`Bearer ${value}`)).toEqual({
      actor: `api:${row.tokenId}`,
      scope: 'read',
      expiresAt: null,
    });
    expect(await authenticate(`bearer   ${value}`)).toEqual({
      actor: `api:${row.tokenId}`,
      scope: 'read',
      expiresAt: null,
    });
    // A row of another token, as a broken index would return it, is not accepted.
    expect(await authenticate(`Bearer pgat_${'A'.repeat(43)}`)).toBeUndefined();
    expect(await authenticate('Bearer configured')).toEqual({
      actor: 'api:config',
      scope: 'write',
      expiresAt: null,
    });
  });
});

describe('failed tokens', () => {
  it('are limited per address, where a right one is late too', async () => {
    const waits = endWaitsAtOnce(5000);
    const limited = await startAdmin({ settings: { 'rateLimits.adminFailures': '3' } });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      statuses.push((await limited.call('GET /status', { token: 'wrong' })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(waits()).toBe(2);
    expect((await limited.call('GET /status')).status).toBe(200);
    expect(waits()).toBe(3);
    await limited.app.stop();
  });
});
