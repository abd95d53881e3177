import { beforeEach, describe, expect, it } from 'vitest';
import { pointOf } from '../../../../src/storage/drivers/driver.ts';
import type { EventState, OutboxRow } from '../../../../src/storage/outbox.ts';
import { type Store, storeOver } from '../../../../src/storage/store.ts';
import { issuerKey } from '../refresh-rows.ts';
import { appRow, GROUP_SETTINGS, verifyingKeyRow } from '../rows.ts';
import { secretRow, signingKeyRow } from '../signin-rows.ts';
import { driver, store as silent } from '../subject.ts';

const APP_ID = appRow().appId;
const NOW = 1_000_000;
const DAY_MS = 86_400_000;
const STALE = { type: 'root_source.stale', data: { source: 'orb', lag_seconds: 900 } } as const;

interface SentEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

/** Tests for the outbox of webhooks. */
export function describeOutbox(): void {
  let store: Store;

  beforeEach(() => {
    store = storeOver(driver, GROUP_SETTINGS, { sendsEvents: true, now: () => NOW });
  });

  const bodies = async (): Promise<SentEvent[]> =>
    (await store.outbox.list(NOW, 100)).map(({ body }) => JSON.parse(body) as SentEvent);
  /** The data of the only event, which is then marked as received. */
  const takeData = async (): Promise<unknown> => {
    const rows = await store.outbox.list(NOW, 100);
    const [event] = await bodies();
    expect(rows).toHaveLength(1);
    await store.outbox.delivered(rows[0]?.id ?? '', NOW);
    return event?.data;
  };
  const takeOne = async (now: number): Promise<OutboxRow> => {
    const [row] = await store.outbox.take(now, now + 1000, 10);
    if (row === undefined) throw new Error('no event is due');
    return row;
  };

  describe('the outbox', () => {
    it('has an event for each change of an app, with the names of members and none of their values', async () => {
      await store.apps.create(appRow({ name: 'Private name' }), secretRow('first'));
      expect(await takeData()).toMatchObject({
        app_id: APP_ID,
        change: 'created',
        members: expect.arrayContaining(['name', 'client_secrets']),
      });
      await store.by({ actor: 'api:ops' }).apps.update(APP_ID, { name: 'Other name' }, 2000);
      const [event] = await bodies();
      expect(event).toEqual({
        type: 'app.changed',
        timestamp: new Date(NOW).toISOString(),
        data: { app_id: APP_ID, change: 'updated', members: ['name'] },
      });
      await takeData();
      await store.apps.addSecret(secretRow('second'), 9_000, 0);
      expect(await takeData()).toEqual({
        app_id: APP_ID,
        change: 'secret_added',
        members: ['client_secrets'],
      });
      await store.apps.removeSecret(APP_ID, 'second');
      expect(await takeData()).toMatchObject({ change: 'secret_removed' });
      await store.apps.remove(APP_ID);
      expect(await takeData()).toMatchObject({ app_id: APP_ID, change: 'removed' });
      const written = JSON.stringify(await driver.read(pointOf('select body from outbox')));
      for (const value of ['Private name', 'Other name', 'first', 'second']) {
        expect(written).not.toContain(value);
      }
    });

    it('has an event for each key that becomes active, and for no other change of keys', async () => {
      await store.signingKeys.initialise(signingKeyRow('a', { state: 'active' }), signingKeyRow('b'));
      await store.signingKeys.replaceNext('b', signingKeyRow('c'));
      expect(await bodies()).toEqual([]);
      const rotation = { use: 'signin', activeKid: 'a', nextKid: 'c', at: 1 } as const;
      await store.signingKeys.rotate({ ...rotation, retiredUntil: 9_000, newNext: signingKeyRow('d') });
      expect(await takeData()).toEqual({ use: 'signin', active_kid: 'c' });
      const removal = { use: 'signin', activeKid: 'c', nextKid: 'd', at: 2 } as const;
      await store.signingKeys.rotate({ ...removal, retiredUntil: null, newNext: signingKeyRow('e') });
      expect(await takeData()).toEqual({ use: 'signin', active_kid: 'd' });
      const key = issuerKey('k1');
      await store.issuerKeys.activate(key, undefined, 1);
      expect(await takeData()).toEqual({
        use: 'credential',
        active_kid: 'k1',
        issuer_schema_id: key.issuerSchemaId,
      });
      await store.issuerKeys.revoke(key.issuerSchemaId, 'k1', 2);
      await store.verifyingKeys.put(verifyingKeyRow());
      expect(await bodies()).toEqual([]);
    });

    it('has no event for a change that was refused, or that changed no member', async () => {
      await store.apps.create(appRow());
      await takeData();
      await expect(store.apps.create(appRow())).rejects.toMatchObject({ code: 'app.exists' });
      await expect(store.apps.update(APP_ID, { name: 'x' }, 1, 7)).rejects.toMatchObject({
        code: 'app.changed',
      });
      await store.apps.update(APP_ID, { name: appRow().name }, 3000);
      expect(await bodies()).toEqual([]);
    });

    it('stays empty while webhooks are off', async () => {
      await silent.apps.create(appRow(), secretRow('first'));
      await silent.signingKeys.initialise(signingKeyRow('a', { state: 'active' }), signingKeyRow('b'));
      const rotation = { use: 'signin', activeKid: 'a', nextKid: 'b', at: 1 } as const;
      await silent.signingKeys.rotate({ ...rotation, retiredUntil: 9, newNext: signingKeyRow('c') });
      expect(await driver.countRows('outbox')).toBe(0);
    });

    it('holds one event for a key, also after it was received', async () => {
      const event = { ...STALE, dedupeKey: 'root_source.stale:orb:1' };
      expect(await Promise.all([1, 2, 3].map(() => store.outbox.add(event, NOW)))).toEqual(
        expect.arrayContaining([true, false, false]),
      );
      await takeData();
      expect(await store.outbox.add(event, NOW)).toBe(false);
      expect(await store.outbox.add({ ...event, dedupeKey: 'root_source.stale:orb:2' }, NOW)).toBe(true);
    });

    it('hands each due event to one of several nodes', async () => {
      for (let index = 0; index < 30; index++) await store.outbox.add(STALE, NOW - index);
      const taken = await Promise.all(
        Array.from({ length: 6 }, () => store.outbox.take(NOW, NOW + 1000, 10)),
      );
      const ids = taken.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const rest = await store.outbox.take(NOW, NOW + 1000, 30);
      expect(new Set([...ids, ...rest.map(({ id }) => id)]).size).toBe(30);
      expect(ids.length + rest.length).toBe(30);
    });

    it('hands an event out again at the end of its lease, since the node that had it may have been killed', async () => {
      await store.outbox.add(STALE, NOW);
      const first = await takeOne(NOW);
      expect(await store.outbox.take(NOW + 999, NOW + 2000, 10)).toEqual([]);
      const second = await takeOne(NOW + 1000);
      expect(second).toMatchObject({ id: first.id, body: first.body, attempts: 2 });
      // the node was not killed but slow: its failure says nothing of the attempt that runs
      await store.outbox.failed(first, 'late', undefined, NOW + 1001);
      expect(await store.outbox.list(NOW + 1001, 10)).toMatchObject([{ deadAt: null, lastError: null }]);
      await store.outbox.delivered(first.id, NOW + 1002);
      expect(await store.outbox.take(NOW + 9000, NOW + 9999, 10)).toEqual([]);
    });

    it('keeps a dead letter with its error until it is sent again', async () => {
      await store.outbox.add(STALE, NOW);
      const row = await takeOne(NOW);
      await store.outbox.failed(row, 'the receiver answered 500', undefined, NOW + 5);
      expect(await store.outbox.list(NOW + 30 * DAY_MS, 10)).toMatchObject([
        { id: row.id, attempts: 1, lastError: 'the receiver answered 500', deadAt: NOW + 5 },
      ]);
      expect(await store.outbox.counts(NOW + 5)).toEqual({ pending: 0, dead: 1, oldestPendingAt: null });
      expect(await store.outbox.take(NOW + DAY_MS, NOW + 2 * DAY_MS, 10)).toEqual([]);
      expect(await store.outbox.resend(row.id, NOW + DAY_MS)).toBe(true);
      expect(await store.outbox.counts(NOW + DAY_MS)).toEqual({
        pending: 1,
        dead: 0,
        oldestPendingAt: NOW,
      });
      expect(await takeOne(NOW + DAY_MS)).toMatchObject({ id: row.id, attempts: 1, deadAt: null });
      const [audited] = await store.audit.list({ action: 'webhook.resent' }, 10);
      expect(audited).toMatchObject({ target: row.id });
    });

    it('sends nothing again that was received, is unknown or has ended', async () => {
      await store.outbox.add(STALE, NOW);
      const { id } = await takeOne(NOW);
      expect(await store.outbox.resend('msg_none', NOW)).toBe(false);
      expect(await store.outbox.resend(id, NOW + 30 * DAY_MS)).toBe(false);
      await store.outbox.delivered(id, NOW);
      expect(await store.outbox.resend(id, NOW)).toBe(false);
      expect(await store.outbox.counts(NOW)).toEqual({ pending: 0, dead: 0, oldestPendingAt: null });
    });

    it('lists events of each state page by page, the latest first', async () => {
      for (const age of [3, 2, 2, 1, 0]) await store.outbox.add(STALE, NOW - age);
      const [received, dead] = await store.outbox.take(NOW, NOW + 1000, 2);
      if (received === undefined || dead === undefined) throw new Error('expected two events');
      await store.outbox.delivered(received.id, NOW);
      await store.outbox.failed(dead, 'gone', undefined, NOW);
      const seen: OutboxRow[] = [];
      for (;;) {
        const page = await store.outbox.page({ state: undefined, limit: 2, after: seen.at(-1) }, NOW);
        seen.push(...page);
        if (page.length < 2) break;
      }
      expect(seen.map(({ createdAt }) => NOW - createdAt)).toEqual([0, 1, 2, 2, 3]);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(5);
      const idsOf = async (state: EventState): Promise<string[]> =>
        (await store.outbox.page({ state, limit: 9, after: undefined }, NOW)).map(({ id }) => id);
      expect(await idsOf('delivered')).toEqual([received.id]);
      expect(await idsOf('dead')).toEqual([dead.id]);
      expect(await idsOf('pending')).toHaveLength(3);
      expect(seen.find(({ id }) => id === received.id)).toMatchObject({ deliveredAt: NOW, deadAt: null });
      expect(
        await store.outbox.page({ state: undefined, limit: 9, after: undefined }, NOW + DAY_MS),
      ).toHaveLength(4);
    });

    it('knows the last attempt with each result, also after its event has ended', async () => {
      expect(await store.outbox.lastOutcomes()).toEqual({ delivered: undefined, failed: undefined });
      await store.outbox.add(STALE, NOW);
      const row = await takeOne(NOW);
      await store.outbox.failed(row, 'the receiver answered 500', NOW + 10, NOW + 5);
      await store.outbox.failed(row, 'an earlier one', NOW + 10, NOW + 4);
      await store.outbox.delivered(row.id, NOW + 6);
      await store.sweep(NOW + 40 * DAY_MS, 100);
      expect(await driver.countRows('outbox')).toBe(0);
      expect(await store.outbox.lastOutcomes()).toEqual({
        delivered: { at: NOW + 6, eventId: row.id, reason: null },
        failed: { at: NOW + 5, eventId: row.id, reason: 'the receiver answered 500' },
      });
    });

    it('hands out no event that nobody sent for 30 days', async () => {
      await store.outbox.add(STALE, NOW);
      expect(await store.outbox.take(NOW + 30 * DAY_MS, NOW + 31 * DAY_MS, 10)).toEqual([]);
      expect(await store.outbox.list(NOW + 30 * DAY_MS, 10)).toEqual([]);
    });
  });
}
