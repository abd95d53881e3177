import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BridgeSender } from '../../../../../src/storage/bridge/charges.ts';
import { pointOf } from '../../../../../src/storage/drivers/driver.ts';
import type { BridgeMessage } from '../../../../../src/storage/values.ts';
import { bridgeSender } from '../../rows.ts';
import { attemptMessage, attemptOf, newTransaction, pendingBounds } from '../../signin-rows.ts';
import { driver, store } from '../../subject.ts';

const SENDER: BridgeSender = bridgeSender();
const REQUEST: BridgeMessage = { iv: 'aXY=', payload: 'cmVxdWVzdA==' };
const ANSWER: BridgeMessage = { iv: 'aXYy', payload: 'YW5zd2Vy' };
const LIFE_MS = 900_000;
const NOW = 1_700_000_000_000;

/** Tests for messages of the wallet bridge. */
export function describeBridge(): void {
  let id: string;

  beforeEach(() => {
    id = randomUUID();
  });

  const create = (now = NOW, sender = SENDER, message = REQUEST): Promise<string> =>
    store.bridge.createRequest(id, message, sender, now);
  const answer = (now = NOW, sender = SENDER, message = ANSWER): Promise<string> =>
    store.bridge.answer(id, message, sender, now);
  const rows = async (): Promise<number> => (await store.rowCounts()).bridge_messages ?? -1;

  describe('bridge messages', () => {
    it('go from request to answer, each taken once', async () => {
      expect(await store.bridge.status(id, NOW)).toBeUndefined();
      expect(await create()).toBe('created');
      expect(await store.bridge.status(id, NOW)).toBe('initialized');
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'initialized' });
      expect(await store.bridge.takeRequest(id, NOW)).toEqual(REQUEST);
      expect(await store.bridge.takeRequest(id, NOW)).toBeUndefined();
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'retrieved' });
      expect(await answer()).toBe('stored');
      expect(await answer()).toBe('no_status');
      expect(await store.bridge.status(id, NOW)).toBeUndefined();
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'completed', message: ANSWER });
      expect(await store.bridge.takeAnswer(id, NOW)).toBeUndefined();
      expect(await rows()).toBe(0);
    });

    it('are erased from the database once taken', async () => {
      await create();
      await store.bridge.takeRequest(id, NOW);
      const left = await driver.read(pointOf('select iv, payload, status from bridge_messages'));
      expect(left).toEqual([[null, null, 'retrieved']]);
    });

    it('free their id once they are taken or answered, and a new request starts without the old answer', async () => {
      await create();
      expect(await create()).toBe('exists');
      await store.bridge.takeRequest(id, NOW);
      expect(await create()).toBe('created');
      await answer();
      expect(await create()).toBe('created');
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'initialized' });
    });

    it('can be answered before they are taken, and cannot be taken afterwards', async () => {
      await create();
      expect(await answer()).toBe('stored');
      expect(await store.bridge.takeRequest(id, NOW)).toBeUndefined();
    });

    it('are overwritten by putRequest, which keeps a waiting answer', async () => {
      await create();
      await store.bridge.takeRequest(id, NOW);
      expect(await store.bridge.putRequest(id, ANSWER, SENDER, NOW)).toBe('stored');
      expect(await store.bridge.takeRequest(id, NOW)).toEqual(ANSWER);
      await answer();
      expect(await store.bridge.putRequest(id, REQUEST, SENDER, NOW)).toBe('stored');
      expect(await answer()).toBe('exists');
      expect(await store.bridge.status(id, NOW)).toBe('initialized');
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'completed', message: ANSWER });
      expect(await answer()).toBe('stored');
    });

    it('can be an answer without a request', async () => {
      expect(await store.bridge.createAnswer(id, ANSWER, SENDER, NOW)).toBe('created');
      expect(await store.bridge.createAnswer(id, REQUEST, SENDER, NOW)).toBe('exists');
      expect(await store.bridge.status(id, NOW)).toBeUndefined();
      expect(await answer()).toBe('no_status');
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'completed', message: ANSWER });
    });

    it.each(['takeRequest', 'takeAnswer'] as const)(
      'are returned to one of 50 parallel calls of %s',
      async (take) => {
        await create();
        if (take === 'takeAnswer') await answer();
        const taken = await Promise.all(Array.from({ length: 50 }, () => store.bridge[take](id, NOW)));
        expect(taken.filter((message) => message !== undefined)).toHaveLength(1);
      },
    );

    it('accept one of 20 parallel answers', async () => {
      await create();
      const results = await Promise.all(Array.from({ length: 20 }, () => answer()));
      expect(results.sort()).toEqual([...Array<string>(19).fill('no_status'), 'stored']);
    });

    it('preserve empty and unusual text, and refuse text that a database would change', async () => {
      for (const [iv, payload] of [
        ['', ''],
        [`ünï ☃ 👋🏽 ' " ; -- $1 ?1`, '\n\t\u0001\u007f'],
        ['=', '/'.repeat(200_000)],
      ] as const) {
        expect(await create(NOW, SENDER, { iv, payload })).toBe('created');
        expect(await store.bridge.takeRequest(id, NOW)).toEqual({ iv, payload });
        expect(await answer(NOW, SENDER, { iv, payload })).toBe('stored');
        const expected = { status: 'completed', message: { iv, payload } };
        expect(await store.bridge.takeAnswer(id, NOW)).toEqual(expected);
      }
      for (const iv of ['a\0b', '\ud800']) {
        const refused = create(NOW, SENDER, { iv, payload: '' });
        await expect(refused).rejects.toMatchObject({ code: 'store.invalid_value' });
      }
    });
  });

  describe('the expiry of bridge messages', () => {
    const END = NOW + LIFE_MS;

    it('comes 900 s after the request, for every call', async () => {
      await create();
      expect(await store.bridge.status(id, END - 1)).toBe('initialized');
      expect(await store.bridge.status(id, END)).toBeUndefined();
      expect(await store.bridge.takeAnswer(id, END)).toBeUndefined();
      expect(await store.bridge.takeRequest(id, END)).toBeUndefined();
      expect(await answer(END)).toBe('no_status');
      expect(await store.bridge.takeRequest(id, END - 1)).toEqual(REQUEST);
    });

    it('is extended when the request is taken and when it is answered', async () => {
      await create();
      await store.bridge.takeRequest(id, END - 1);
      const second = END - 1 + LIFE_MS;
      expect(await store.bridge.status(id, second - 1)).toBe('retrieved');
      expect(await store.bridge.status(id, second)).toBeUndefined();
      expect(await answer(second)).toBe('no_status');
      expect(await answer(second - 1)).toBe('stored');
      const third = second - 1 + LIFE_MS;
      expect(await store.bridge.takeAnswer(id, third)).toBeUndefined();
      expect(await store.bridge.takeAnswer(id, third - 1)).toMatchObject({ status: 'completed' });
    });

    it('frees the id, whether the message is swept or not', async () => {
      await create();
      expect(await create(END - 1)).toBe('exists');
      expect(await create(END, SENDER, ANSWER)).toBe('created');
      expect(await store.bridge.takeRequest(id, END)).toEqual(ANSWER);
      await store.bridge.createAnswer('an-answer', ANSWER, SENDER, NOW);
      id = 'an-answer';
      expect(await store.bridge.createAnswer(id, ANSWER, SENDER, END - 1)).toBe('exists');
      expect(await create(END)).toBe('created');
      expect(await answer(END)).toBe('stored');
    });

    it('lets the sweep empty the table', async () => {
      await create();
      await store.bridge.createAnswer('an-answer', ANSWER, SENDER, NOW + 1);
      expect((await store.sweep(END - 1, 1000)).bridge_messages).toBe(0);
      expect((await store.sweep(END, 1000)).bridge_messages).toBe(1);
      expect((await store.sweep(END + 1, 1000)).bridge_messages).toBe(1);
      expect(await rows()).toBe(0);
    });
  });

  describe('the messages of a sign-in on the bridge', () => {
    const NONE = bridgeSender({ maxEntries: 0, maxBytes: 0, maxEntriesPerAddress: 0, maxBytesPerAddress: 0 });
    const large: BridgeMessage = { iv: 'aXY=', payload: 'A'.repeat(5000) };
    const begin = async (): Promise<void> => {
      const first = attemptOf('txn', { bridgeId: id, windowEndsAt: NOW + 300_000 });
      const row = newTransaction('txn', { first, createdAt: NOW, expiresAt: NOW + LIFE_MS });
      await store.transactions.begin(row, attemptMessage(id), pendingBounds(1));
    };
    const charges = (): Promise<unknown> =>
      driver.read(pointOf('select kind, address_key, bytes from bridge_charges'));

    it('are not counted against any bound, and neither is the answer of the wallet', async () => {
      await begin();
      expect(await store.bridge.takeRequest(id, NOW)).toEqual(attemptMessage(id).message);
      expect(await answer(NOW, NONE, { iv: 'aXY=', payload: 'A'.repeat(4092) })).toBe('stored');
      expect(await charges()).toEqual([]);
      expect(await store.transactions.takeAnswer('txn', 1, NOW)).toBe(true);
    });

    it('count an answer beyond the reserved size against the share of its sender', async () => {
      await begin();
      expect(await answer(NOW, NONE, large)).toBe('share_full');
      expect(await store.bridge.status(id, NOW)).toBe('initialized');
      expect(await answer(NOW, bridgeSender({}, 'wallet'), large)).toBe('stored');
      expect(await charges()).toEqual([['sign_in_answer', 'wallet', 36 + 5004]]);
      expect(await store.transactions.takeAnswer('txn', 1, NOW)).toBe(true);
      expect(await store.transactions.find('txn', NOW)).toMatchObject({ state: 'answered', answer: large });
      expect((await store.sweep(NOW + LIFE_MS, 10)).bridge_messages).toBe(1);
      expect(await charges()).toEqual([]);
    });

    it('cannot be replaced by others who know their id, in any state', async () => {
      const attack = async (): Promise<void> => {
        expect(await create()).toBe('exists');
        expect(await store.bridge.putRequest(id, REQUEST, SENDER, NOW)).toBe('exists');
      };
      await begin();
      await attack();
      expect(await store.bridge.takeRequest(id, NOW)).toEqual(attemptMessage(id).message);
      await attack();
      expect(await answer()).toBe('stored');
      await attack();
      expect(await store.transactions.takeAnswer('txn', 1, NOW)).toBe(true);
      expect(await store.transactions.find('txn', NOW)).toMatchObject({ answer: ANSWER });
    });

    it('are not confused with messages that others store under the id of a finished attempt', async () => {
      await begin();
      expect(await answer()).toBe('stored');
      await store.transactions.takeAnswer('txn', 1, NOW);
      expect(await create()).toBe('created');
      expect(await answer(NOW, SENDER, large)).toBe('stored');
      expect(await store.transactions.takeAnswer('txn', 1, NOW)).toBe(false);
      await store.transactions.fail('txn', 1, 'transaction.proof_invalid');
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'completed', message: large });
    });
  });

  describe('the bounds of bridge messages', () => {
    const fill = (name: string, sender: BridgeSender, now = NOW): Promise<string> =>
      store.bridge.createRequest(name, REQUEST, sender, now);
    /** Bytes charged for the request and the answer above under an id of two characters. */
    const REQUEST_BYTES = 2 + 4 + 12 + 4096;
    const ANSWER_BYTES = 2 + 4 + 8;

    it('apply to the number of valid requests and answers together', async () => {
      const sender = bridgeSender({ maxEntries: 2 });
      expect(await fill('first', sender)).toBe('created');
      expect(await store.bridge.createAnswer('second', ANSWER, sender, NOW)).toBe('created');
      expect(await fill('third', sender)).toBe('full');
      expect(await store.bridge.createAnswer('third', ANSWER, sender, NOW)).toBe('full');
      expect(await store.bridge.putRequest('third', REQUEST, sender, NOW)).toBe('full');
      expect(await store.bridge.status('third', NOW)).toBeUndefined();
      expect(await rows()).toBe(2);
      expect(await store.bridge.putRequest('first', ANSWER, sender, NOW)).toBe('stored');
    });

    it('count a taken request until it expires', async () => {
      const sender = bridgeSender({ maxEntries: 1 });
      await fill('first', sender);
      await store.bridge.takeRequest('first', NOW);
      expect(await fill('second', sender)).toBe('full');
      expect(await fill('second', sender, NOW + LIFE_MS)).toBe('created');
    });

    it('allow an answer of 4096 bytes to every admitted request', async () => {
      const sender = bridgeSender({ maxEntries: 1, maxBytes: REQUEST_BYTES });
      id = 'ab';
      for (const isTaken of [false, true]) {
        expect(await fill(id, sender)).toBe('created');
        if (isTaken) await store.bridge.takeRequest(id, NOW);
        expect(await answer(NOW, sender, { iv: 'aXY=', payload: 'A'.repeat(4092) })).toBe('stored');
        await store.bridge.takeAnswer(id, NOW);
      }
    });

    it('apply exactly to the bytes of id, iv and payload and the reserved size of an answer', async () => {
      expect(await fill('ab', bridgeSender({ maxBytes: REQUEST_BYTES - 1 }))).toBe('full');
      expect(await fill('ab', bridgeSender({ maxBytes: REQUEST_BYTES }))).toBe('created');
      const put = (maxBytes: number): Promise<string> =>
        store.bridge.createAnswer('cd', ANSWER, bridgeSender({ maxBytes }), NOW);
      expect(await put(REQUEST_BYTES + ANSWER_BYTES - 1)).toBe('full');
      expect(await put(REQUEST_BYTES + ANSWER_BYTES)).toBe('created');
    });

    it('keep the status when a large answer is refused, so that the wallet can try again', async () => {
      const sender = bridgeSender({ maxBytes: 10_000 });
      id = 'first';
      await fill(id, sender);
      const large = { iv: 'aXY=', payload: 'A'.repeat(10_000) };
      expect(await answer(NOW, sender, large)).toBe('full');
      expect(await store.bridge.status(id, NOW)).toBe('initialized');
      expect(await answer(NOW, sender)).toBe('stored');
    });
  });

  describe('the share of an address', () => {
    const fill = (name: string, sender: BridgeSender, now = NOW): Promise<string> =>
      store.bridge.createRequest(name, REQUEST, sender, now);
    const share = (limits: Partial<BridgeSender['limits']>, address = 'a'): BridgeSender =>
      bridgeSender(limits, address);

    it('refuses only its address until one of its messages is removed', async () => {
      const limits = { maxEntriesPerAddress: 2 };
      expect(await fill('first', share(limits))).toBe('created');
      expect(await fill('second', share(limits), NOW + 1)).toBe('created');
      expect(await fill('third', share(limits))).toBe('share_full');
      expect(await store.bridge.createAnswer('third', ANSWER, share(limits), NOW)).toBe('share_full');
      expect(await store.bridge.putRequest('third', REQUEST, share(limits), NOW)).toBe('share_full');
      expect(await fill('third', share(limits, 'b'))).toBe('created');
      expect(await store.bridge.shareEndsAt('a', NOW)).toBe(NOW + LIFE_MS);
      expect(await store.bridge.shareEndsAt('c', NOW)).toBeUndefined();
      expect(await store.bridge.answer('first', ANSWER, share(limits), NOW)).toBe('stored');
      expect(await fill('fourth', share(limits))).toBe('share_full');
      await store.bridge.takeAnswer('first', NOW);
      expect(await fill('fourth', share(limits))).toBe('created');
    });

    it('is separate for each address of a network', async () => {
      const limits = { maxEntriesPerAddress: 1 };
      const of = (addressKey: string): BridgeSender => ({
        ...share(limits),
        addressKey,
        networkKey: 'network',
      });
      expect(await fill('first', of('a'))).toBe('created');
      expect(await fill('second', of('a'))).toBe('share_full');
      expect(await fill('second', of('b'))).toBe('created');
    });

    it('is freed when a message expires, swept or not', async () => {
      const limits = { maxEntriesPerAddress: 1 };
      expect(await fill('first', share(limits))).toBe('created');
      expect(await fill('second', share(limits), NOW + LIFE_MS - 1)).toBe('share_full');
      expect(await fill('second', share(limits), NOW + LIFE_MS)).toBe('created');
    });

    it('applies to bytes, which an answer within its reserved size does not increase', async () => {
      const limits = { maxBytesPerAddress: 5000 };
      id = 'ab';
      expect(await fill(id, share(limits))).toBe('created');
      expect(await fill('cd', share(limits))).toBe('share_full');
      expect(await answer(NOW, share(limits), { iv: '', payload: 'A'.repeat(5000) })).toBe('share_full');
      expect(await answer(NOW, share(limits, 'wallet'), { iv: '', payload: 'A'.repeat(4096) })).toBe(
        'stored',
      );
      expect(await fill('cd', share(limits))).toBe('share_full');
    });

    it('applies exactly to parallel calls', async () => {
      const sender = share({ maxEntriesPerAddress: 5 });
      const names = Array.from({ length: 30 }, (_, number) => `request-${number}`);
      const outcomes = await Promise.all(names.map((name) => fill(name, sender)));
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(5);
      expect(outcomes.filter((outcome) => outcome === 'share_full')).toHaveLength(25);
    });
  });

  describe('a full bridge', () => {
    const limits = { maxEntries: 12 };
    const fill = (name: string, address: string, now = NOW): Promise<string> =>
      store.bridge.createRequest(name, REQUEST, bridgeSender(limits, address), now);
    const left = async (): Promise<string[]> => {
      const found = await driver.read(pointOf('select id from bridge_messages order by id'));
      return found.map((row) => String(row[0]));
    };

    it('evicts the oldest messages of the largest network for a network that would hold at most half as much', async () => {
      for (let number = 0; number < 8; number++) await fill(`large-${number}`, 'large', NOW + number);
      for (let number = 0; number < 4; number++) await fill(`small-${number}`, 'small', NOW);
      expect(await fill('new-0', 'new')).toBe('created');
      expect(await fill('new-1', 'new')).toBe('created');
      expect(await left()).toEqual([
        'large-2',
        'large-3',
        'large-4',
        'large-5',
        'large-6',
        'large-7',
        'new-0',
        'new-1',
        'small-0',
        'small-1',
        'small-2',
        'small-3',
      ]);
      expect(await fill('new-2', 'new')).toBe('created');
      expect(await fill('new-3', 'new')).toBe('full');
      expect(await fill('small-4', 'small')).toBe('full');
      expect(await fill('large-8', 'large')).toBe('full');
      expect(await left()).toHaveLength(12);
    });

    it('removes expired messages first', async () => {
      await fill('ended', 'small', NOW - LIFE_MS);
      for (let number = 0; number < 11; number++) await fill(`large-${number}`, 'large');
      expect(await fill('large-11', 'large')).toBe('created');
      expect(await left()).not.toContain('ended');
      expect(await fill('new', 'new')).toBe('created');
      expect(await left()).not.toContain('large-0');
    });

    it('evicts as many messages as a large one needs', async () => {
      const payload = 'A'.repeat(40_000);
      const senderAt = (address: string): BridgeSender => bridgeSender({ maxBytes: 200_000 }, address);
      for (let number = 0; number < 46; number++) {
        expect(await store.bridge.createRequest(`large-${number}`, REQUEST, senderAt('large'), NOW)).toBe(
          'created',
        );
      }
      const message = { iv: 'aXY=', payload };
      expect(await store.bridge.createRequest('new', message, senderAt('new'), NOW)).toBe('created');
      expect(await store.bridge.createRequest('more', message, senderAt('new'), NOW)).toBe('full');
      expect(await store.bridge.takeRequest('new', NOW)).toEqual(message);
    });
  });
}
