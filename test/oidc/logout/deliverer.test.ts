// Rules: spec/sign-in.md#back-channel-logout
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEFAULT_CLIENT } from '../../../src/config/apps/client-of.ts';
import { createLogoutDeliverer, type LogoutDeliverer } from '../../../src/oidc/logout/deliverer.ts';
import type { Reach } from '../../../src/outgoing.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { ACCEPTED, newTransaction, pendingBounds, sessionRow } from '../../storage/support/signin-rows.ts';
import { makeMigratedStore } from '../../support/server/migrated-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { type Receiver, startReceiver } from '../../webhooks/support/receiver.ts';

const CLIENT = `app_${'1'.repeat(32)}`;
const OTHER = `app_${'2'.repeat(32)}`;
const START = 1_700_000_000_000;
const MINUTE_MS = 60_000;
/** No receiver of the tests is as late; a notice that is being sent belongs to its node for half a minute more. */
const LIMIT_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DELAYS_MS = [
  5000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];

let folder: string;
let receiver: Receiver;
let store: Store;
let now: number;
let addresses: Record<string, string | null>;
const log = { warn: vi.fn(), error: vi.fn(), repeated: vi.fn() };
const inc = vi.fn();

const open = (): Promise<Store> =>
  openStore(
    { url: `libsql:${join(folder, 'store.db')}`, groupMaxRows: 1, groupMaxDelayMs: 0 },
    { writesInline: true, now: () => now },
  );

function delivererOf(
  change: { timeoutMs?: number; random?: number; store?: Store; reach?: Reach } = {},
): LogoutDeliverer {
  const { timeoutMs = LIMIT_MS, random = 0.5, store: own = store, reach = 'any' } = change;
  return createLogoutDeliverer({
    notices: own.logoutNotices,
    log,
    timeoutMs,
    reach,
    now: () => now,
    random: () => random,
    metrics: { logoutNoticesTotal: { inc } as never },
    clients: {
      find: async (appId) => {
        const backchannelLogoutUri = addresses[appId];
        if (backchannelLogoutUri === undefined) return undefined;
        const client = { ...DEFAULT_CLIENT, backchannelLogoutUri };
        return { appId, status: 'active', client } as never;
      },
    },
    sign: async ({ sid }) => `token of ${sid} at ${now}`,
  });
}

/** Ends a session, whose notice is then due. */
async function endSession(sid: string, clientId = CLIENT): Promise<void> {
  const begun = sessionRow(sid, { sid, clientId, expiresAt: now + HOUR_MS });
  await store.transactions.begin(newTransaction(sid), undefined, pendingBounds(100));
  await store.transactions.storeAnswer(sid, 1, { iv: 'aXY=', payload: 'cA==' }, START + 1);
  await store.transactions.complete(sid, 1, ACCEPTED, {}, START + 1);
  await store.answers.consume(sid, { session: { former: undefined, begun } });
  const live = { clientId, clientHash: begun.clientHash, provenAfter: 0 };
  await store.sessions.end([{ live, sid, notifies: true }], now);
}

const tokens = (): (string | null)[] =>
  receiver.received.map(({ body }) => new URLSearchParams(body).get('logout_token'));
const results = (): unknown[] => inc.mock.calls.map(([{ result }]) => result);
const left = async (): Promise<number | undefined> => (await store.rowCounts()).logout_notices;

beforeEach(async () => {
  folder = temporaryFolder('logout', onTestFinished);
  await makeMigratedStore(join(folder, 'store.db'));
  now = START;
  for (const mock of [log.warn, log.error, log.repeated, inc]) mock.mockReset();
  receiver = await startReceiver();
  addresses = { [CLIENT]: receiver.url, [OTHER]: receiver.url };
  store = await open();
});

afterEach(async () => {
  await store.close();
  await receiver.close();
});

describe('a notice of an ended session', () => {
  it.each([200, 204])(
    'is one form, and is erased with the person when the app answers %s',
    async (status) => {
      await endSession('one');
      receiver.answer(status);
      await delivererOf().deliverDue();
      await delivererOf().deliverDue();
      expect(receiver.received).toMatchObject([
        { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ]);
      expect(tokens()).toEqual([`token of one at ${START}`]);
      expect([results(), await left()]).toEqual([['delivered'], 0]);
    },
  );

  it.each([500, 202, 307] as const)('is sent again with a new token after %s', async (status) => {
    await endSession('one');
    receiver.answer(status === 307 ? { redirect: '/elsewhere' } : status);
    const deliverer = delivererOf();
    await deliverer.deliverDue();
    now += 4999;
    await deliverer.deliverDue();
    expect(tokens()).toHaveLength(1);
    now += 1;
    await deliverer.deliverDue();
    expect(tokens()).toEqual([`token of one at ${START}`, `token of one at ${START + 5000}`]);
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      expect.any(String),
      expect.objectContaining({ event: 'logout.notice_failed', clientId: CLIENT, count: 1 }),
    );
    expect([results(), await left()]).toEqual([['failed', 'delivered'], 0]);
  });

  it.each([
    ['no answer comes in time', 'nothing', 100],
    ['the connection breaks', 'reset', 20_000],
  ] as const)('is sent again when %s', async (_case, reply, timeoutMs) => {
    await endSession('one');
    receiver.answer(reply);
    await delivererOf({ timeoutMs }).deliverDue();
    expect([results(), await left()]).toEqual([['failed'], 1]);
  });

  it.each([
    ['http', 'the address is not https'],
    ['https', 'the address is one of this machine or its link'],
  ])('is not sent by %s to this machine where only remote addresses are called', async (scheme, reason) => {
    await endSession('one');
    addresses = { [CLIENT]: receiver.url.replace('http', scheme) };
    await delivererOf({ reach: 'remote' }).deliverDue();
    expect(receiver.received).toEqual([]);
    const fields = expect.objectContaining({ event: 'logout.notice_failed', reason });
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(expect.any(String), fields);
    expect([results(), await left()]).toEqual([['failed'], 1]);
  });

  it('is dropped after nine attempts within a day', async () => {
    await endSession('one');
    receiver.answer(...DELAYS_MS.map(() => 503), 503);
    const deliverer = delivererOf();
    await deliverer.deliverDue();
    for (const delay of DELAYS_MS) {
      now += delay;
      await deliverer.deliverDue();
    }
    expect([tokens().length, await left()]).toEqual([9, 0]);
    expect(now - START).toBeLessThan(24 * HOUR_MS);
    expect(results().at(-1)).toBe('dropped');
    expect(log.error).toHaveBeenCalledExactlyOnceWith(
      expect.any(String),
      expect.objectContaining({ event: 'logout.notice_dropped', clientId: CLIENT, count: 9 }),
    );
  });

  it('is dropped at once when the app refuses the token', async () => {
    await endSession('one');
    receiver.answer(400);
    await delivererOf().deliverDue();
    expect([results(), await left()]).toEqual([['dropped'], 0]);
  });

  it.each([
    ['has no address any more', null],
    ['is gone', undefined],
  ])('is dropped when the app %s', async (_case, address) => {
    await endSession('one');
    addresses = address === undefined ? {} : { [CLIENT]: address };
    await delivererOf().deliverDue();
    expect([receiver.received, results(), await left()]).toEqual([[], ['dropped'], 0]);
  });

  it('waits a varying time, a fifth around the usual one', async () => {
    for (const [random, delay] of [
      [0, 4000],
      [1, 6000],
    ] as const) {
      await endSession(`s${random}`);
      receiver.answer(500);
      await delivererOf({ random }).deliverDue();
      expect(await store.logoutNotices.take(now + delay - 1, now + delay, 1)).toEqual([]);
      const [notice] = await store.logoutNotices.take(now + delay, now + delay, 1);
      await store.logoutNotices.remove(notice?.sid ?? '');
    }
  });

  it('is sent by one of two nodes, one at a time for an app', async () => {
    for (let index = 0; index < 12; index++) await endSession(`s${index}`, index % 2 ? CLIENT : OTHER);
    const other = await open();
    await Promise.all([delivererOf().deliverDue(), delivererOf({ store: other }).deliverDue()]);
    await other.close();
    expect(tokens().length).toBe(new Set(tokens()).size);
    await delivererOf().deliverDue();
    expect([new Set(tokens()).size, await left()]).toEqual([12, 0]);
  });

  it('does not wait for the receiver of another app that does not answer', async () => {
    const slow = await startReceiver();
    slow.answer('nothing', 'nothing');
    addresses = { [CLIENT]: slow.url, [OTHER]: receiver.url };
    for (const sid of ['a', 'b']) await endSession(sid);
    for (const sid of ['c', 'd', 'e']) await endSession(sid, OTHER);
    const deliverer = delivererOf();
    const running = deliverer.deliverDue();
    await until(() => results().length === 3 && slow.received.length > 0);
    expect(slow.received).toHaveLength(1);
    await deliverer.stop();
    await running;
    await slow.close();
    expect([results(), await left()]).toEqual([['delivered', 'delivered', 'delivered'], 2]);
  });

  it('is sent later, by this node or another, when the service stops or was killed during an attempt', async () => {
    await endSession('one');
    receiver.answer('nothing');
    const deliverer = delivererOf();
    const running = deliverer.deliverDue();
    await until(() => receiver.received.length === 1);
    await deliverer.stop();
    await running;
    expect([results(), await left()]).toEqual([[], 1]);
    await delivererOf().deliverDue();
    expect(receiver.received).toHaveLength(1);
    now += LIMIT_MS + 30_000;
    await delivererOf().deliverDue();
    expect([receiver.received.length, await left()]).toEqual([2, 0]);
  });

  it('waits while the store fails, which is logged', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const take = vi.fn().mockRejectedValueOnce(new Error('disk')).mockResolvedValue([]);
    const deliverer = delivererOf({ store: { ...store, logoutNotices: { ...store.logoutNotices, take } } });
    deliverer.start();
    await vi.advanceTimersByTimeAsync(2000);
    await deliverer.stop();
    vi.useRealTimers();
    expect(take).toHaveBeenCalledTimes(2);
    expect(log.repeated).toHaveBeenCalledExactlyOnceWith(
      'logout',
      expect.any(String),
      expect.objectContaining({ event: 'logout.failed' }),
    );
  });
});
