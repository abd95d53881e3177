import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '../../../src/storage/drivers/driver.ts';
import type { BridgeLimits, BridgeMessage, Store } from '../../../src/storage/index.ts';
import type { StoreUnderTest } from './rows.ts';

const LIMITS: BridgeLimits = { maxEntries: 100, maxBytes: 100_000 };
const REQUEST: BridgeMessage = { iv: 'aXY=', payload: 'cmVxdWVzdA==' };
const ANSWER: BridgeMessage = { iv: 'aXYy', payload: 'YW5zd2Vy' };
const LIFE_MS = 900_000;
const NOW = 1_700_000_000_000;

/** The part of the suite about messages of the wallet bridge. */
export function describeBridge(subject: () => StoreUnderTest): void {
  let store: Store;
  let driver: Driver;
  let id: string;

  beforeEach(() => {
    ({ store, driver } = subject());
    id = randomUUID();
  });

  const create = (now = NOW, limits = LIMITS, message = REQUEST): Promise<string> =>
    store.bridge.createRequest(id, message, limits, now);
  const answer = (now = NOW, limits = LIMITS, message = ANSWER): Promise<string> =>
    store.bridge.answer(id, message, limits, now);
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

    it('are gone from the database once taken, not only marked', async () => {
      await create();
      await store.bridge.takeRequest(id, NOW);
      const left = await driver.read({ sql: 'select iv, payload, status from bridge_messages', params: [] });
      expect(left).toEqual([[null, null, 'retrieved']]);
    });

    it('have a free id once they are taken or answered, and begin without the old answer', async () => {
      await create();
      expect(await create()).toBe('exists');
      await store.bridge.takeRequest(id, NOW);
      expect(await create()).toBe('created');
      await answer();
      expect(await create()).toBe('created');
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'initialized' });
    });

    it('can be answered before they are taken; nobody takes them then', async () => {
      await create();
      expect(await answer()).toBe('stored');
      expect(await store.bridge.takeRequest(id, NOW)).toBeUndefined();
    });

    it('are overwritten by putRequest, which leaves a waiting answer alone', async () => {
      await create();
      await store.bridge.takeRequest(id, NOW);
      expect(await store.bridge.putRequest(id, ANSWER, LIMITS, NOW)).toBe('stored');
      expect(await store.bridge.takeRequest(id, NOW)).toEqual(ANSWER);
      await answer();
      expect(await store.bridge.putRequest(id, REQUEST, LIMITS, NOW)).toBe('stored');
      expect(await answer()).toBe('exists');
      expect(await store.bridge.status(id, NOW)).toBe('initialized');
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'completed', message: ANSWER });
      expect(await answer()).toBe('stored');
    });

    it('can be an answer without a request', async () => {
      expect(await store.bridge.createAnswer(id, ANSWER, LIMITS, NOW)).toBe('created');
      expect(await store.bridge.createAnswer(id, REQUEST, LIMITS, NOW)).toBe('exists');
      expect(await store.bridge.status(id, NOW)).toBeUndefined();
      expect(await answer()).toBe('no_status');
      expect(await store.bridge.takeAnswer(id, NOW)).toEqual({ status: 'completed', message: ANSWER });
    });

    it.each(['takeRequest', 'takeAnswer'] as const)(
      'have one winner of 50 parallel calls: %s',
      async (take) => {
        await create();
        if (take === 'takeAnswer') await answer();
        const taken = await Promise.all(Array.from({ length: 50 }, () => store.bridge[take](id, NOW)));
        expect(taken.filter((message) => message !== undefined)).toHaveLength(1);
      },
    );

    it('take one of 20 parallel answers', async () => {
      await create();
      const results = await Promise.all(Array.from({ length: 20 }, () => answer()));
      expect(results.sort()).toEqual([...Array<string>(19).fill('no_status'), 'stored']);
    });

    it('keep empty and unusual text, and refuse text that a database would change', async () => {
      for (const [iv, payload] of [
        ['', ''],
        [`ünï ☃ 👋🏽 ' " ; -- $1 ?1`, '\n\t\u0001\u007f'],
        ['=', '/'.repeat(200_000)],
      ] as const) {
        const limits = { maxEntries: 1, maxBytes: 1_000_000 };
        expect(await create(NOW, limits, { iv, payload })).toBe('created');
        expect(await store.bridge.takeRequest(id, NOW)).toEqual({ iv, payload });
        expect(await answer(NOW, limits, { iv, payload })).toBe('stored');
        const expected = { status: 'completed', message: { iv, payload } };
        expect(await store.bridge.takeAnswer(id, NOW)).toEqual(expected);
      }
      for (const iv of ['a\0b', '\ud800']) {
        const refused = create(NOW, LIMITS, { iv, payload: '' });
        await expect(refused).rejects.toMatchObject({ code: 'store.invalid_value' });
      }
    });
  });

  describe('the end of bridge messages', () => {
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

    it('moves when the request is taken, and when it is answered', async () => {
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

    it('frees the id, swept or not', async () => {
      await create();
      expect(await create(END - 1)).toBe('exists');
      expect(await create(END, LIMITS, ANSWER)).toBe('created');
      expect(await store.bridge.takeRequest(id, END)).toEqual(ANSWER);
      await store.bridge.createAnswer('an-answer', ANSWER, LIMITS, NOW);
      id = 'an-answer';
      expect(await store.bridge.createAnswer(id, ANSWER, LIMITS, END - 1)).toBe('exists');
      expect(await create(END)).toBe('created');
      expect(await answer(END)).toBe('stored');
    });

    it('empties the table by the sweep', async () => {
      await create();
      await store.bridge.createAnswer('an-answer', ANSWER, LIMITS, NOW + 1);
      expect((await store.sweep(END - 1, 1000)).bridge_messages).toBe(0);
      expect((await store.sweep(END, 1000)).bridge_messages).toBe(1);
      expect((await store.sweep(END + 1, 1000)).bridge_messages).toBe(1);
      expect(await rows()).toBe(0);
    });
  });

  describe('the bounds of bridge messages', () => {
    const fill = (name: string, limits: BridgeLimits, now = NOW): Promise<string> =>
      store.bridge.createRequest(name, REQUEST, limits, now);

    it('hold for the number of live rows, requests and answers together', async () => {
      const limits = { maxEntries: 2, maxBytes: 100_000 };
      expect(await fill('first', limits)).toBe('created');
      expect(await store.bridge.createAnswer('second', ANSWER, limits, NOW)).toBe('created');
      expect(await fill('third', limits)).toBe('full');
      expect(await store.bridge.createAnswer('third', ANSWER, limits, NOW)).toBe('full');
      expect(await store.bridge.putRequest('third', REQUEST, limits, NOW)).toBe('full');
      expect(await store.bridge.status('third', NOW)).toBeUndefined();
      expect(await rows()).toBe(2);
      expect(await store.bridge.putRequest('first', ANSWER, limits, NOW)).toBe('stored');
    });

    it('count a taken request until its end, and no row after it', async () => {
      const limits = { maxEntries: 1, maxBytes: 100_000 };
      await fill('first', limits);
      await store.bridge.takeRequest('first', NOW);
      expect(await fill('second', limits)).toBe('full');
      expect(await fill('second', limits, NOW + LIFE_MS)).toBe('created');
    });

    it('let every admitted request be answered', async () => {
      const limits = { maxEntries: 1, maxBytes: 100_000 };
      id = 'first';
      await fill(id, limits);
      expect(await answer(NOW, limits)).toBe('stored');
    });

    it('hold for the bytes of id, iv and payload, to the byte', async () => {
      // 2 + 4 + 12 bytes, then 2 + 4 + 8
      expect(await fill('ab', { maxEntries: 9, maxBytes: 17 })).toBe('full');
      expect(await fill('ab', { maxEntries: 9, maxBytes: 18 })).toBe('created');
      const put = (maxBytes: number): Promise<string> =>
        store.bridge.createAnswer('cd', ANSWER, { maxEntries: 9, maxBytes }, NOW);
      expect(await put(31)).toBe('full');
      expect(await put(32)).toBe('created');
    });

    it('keep the status when an answer is refused, so that the wallet can try again', async () => {
      const limits = { maxEntries: 9, maxBytes: 50 };
      id = 'first';
      await fill(id, limits);
      const large = { iv: 'aXY=', payload: 'A'.repeat(100) };
      expect(await answer(NOW, limits, large)).toBe('full');
      expect(await store.bridge.status(id, NOW)).toBe('initialized');
      expect(await answer(NOW, limits)).toBe('stored');
    });
  });
}
