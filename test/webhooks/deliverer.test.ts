// Rules: spec/operations.md#webhooks
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhooksConfig } from '../../src/config/settings/types.ts';
import { openStore } from '../../src/storage/open-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { createWebhooks, type Webhooks } from '../../src/webhooks/deliverer.ts';
import { signatureHeaders } from '../../src/webhooks/send.ts';
import { appRow } from '../storage/support/rows.ts';
import { makeMigratedStore } from '../support/server/migrated-store.ts';
import { until } from '../support/until.ts';
import { type Received, type Receiver, startReceiver } from './support/receiver.ts';

/** Secret, id, time, body and signature of the test vector of the Standard Webhooks libraries. */
const VECTOR = {
  key: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  seconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const SECRET = `whsec_${VECTOR.key}`;
const START = Date.UTC(2026, 5, 1, 12);
const LEASE_MS = 40_000;
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000];

let folder: string;
let receiver: Receiver;
let store: Store;
let now: number;
const log = { warn: vi.fn(), error: vi.fn(), repeated: vi.fn() };
const inc = vi.fn();

async function open(): Promise<Store> {
  const settings = { url: `libsql:${join(folder, 'store.db')}`, groupMaxRows: 1, groupMaxDelayMs: 0 };
  return await openStore(settings, { writesInline: true, sendsEvents: true, now: () => now });
}

/** Makes the webhooks of a process; the jitter is left out. */
function webhooksOf(change: Partial<WebhooksConfig> = {}, other = store, random = 0.5): Webhooks {
  const webhooks = maybeWebhooks(change, other, random);
  if (webhooks === undefined) throw new Error('expected webhooks');
  return webhooks;
}

function maybeWebhooks(change: Partial<WebhooksConfig>, other = store, random = 0.5): Webhooks | undefined {
  return createWebhooks({
    get config() {
      return {
        url: receiver.url,
        secret: SECRET,
        secretPrevious: undefined,
        timeoutMs: LEASE_MS - 30_000,
        allowLocal: true,
        refusalsPerMinute: 0,
        ...change,
      };
    },
    outbox: other.outbox,
    log,
    metrics: { webhooksTotal: { inc } as never },
    now: () => now,
    random: () => random,
  });
}

const addEvent = (): Promise<unknown> => store.apps.create(appRow());
const results = (): unknown[] => inc.mock.calls.map(([{ result }]) => result);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proofgate-webhooks-'));
  await makeMigratedStore(join(folder, 'store.db'));
  now = START;
  for (const mock of [log.warn, log.error, log.repeated, inc]) mock.mockClear();
  receiver = await startReceiver();
  store = await open();
});

afterEach(async () => {
  await store.close();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the signature', () => {
  it('is that of the vector of Standard Webhooks', () => {
    const headers = signatureHeaders(
      VECTOR,
      [Buffer.from(VECTOR.key, 'base64')],
      VECTOR.seconds * 1000 + 999,
    );
    expect(headers).toEqual({
      'webhook-id': VECTOR.id,
      'webhook-timestamp': String(VECTOR.seconds),
      'webhook-signature': VECTOR.signature,
    });
  });

  it('is made by both keys while the receiver changes to the new one', async () => {
    await addEvent();
    const former = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await webhooksOf({ secretPrevious: former }).deliverDue();
    const [request] = receiver.received;
    const signatures = String(request?.headers['webhook-signature']).split(' ');
    const signed = `${request?.headers['webhook-id']}.${START / 1000}.${request?.body}`;
    const macs = [Buffer.from(VECTOR.key, 'base64'), Buffer.alloc(32, 7)].map(
      (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    expect(signatures).toEqual(macs);
  });

  it('is made by a key that was changed while the service runs', async () => {
    const change: { secret?: string } = {};
    const webhooks = webhooksOf(change);
    change.secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    await addEvent();
    await webhooks.deliverDue();
    const [request] = receiver.received;
    const signed = `${request?.headers['webhook-id']}.${START / 1000}.${request?.body}`;
    const mac = createHmac('sha256', Buffer.alloc(32, 9)).update(signed).digest('base64');
    expect(request?.headers['webhook-signature']).toBe(`v1,${mac}`);
  });

  it('is accepted by the code of the page for receivers, and a changed body is not', async () => {
    now = Date.now();
    await addEvent();
    const page = readFileSync(new URL('../../src/docs/webhooks.md', import.meta.url), 'utf8');
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
    const file = join(folder, 'receiver.mjs');
    writeFileSync(file, code);
    vi.stubEnv('WEBHOOK_SECRET', SECRET);
    await webhooksOf().deliverDue();
    const { verifiedEvent } = (await import(pathToFileURL(file).href)) as {
      verifiedEvent: (headers: unknown, body: string) => unknown;
    };
    vi.unstubAllEnvs();
    const { headers, body } = receiver.received[0] as Received;
    expect(verifiedEvent(headers, body)).toMatchObject({
      id: headers['webhook-id'],
      type: 'app.changed',
      timestamp: new Date(now).toISOString(),
      data: { app_id: appRow().appId, change: 'created' },
    });
    expect(() => verifiedEvent(headers, `${body} `)).toThrow('no signature');
    const old = { ...headers, 'webhook-timestamp': String(Math.floor(now / 1000) - 400) };
    expect(() => verifiedEvent(old, body)).toThrow('too old');
  });
});

describe('a delivery', () => {
  it('is one POST of the stored text, made once', async () => {
    await addEvent();
    const [row] = await store.outbox.list(now, 10);
    const webhooks = webhooksOf();
    await webhooks.deliverDue();
    await webhooks.deliverDue();
    expect(receiver.received).toMatchObject([
      {
        method: 'POST',
        path: '/hook?from=proofgate',
        body: row?.body,
        headers: { 'webhook-id': row?.id, 'content-type': 'application/json' },
      },
    ]);
    expect(await store.outbox.list(now, 10)).toEqual([]);
    expect(results()).toEqual(['delivered']);
  });

  it('is made again after a failure, with the same id and body and a new time', async () => {
    await addEvent();
    receiver.answer(500);
    const webhooks = webhooksOf();
    await webhooks.deliverDue();
    now += 4999;
    await webhooks.deliverDue();
    expect(receiver.received).toHaveLength(1);
    now += 1;
    await webhooks.deliverDue();
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.headers['webhook-timestamp']).toBe(String(START / 1000 + 5));
    expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
    expect(log.warn.mock.calls).toEqual([
      [
        'app.changed was not received and will be sent again',
        expect.objectContaining({ event: 'webhook.failed', count: 1, reason: 'the receiver answered 500' }),
      ],
    ]);
    expect(results()).toEqual(['failed', 'delivered']);
  });

  it('is given up after eight attempts, is listed, and can be made again', async () => {
    await addEvent();
    receiver.answer(...Array.from({ length: 8 }, () => 503));
    const webhooks = webhooksOf();
    await webhooks.deliverDue();
    for (const delay of DELAYS_MS) {
      now += delay - 1;
      await webhooks.deliverDue();
      now += 1;
      await webhooks.deliverDue();
    }
    expect(receiver.received).toHaveLength(8);
    expect(log.error).toHaveBeenCalledExactlyOnceWith(
      'app.changed is a dead letter',
      expect.objectContaining({ event: 'webhook.dead', count: 8 }),
    );
    const [dead] = await store.outbox.list(now, 10);
    expect(dead).toMatchObject({ attempts: 8, deadAt: now, lastError: 'the receiver answered 503' });
    now += 86_400_000;
    await webhooks.deliverDue();
    expect(receiver.received).toHaveLength(8);
    await store.outbox.resend(dead?.id ?? '', now);
    await webhooks.deliverDue();
    expect(receiver.received[8]?.headers['webhook-id']).toBe(dead?.id);
    expect(await store.outbox.list(now, 10)).toEqual([]);
  });

  it('is given up at once when the receiver is gone for good', async () => {
    await addEvent();
    receiver.answer(410);
    await webhooksOf().deliverDue();
    expect(await store.outbox.list(now, 10)).toMatchObject([{ attempts: 1, deadAt: now }]);
    expect(results()).toEqual(['dead']);
  });

  it('does not follow a redirect', async () => {
    await addEvent();
    receiver.answer({ redirect: '/elsewhere' });
    await webhooksOf().deliverDue();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook?from=proofgate']);
    expect(await store.outbox.list(now, 10)).toMatchObject([
      { lastError: 'the receiver answered 307, a redirect, which is not followed' },
    ]);
  });

  it.each([
    ['no answer comes in time', 'nothing', 100, 'no answer within 100 ms'],
    ['the connection breaks', 'reset', 20_000, 'no answer: ECONNRESET'],
  ] as const)('has failed when %s', async (_case, reply, timeoutMs, reason) => {
    await addEvent();
    receiver.answer(reply);
    await webhooksOf({ timeoutMs }).deliverDue();
    expect(await store.outbox.list(now, 10)).toMatchObject([{ lastError: reason, attempts: 1 }]);
  });

  it('has failed when nobody listens, and the reason does not hold the address', async () => {
    await addEvent();
    await receiver.close();
    await webhooksOf().deliverDue();
    expect(await store.outbox.list(now, 10)).toMatchObject([{ lastError: 'no answer: ECONNREFUSED' }]);
    receiver = await startReceiver();
  });

  it('is not made to this machine where webhooks.allowLocal is off', async () => {
    await addEvent();
    await webhooksOf({ url: receiver.url.replace('http', 'https'), allowLocal: false }).deliverDue();
    expect(receiver.received).toEqual([]);
    const lastError = 'the address is one of this machine or its link';
    expect(await store.outbox.list(now, 10)).toMatchObject([{ lastError }]);
  });

  it('varies the delay by a fifth', async () => {
    await addEvent();
    const nextOf = async (random: number): Promise<number> => {
      receiver.answer(500);
      await webhooksOf({}, store, random).deliverDue();
      const [row] = await store.outbox.list(now, 10);
      await store.outbox.resend(row?.id ?? '', now);
      return (row?.nextAt ?? 0) - now;
    };
    expect([await nextOf(0), await nextOf(1)]).toEqual([4000, 6000]);
  });

  it('is made by one of two nodes, which share the work', async () => {
    for (let index = 0; index < 20; index++) {
      await store.outbox.add({ type: 'root_source.stale', data: { source: String(index) } }, now);
    }
    const other = await open();
    await Promise.all([webhooksOf().deliverDue(), webhooksOf({}, other).deliverDue()]);
    await other.close();
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
  });

  it('is made by another process when the one that had begun it was killed', async () => {
    await addEvent();
    const [begun] = await store.outbox.take(now, now + LEASE_MS, 8);
    await store.close();
    store = await open();
    const webhooks = webhooksOf();
    await webhooks.deliverDue();
    expect(receiver.received).toEqual([]);
    now += LEASE_MS;
    await webhooks.deliverDue();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([begun?.id]);
  });

  it('ends with the service and is made again later, by this node or another', async () => {
    await addEvent();
    receiver.answer('nothing');
    const webhooks = webhooksOf();
    const running = webhooks.deliverDue();
    await until(() => receiver.received.length === 1);
    await webhooks.stop();
    await running;
    expect(await store.outbox.list(now, 10)).toMatchObject([{ attempts: 1, lastError: null }]);
    now += LEASE_MS;
    await webhooksOf().deliverDue();
    expect(receiver.received).toHaveLength(2);
  });

  it('goes on with the other events when the store does not accept an outcome', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const take = vi.fn().mockRejectedValueOnce(new Error('disk')).mockResolvedValue([]);
    const webhooks = webhooksOf({}, { ...store, outbox: { ...store.outbox, take } });
    webhooks.start();
    await vi.advanceTimersByTimeAsync(2000);
    await webhooks.stop();
    vi.useRealTimers();
    expect(take).toHaveBeenCalledTimes(2);
    expect(log.repeated).toHaveBeenCalledExactlyOnceWith(
      'webhooks',
      'the outbox cannot be used',
      expect.objectContaining({ event: 'webhook.outbox_failed' }),
    );
  });
});

describe('what a node notices itself', () => {
  const data = async (): Promise<unknown[]> =>
    (await store.outbox.list(now, 10)).map(({ body }) => (JSON.parse(body) as { data: unknown }).data);
  const refusals = (code: string, amount: number): Parameters<Webhooks['countRefusals']>[0] => [
    { code, amount, route: '/r', hour: 0, lastAt: 0 },
  ];

  it('is one event an hour for a stale source, over all nodes', async () => {
    const nodes = [webhooksOf(), webhooksOf()];
    for (const node of nodes) {
      await node.reportStaleSource('orb', 900);
      await node.reportStaleSource('orb', 901);
    }
    await webhooksOf().reportStaleSource('account', 5);
    expect(await data()).toEqual(
      expect.arrayContaining([
        { source: 'orb', lag_seconds: 900 },
        { source: 'account', lag_seconds: 5 },
      ]),
    );
    expect(await data()).toHaveLength(2);
    now += 3_600_000;
    await nodes[0]?.reportStaleSource('orb', 4500);
    expect(await data()).toHaveLength(3);
  });

  it('is an event for a code that is refused often within a minute', async () => {
    const webhooks = webhooksOf({ refusalsPerMinute: 10 });
    await webhooks.countRefusals(refusals('http.rate_limited', 9));
    now += 60_000;
    await webhooks.countRefusals(refusals('http.rate_limited', 9));
    await webhooks.countRefusals(refusals('token.code_used', 9));
    expect(await data()).toEqual([]);
    await webhooks.countRefusals([...refusals('http.rate_limited', 1), ...refusals('http.rate_limited', 2)]);
    expect(await data()).toEqual([{ code: 'http.rate_limited', count: 12, per_minute: 10 }]);
    await webhooks.countRefusals(refusals('http.rate_limited', 90));
    expect(await data()).toHaveLength(1);
  });

  it('is no event for refusals without a threshold', async () => {
    await webhooksOf().countRefusals(refusals('http.rate_limited', 1_000_000));
    expect(await data()).toEqual([]);
  });

  it('is reported again after the store failed', async () => {
    const add = vi.fn().mockRejectedValueOnce(new Error('disk')).mockResolvedValue(true);
    const webhooks = webhooksOf({}, { ...store, outbox: { ...store.outbox, add } });
    await webhooks.reportStaleSource('orb', 900);
    await webhooks.reportStaleSource('orb', 901);
    expect(add).toHaveBeenCalledTimes(2);
    expect(log.repeated).toHaveBeenCalledOnce();
  });
});

it('does nothing without an address', () => {
  expect(maybeWebhooks({ url: undefined })).toBeUndefined();
});
