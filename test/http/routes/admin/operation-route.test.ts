// Rules: spec/operations.md#admin-api
import { describe, expect, it } from 'vitest';
import { ADMIN_BASE_PATH } from '../../../../src/operations/operation.ts';
import { useSharedAdmin } from '../../../admin/support/admin-client.ts';
import { opened } from '../../../support/opened.ts';

const admin = opened(useSharedAdmin);

describe('requests of the admin API', () => {
  it('have a JSON body where one is expected, and none elsewhere', async () => {
    const invalid = [400, 'admin.invalid_request'];
    expect(await admin.refusal('POST /apps', { body: '{' })).toEqual(invalid);
    expect(await admin.refusal('POST /apps', { body: '[]' })).toEqual(invalid);
    expect(await admin.refusal('POST /apps', { body: 'null' })).toEqual(invalid);
    expect(await admin.refusal('POST /apps', { body: '"\\ud800"' })).toEqual(invalid);
    const deep = `{"id":"deep","key":{"IC":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    expect(await admin.refusal('POST /vkeys', { body: deep })).toEqual(invalid);
    const headers = { 'content-type': 'text/plain' };
    expect(await admin.refusal('POST /apps', { body: '{}', headers })).toEqual([
      415,
      'admin.unsupported_media_type',
    ]);
    expect(await admin.refusal('POST /sweep')).toEqual([415, 'admin.unsupported_media_type']);
    expect(await admin.refusal('POST /apps', { body: `"${'a'.repeat(300_000)}"` })).toEqual([
      413,
      'http.body_too_large',
    ]);
    expect(await admin.refusal('DELETE /tokens/at_1', { body: {} })).toEqual([413, 'http.body_too_large']);
  });

  it('are refused with every wrong member, and what is wrong with each', async () => {
    const { body } = await admin.call('POST /roots?limit=1', {
      body: { environment: 'moon', root: '5', colour: 'red' },
    });
    expect([body.code, body.errors]).toEqual([
      'admin.invalid_request',
      [
        { path: 'query/limit', detail: 'is not known' },
        { path: 'body/tree', detail: 'is required' },
        { path: 'body/colour', detail: 'is not known' },
        { path: 'body/environment', detail: 'expected one of ["production","staging"]' },
        { path: 'body/root', detail: 'must match pattern "^0x[0-9a-fA-F]{1,64}$"' },
      ],
    ]);
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, number) => [`x${number}`, 1]));
    const many = await admin.call('POST /roots', { body: unknown });
    expect(many.body.errors).toHaveLength(20);
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

  it('makes concurrent creations with one app_id and one rp_id return the same answer', async () => {
    const ids = { app_id: 'app_33333333333333333333333333333333', rp_id: 'rp_3333333333333333' };
    const headers = { 'idempotency-key': 'ids' };
    const call = { body: { ...body, ...ids }, headers };
    const replies = await Promise.all(Array.from({ length: 8 }, () => admin.call('POST /apps', call)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map((reply) => reply.body.client_secret)).size).toBe(1);
  });

  it('belongs to one request and one token', async () => {
    const headers = { 'idempotency-key': 'first' };
    expect(await admin.refusal('POST /apps', { body: { name: 'Other' }, headers })).toEqual([
      422,
      'admin.idempotency_key_reused',
    ]);
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
    expect(long.body.errors).toMatchObject([{ path: 'headers/idempotency-key' }]);
  });

  it('returns the same secret of a rotation, which is sealed in the store', async () => {
    const { app_id } = (await admin.call('POST /apps', { body })).body;
    const headers = { 'idempotency-key': 'rotation' };
    const request = `POST /apps/${app_id}/secrets` as const;
    const first = await admin.call(request, { body: {}, headers });
    const second = await admin.call(request, { body: {}, headers });
    expect([first.status, second.body]).toEqual([201, first.body]);
  });
});
