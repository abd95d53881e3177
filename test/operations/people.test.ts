// Rules: spec/sign-in.md#administration-of-people
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pointerHashOf } from '../../src/oidc/transaction/plan-sign-in.ts';
import { shortDigest } from '../../src/storage/audit/audit-writer.ts';
import type { Store } from '../../src/storage/store.ts';
import { useAdmin } from '../admin/support/admin-client.ts';
import { addPerson } from '../support/signin/add-person.ts';

const SHOP = `app_${'1'.repeat(32)}`;
const FORUM = `app_${'2'.repeat(32)}`;
const RP_ID = 'rp_0123456789abcdef';

const admin = useAdmin({
  settings: { 'verify.worldid4.enabled': 'true', 'signin.worldid4.rpId': RP_ID },
});
let store: Store;
let token: string;
beforeAll(async () => {
  store = await admin.app.openStore();
  for (const app_id of [SHOP, FORUM]) {
    await admin.call('POST /apps', { body: { app_id, redirect_uris: ['https://shop.example/cb'] } });
  }
  token = (await admin.call('POST /tokens', { body: { name: 'reader', scope: 'read' } })).body.token;
});
afterAll(() => store?.close());

const add = (name: string, person: number, clientId = SHOP): ReturnType<typeof addPerson> =>
  addPerson(store, { clientId, name, person, now: Date.now() });
const idOf = (person: number): string =>
  createHash('sha256').update(new Uint8Array(32).fill(person)).digest('hex');
const show = async (person: number, app = SHOP): Promise<Record<string, readonly unknown[]>> =>
  (await admin.call(`GET /apps/${app}/people/${idOf(person)}`)).body as never;

describe('people over the admin API', () => {
  it('are listed page by page and counted, by the digest of their sub', async () => {
    for (const person of [0x11, 0x22, 0x33]) await add(`list ${person}`, person);
    await add('second session', 0x11);
    await add('of another app', 0x44, FORUM);
    const first = (await admin.call(`GET /apps/${SHOP}/people?limit=2`, { token })).body;
    expect(first.items).toHaveLength(2);
    const rest = (await admin.call(`GET /apps/${SHOP}/people?limit=2&cursor=${first.next_cursor}`)).body;
    expect(rest.next_cursor).toBeNull();
    const items = [...first.items, ...rest.items];
    expect(items.map(({ person_id }) => person_id)).toEqual([0x11, 0x22, 0x33].map(idOf).sort());
    expect(items.find(({ person_id }) => person_id === idOf(0x11))).toMatchObject({ sessions: 2 });
    const cursor = Buffer.from(String(first.next_cursor), 'base64url').toString();
    expect(JSON.stringify(items) + cursor).not.toMatch(/(11|22|33){32}/);
    expect((await admin.call(`GET /apps/${SHOP}/person-count`, { token })).body).toEqual({ people: 3 });
  });

  it('are shown with their sessions and pointers, whose ids are digests', async () => {
    const { session, pointer } = await add('shown', 0x55);
    const times = { created_at: new Date(session.createdAt).toISOString() };
    expect(await show(0x55)).toEqual({
      person_id: idOf(0x55),
      sessions: [
        {
          id: shortDigest(session.sessionId),
          binding: 'bound',
          ...times,
          last_proven_at: times.created_at,
          expires_at: new Date(session.expiresAt).toISOString(),
        },
      ],
      pointers: [
        {
          id: shortDigest(pointer.pointerHash),
          kind: 'cookie',
          session: shortDigest(session.sessionId),
          ...times,
          last_used_at: times.created_at,
          expires_at: new Date(pointer.expiresAt).toISOString(),
        },
      ],
    });
  });

  it('are forgotten: a pointer, a session with its pointers, or the person, each in the audit log', async () => {
    const rows = [await add('one', 0x66), await add('two', 0x66), await add('three', 0x66)];
    const [one, two] = rows.map(({ session, pointer }) => ({
      session: shortDigest(session.sessionId),
      pointer: shortDigest(pointer.pointerHash),
    }));
    const path = `/apps/${SHOP}/people/${idOf(0x66)}`;
    const left = async (): Promise<number[]> => {
      const { sessions = [], pointers = [] } = await show(0x66);
      return [sessions.length, pointers.length];
    };
    const forget = async (below: string): Promise<number> =>
      (await admin.call(`DELETE ${path}${below}`)).status;
    expect([await forget(`/pointers/${one?.pointer}`), await left()]).toEqual([204, [3, 2]]);
    expect([await forget(`/sessions/${two?.session}`), await left()]).toEqual([204, [2, 1]]);
    const unknown = [404, 'person.unknown'];
    for (const below of [`/pointers/${one?.pointer}`, `/sessions/${two?.session}`]) {
      expect(await admin.refusal(`DELETE ${path}${below}`)).toEqual(unknown);
    }
    expect(await admin.refusal(`DELETE /apps/${FORUM}/people/${idOf(0x66)}`)).toEqual(unknown);
    const reading = await admin.call(`DELETE ${path}`, { token });
    expect(reading.status).toBe(403);
    expect(await forget('')).toBe(204);
    for (const call of [`GET ${path}`, `DELETE ${path}`] as const) {
      expect(await admin.refusal(call)).toEqual(unknown);
    }
    const { items } = (await admin.call('GET /audit?action=person.forgotten')).body;
    const person = `sub:${idOf(0x66).slice(0, 8)}`;
    expect(items).toMatchObject(
      [{}, { forgotten: two?.session }, { forgotten: one?.pointer }].map((what) => ({
        target: SHOP,
        actor: expect.stringMatching(/^api:/),
        before: { person, ...what },
      })),
    );
  });

  it('of an unknown app, or under something that is no digest, are refused', async () => {
    const unknown = `app_${'9'.repeat(32)}`;
    for (const call of [`GET /apps/${unknown}/people`, `POST /apps/${unknown}/beginnings`] as const) {
      const body = call.startsWith('POST') ? { body: {} } : {};
      expect(await admin.refusal(call, body)).toEqual([404, 'app.unknown']);
    }
    expect(await admin.refusal(`GET /apps/${SHOP}/people/0x${'1'.repeat(64)}`)).toEqual([
      400,
      'admin.invalid_request',
    ]);
  });
});

describe('a new beginning over the admin API', () => {
  it('is a login_hint that is shown once, with the next number of the app, in the audit log', async () => {
    const before = Date.now();
    const first = await admin.call(`POST /apps/${SHOP}/beginnings`, { body: {} });
    const { login_hint, number, expires_at } = first.body;
    expect([first.status, number]).toEqual([201, 2]);
    expect(login_hint).toMatch(/^beginning_[\w-]{43}$/);
    const life = Date.parse(String(expires_at)) - before;
    expect(life).toBeGreaterThanOrEqual(86_400_000);
    expect(life).toBeLessThan(86_460_000);
    expect(await store.people.findBeginning(SHOP, pointerHashOf(String(login_hint)), Date.now())).toBe(2);
    const second = (await admin.call(`POST /apps/${SHOP}/beginnings`, { body: { ttl_seconds: 60 } })).body;
    expect(second.number).toBe(3);
    expect((await admin.call(`POST /apps/${FORUM}/beginnings`, { body: {} })).body.number).toBe(2);
    const audit = JSON.stringify((await admin.call('GET /audit?action=person.beginning_allowed')).body.items);
    expect(JSON.parse(audit)).toMatchObject([{ target: FORUM }, { target: SHOP }, { target: SHOP }]);
    expect(audit).not.toContain(String(login_hint).slice('beginning_'.length));
  });

  it('lasts a minute to thirty days, and needs scope write', async () => {
    for (const ttl_seconds of [59, 30 * 86_400 + 1]) {
      const call = { body: { ttl_seconds } };
      expect(await admin.refusal(`POST /apps/${SHOP}/beginnings`, call)).toEqual([
        400,
        'admin.invalid_request',
      ]);
    }
    expect((await admin.call(`POST /apps/${SHOP}/beginnings`, { body: {}, token })).status).toBe(403);
  });
});
