// Rules: spec/operations.md#webhooks
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../../src/operations/table.ts';
import type { Store } from '../../src/storage/store.ts';
import {
  type AdminBody,
  type AdminClient,
  type AdminItem,
  startAdmin,
  useSharedAdmin,
} from '../admin/support/admin-client.ts';
import type { SharedApp } from '../support/signin/shared-service.ts';
import { pollUntil } from '../support/until.ts';
import { type Received, type Receiver, startReceiver } from '../webhooks/support/receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const STALE = { type: 'root_source.stale', data: { source: 'orb', lag_seconds: 900 } } as const;
const GONE = 410;
const SEND_INTERVAL_MS = 1000;

let receiver: Receiver;
let admin: AdminClient;
/** A service without webhooks. */
let off: AdminClient<SharedApp>;
/** Events of the start, which are received before a test begins. */
let former: number;

// What is due is sent once a second, by an interval.
beforeAll(async () => {
  off = await useSharedAdmin();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Lets what is due be sent until a condition holds. */
async function sendUntil(condition: () => Promise<boolean>): Promise<void> {
  await pollUntil(() => {
    vi.advanceTimersByTime(SEND_INTERVAL_MS);
    return condition();
  });
}

beforeEach(async () => {
  receiver = await startReceiver();
  admin = await startAdmin({
    settings: { 'webhooks.url': receiver.url, 'webhooks.secret': SECRET },
  });
  await sendUntil(async () => (await receiverNow()).pending === 0);
  former = receiver.received.length;
});

afterEach(async () => {
  await admin.app.stop();
  await receiver.close();
});

const requests = (): readonly Received[] => receiver.received.slice(former);

async function withStore(use: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await admin.app.openStore();
  await use(store);
  await store.close();
}

const eventsOf = async (query: string): Promise<AdminBody> =>
  (await admin.call(`GET /webhooks/events?${query}`)).body;
const receiverNow = async (): Promise<AdminItem> => {
  const [item] = (await admin.call('GET /webhooks')).body.items;
  if (item === undefined) throw new Error('expected a receiver');
  return item;
};

/** Adds an event that the receiver refuses for good, and returns it. */
async function addDeadLetter(): Promise<AdminItem> {
  receiver.answer(GONE);
  await withStore(({ outbox }) => outbox.add(STALE, Date.now()));
  let dead: AdminItem | undefined;
  await sendUntil(async () => {
    [dead] = (await eventsOf('state=dead')).items;
    return dead !== undefined;
  });
  return dead as AdminItem;
}

const limitOf = (id: string): number => OPERATIONS.find((operation) => operation.id === id)?.perMinute ?? 0;

describe('webhooks over the admin API', () => {
  it('show the receiver without the path of its address, and what became of the events', async () => {
    const { origin } = new URL(receiver.url);
    expect(await receiverNow()).toEqual({
      address: `${origin}/…`,
      state: 'receiving',
      pending: 0,
      dead: 0,
      oldest_pending_at: null,
      last_success_at: expect.any(String),
      last_failure_at: null,
      last_error: null,
    });
    const { body } = await admin.call('GET /webhooks');
    for (const secret of [SECRET, 'from=proofgate', '/hook'])
      expect(JSON.stringify(body)).not.toContain(secret);

    await addDeadLetter();
    expect(await receiverNow()).toMatchObject({
      state: 'failing',
      dead: 1,
      last_error: 'the receiver answered 410',
      last_failure_at: expect.any(String),
    });
    const { notices } = (await admin.call('GET /status')).body;
    expect(notices).toContainEqual(expect.objectContaining({ code: 'webhooks.dead', level: 'warning' }));
  });

  it('are sent again by the id of the event, under the name of the caller, and then received', async () => {
    const { id } = await addDeadLetter();
    expect((await admin.call(`POST /webhooks/events/${id}/resend`)).status).toBe(204);
    await sendUntil(async () => (await receiverNow()).state === 'receiving');
    expect(requests().map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    expect(await receiverNow()).toMatchObject({ state: 'receiving', pending: 0, dead: 0 });
    expect((await eventsOf('state=dead')).items).toEqual([]);
    const { items } = (await admin.call('GET /audit?action=webhook.resent')).body;
    expect(items).toMatchObject([{ target: id, actor: 'api:config', request_id: expect.any(String) }]);

    for (const other of [id, 'msg_none']) {
      expect(await admin.refusal(`POST /webhooks/events/${other}/resend`)).toEqual([404, 'webhook.unknown']);
    }
  });

  it('are listed page by page, the latest first, by state', async () => {
    await withStore(async ({ outbox }) => {
      const now = Date.now();
      for (let age = 0; age < 5; age++) await outbox.add(STALE, now - age);
    });
    await sendUntil(async () => (await receiverNow()).pending === 0);
    expect(requests()).toHaveLength(5);
    const all = former + 5;
    const seen: AdminItem[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await eventsOf(`state=delivered&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.items);
      cursor = page.next_cursor;
    }
    const times = seen.map(({ created_at }) => String(created_at));
    expect([times.length, new Set(seen.map(({ id }) => id)).size]).toEqual([all, all]);
    expect(times).toEqual([...times].sort().reverse());
    expect(seen[0]).toMatchObject({
      type: 'root_source.stale',
      state: 'delivered',
      attempts: 1,
      next_at: null,
      body: { type: 'root_source.stale', data: STALE.data },
    });
    expect((await admin.call('GET /webhooks/events')).body.items).toHaveLength(all);
    for (const query of ['state=other', 'state=', 'limit=201', 'cursor=WzFd', 'url=https://a.example']) {
      expect((await eventsOf(query)).code, query).toBe('admin.invalid_request');
    }
  });

  it('can be tested, and each test is in the audit log', async () => {
    const received = await admin.call('POST /webhooks/test', { body: {} });
    expect(received.body).toMatchObject({ received: true, status: 204, reason: null });
    expect(requests()).toMatchObject([
      { headers: { 'webhook-id': received.body.id, 'webhook-signature': expect.stringMatching(/^v1,/) } },
    ]);
    expect(JSON.parse(requests()[0]?.body ?? '')).toMatchObject({ type: 'webhook.test', data: {} });
    receiver.answer(500, { redirect: '/elsewhere' });
    expect((await admin.call('POST /webhooks/test', { body: {} })).body).toMatchObject({
      received: false,
      status: null,
      reason: 'the receiver answered 500',
    });
    expect((await admin.call('POST /webhooks/test', { body: {} })).body.received).toBe(false);
    expect(receiver.received.map(({ path }) => path)).not.toContain('/elsewhere');
    const { items } = (await admin.call('GET /audit?action=webhook.tested')).body;
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({ actor: 'api:config', target: `${new URL(receiver.url).origin}/…` });
  });

  it('go to the receiver of the settings, whatever a request names', async () => {
    const other = await startReceiver();
    for (const body of [
      { url: other.url },
      { receiver: other.url },
      { webhooks: { url: other.url } },
      null,
    ]) {
      expect((await admin.call('POST /webhooks/test', { body })).body.code).toBe('admin.invalid_request');
    }
    const query = `url=${encodeURIComponent(other.url)}`;
    expect((await admin.call(`POST /webhooks/test?${query}`, { body: {} })).status).toBe(400);
    expect((await admin.call(`POST /webhooks/events/msg_a/resend?${query}`)).status).toBe(400);
    expect(
      (await admin.call('POST /webhooks/events/msg_a/resend', { body: { url: other.url } })).status,
    ).toBe(413);
    expect([other.received, requests()]).toEqual([[], []]);
    await other.close();
  });

  it('do not let callers flood the receiver, also not with several tokens', async () => {
    const { token } = (await admin.call('POST /tokens', { body: { name: 'second', scope: 'write' } })).body;
    const reader = (await admin.call('POST /tokens', { body: { name: 'look', scope: 'read' } })).body.token;
    const most = limitOf('testWebhook');
    // A request that may not call it is not counted.
    for (let call = 0; call < most; call++) {
      expect((await admin.call('POST /webhooks/test', { body: {}, token: reader })).status).toBe(403);
      expect((await admin.call('POST /webhooks/test', { body: {}, token: null })).status).toBe(401);
    }
    const answers = await Promise.all(
      Array.from({ length: most + 4 }, (_, call) =>
        admin.call('POST /webhooks/test', call % 2 === 0 ? { body: {} } : { body: {}, token }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, requests().length]).toEqual([4, most]);
    expect(refused[0]?.body.code).toBe('admin.rate_limited');
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);

    const { id } = await addDeadLetter();
    receiver.answer(...Array.from({ length: 100 }, () => GONE));
    const again = await Promise.all(
      Array.from({ length: limitOf('resendWebhookEvent') + 3 }, (_, call) =>
        admin.call(`POST /webhooks/events/${id}/resend`, call % 2 === 0 ? {} : { token }),
      ),
    );
    expect(again.filter(({ status }) => status === 429)).toHaveLength(3);
  });
});

describe('webhooks that are off', () => {
  it('have no receiver, and nothing can be sent', async () => {
    expect((await off.call('GET /webhooks')).body).toEqual({ items: [] });
    expect((await off.call('GET /webhooks/events')).body).toEqual({ items: [], next_cursor: null });
    for (const request of ['POST /webhooks/test', 'POST /webhooks/events/msg_a/resend'] as const) {
      const call = request.endsWith('test') ? { body: {} } : {};
      expect(await off.refusal(request, call)).toEqual([409, 'webhook.off']);
    }
    expect((await off.call('GET /audit?action=webhook.tested')).body.items).toEqual([]);
  });
});
