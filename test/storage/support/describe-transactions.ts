import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/index.ts';
import { bytes32, type StoreUnderTest } from './rows.ts';
import { ANSWER, FAILURE, MAX_PENDING, signinArrows } from './signin-arrows.ts';
import {
  ACCEPTED,
  attemptMessage,
  attemptOf,
  digest,
  newCode,
  newTransaction,
  ODD_TEXT,
  START,
  TRANSACTION_END,
  WINDOW_END,
} from './signin-rows.ts';

/** The part of the suite about sign-ins until a proof was judged. */
export function describeTransactions(subject: () => StoreUnderTest): void {
  const { find, bridgeRows, begin, answerOnBridge, retry, complete, bringTo } = signinArrows(subject);
  let store: Store;

  beforeEach(() => {
    ({ store } = subject());
  });

  describe('a sign-in', () => {
    it('begins in state waiting, with its request on the own bridge', async () => {
      expect(await begin()).toBe('stored');
      expect(await find()).toEqual({
        txn: 'txn',
        clientId: newTransaction('txn').clientId,
        request: JSON.stringify({ state: ODD_TEXT }),
        cookieHash: bytes32(0),
        state: 'waiting',
        attempt: 1,
        signal: 'siwi:txn',
        aesKey: bytes32(2),
        bridgeId: 'bridge-txn',
        windowEndsAt: WINDOW_END,
        answer: null,
        code: null,
        accepted: null,
        createdAt: START,
        expiresAt: TRANSACTION_END,
      });
      expect(await store.bridge.takeRequest('bridge-txn', START)).toEqual(
        attemptMessage('bridge-txn').message,
      );
    });

    it('keeps every character of a signal that is the nonce of a client', async () => {
      const first = attemptOf('txn', { signal: ODD_TEXT, bridgeId: null });
      await store.transactions.begin(newTransaction('txn', { first }), undefined, MAX_PENDING);
      expect(await find()).toMatchObject({ signal: ODD_TEXT, bridgeId: null });
      expect(await bridgeRows()).toEqual([]);
    });

    it('is absent from the end of its life on, in any state', async () => {
      await bringTo('completed');
      expect(await find(TRANSACTION_END - 1)).toMatchObject({ state: 'completed' });
      expect(await find(TRANSACTION_END)).toBeUndefined();
      expect(await store.transactions.find('other', START)).toBeUndefined();
    });

    it('goes from waiting to consumed, and its code can be used', async () => {
      await bringTo('completed');
      expect(await find()).toMatchObject({ state: 'completed', accepted: ACCEPTED });
      expect(await store.transactions.consume('txn', newCode('code'))).toBe(true);
      expect(await find()).toMatchObject({ state: 'consumed', accepted: null, code: null });
      const { clientId } = newCode('code');
      expect(
        await store.grants.useCode(digest('code'), clientId, 'jti', START + 10_000, START + 6000),
      ).toMatchObject({ outcome: 'used', row: { accepted: ACCEPTED } });
    });
  });

  describe('the bounds of open sign-ins', () => {
    const beginAs = (txn: string, maxPending: number, now = START): Promise<string> =>
      store.transactions.begin(
        newTransaction(txn, { createdAt: now }),
        attemptMessage(`bridge-${txn}`),
        maxPending,
      );

    it('hold for those that live and are not consumed', async () => {
      await bringTo('completed');
      expect(await beginAs('second', 1)).toBe('full');
      expect(await store.transactions.find('second', START)).toBeUndefined();
      expect(await bridgeRows()).toEqual([]);
      await store.transactions.consume('txn', undefined);
      expect(await beginAs('second', 1)).toBe('stored');
      expect(await beginAs('third', 1, TRANSACTION_END - 1)).toBe('full');
      const later = newTransaction('third', { createdAt: TRANSACTION_END, expiresAt: TRANSACTION_END + 1 });
      expect(await store.transactions.begin(later, undefined, 1)).toBe('stored');
    });

    it('hold for many at the same time', async () => {
      const names = Array.from({ length: 20 }, (_, number) => `txn-${number}`);
      const outcomes = await Promise.all(names.map((name) => beginAs(name, 5)));
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(5);
      expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(15);
      expect((await store.rowCounts()).signin_transactions).toBe(5);
    });

    it('say that the bridge is full, and store nothing then', async () => {
      const message = attemptMessage('bridge-txn', { limits: { maxEntries: 0, maxBytes: 1_000_000 } });
      expect(await store.transactions.begin(newTransaction('txn'), message, MAX_PENDING)).toBe('bridge_full');
      expect(await find()).toBeUndefined();
      expect(await bridgeRows()).toEqual([]);
    });

    it('leave a sign-in as it is when the bridge has no room for a retry', async () => {
      await bringTo('failed');
      const before = await find();
      const message = attemptMessage('bridge-second', { limits: { maxEntries: 9, maxBytes: 1 } });
      const next = attemptOf('txn', { attempt: 2, bridgeId: 'bridge-second' });
      expect(await store.transactions.retry('txn', 1, next, message, START)).toBe('bridge_full');
      expect(await find()).toEqual(before);
    });
  });

  describe('waiting → answered', () => {
    it('moves the answer off the bridge into the row, once', async () => {
      await begin();
      expect(await store.transactions.takeAnswer('txn', 1, START + 500)).toBe(false);
      await answerOnBridge();
      expect(await store.transactions.takeAnswer('txn', 1, START + 1500)).toBe(true);
      expect(await store.transactions.takeAnswer('txn', 1, START + 1500)).toBe(false);
      expect(await find()).toMatchObject({ state: 'answered', answer: ANSWER, aesKey: bytes32(2) });
      expect(await bridgeRows()).toEqual([]);
    });

    it('is made by one of many at the same time', async () => {
      await begin();
      await answerOnBridge();
      const took = await Promise.all(
        Array.from({ length: 20 }, () => store.transactions.takeAnswer('txn', 1, START + 1500)),
      );
      expect(took.filter(Boolean)).toHaveLength(1);
    });

    it('counts an answer that came before the window ended, whenever it is looked for', async () => {
      await begin();
      await answerOnBridge(WINDOW_END);
      expect(await store.transactions.takeAnswer('txn', 1, TRANSACTION_END - 1)).toBe(true);
    });

    it('does not count an answer that came after the window, and leaves it', async () => {
      await begin();
      await answerOnBridge(WINDOW_END + 1);
      expect(await store.transactions.takeAnswer('txn', 1, WINDOW_END + 1)).toBe(false);
      expect(await find()).toMatchObject({ state: 'waiting', answer: null });
      expect(await bridgeRows()).toEqual(['bridge-txn response']);
    });

    it('is over with the sign-in', async () => {
      await begin();
      await answerOnBridge();
      expect(await store.transactions.takeAnswer('txn', 1, TRANSACTION_END)).toBe(false);
    });

    it('takes no answer of another sign-in or another attempt', async () => {
      await begin();
      await store.transactions.begin(newTransaction('other'), attemptMessage('bridge-other'), MAX_PENDING);
      await answerOnBridge();
      expect(await store.transactions.takeAnswer('other', 1, START + 1500)).toBe(false);
      expect(await store.transactions.takeAnswer('txn', 2, START + 1500)).toBe(false);
      expect(await bridgeRows()).toEqual(['bridge-other request', 'bridge-txn response']);
    });

    it('takes the answer of another bridge while the window is open', async () => {
      await begin();
      const put = (now: number, attempt = 1): Promise<boolean> =>
        store.transactions.storeAnswer('txn', attempt, ANSWER, now);
      expect(await put(WINDOW_END + 1)).toBe(false);
      expect(await put(WINDOW_END, 2)).toBe(false);
      expect(await put(WINDOW_END)).toBe(true);
      expect(await put(WINDOW_END)).toBe(false);
      expect(await find()).toMatchObject({ state: 'answered', answer: ANSWER });
    });
  });

  describe('answered → completed', () => {
    it('stores whom the proof shows and erases key and ciphertext', async () => {
      await bringTo('answered');
      expect(await complete()).toBe('completed');
      expect(await find()).toMatchObject({
        state: 'completed',
        accepted: ACCEPTED,
        aesKey: null,
        answer: null,
      });
    });

    it('is made by one of many at the same time', async () => {
      await bringTo('answered');
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => complete()));
      expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'lost')).toHaveLength(19);
    });

    it('is lost for another attempt and at the end of the sign-in', async () => {
      await bringTo('answered');
      expect(await complete(2)).toBe('lost');
      expect(await complete(1, undefined, TRANSACTION_END)).toBe('lost');
      expect(await find()).toMatchObject({ state: 'answered' });
    });

    it('records a spent proof with it; one that was spent leaves a sign-in answered', async () => {
      const spent = { hash: digest('proof'), expiresAt: START + 1_000_000 };
      await bringTo('answered');
      const other = newTransaction('other');
      await store.transactions.begin(other, undefined, MAX_PENDING);
      await store.transactions.storeAnswer('other', 1, ANSWER, START);
      expect(await complete(1, spent)).toBe('completed');
      expect(await store.transactions.complete('other', 1, ACCEPTED, spent, START)).toBe('spent');
      expect(await store.transactions.find('other', START)).toMatchObject({
        state: 'answered',
        answer: ANSWER,
        accepted: null,
      });
      expect(await store.transactions.fail('other', 1, FAILURE)).toBe(true);
    });

    it('spends nothing when it is lost', async () => {
      await bringTo('failed');
      expect(await complete(1, { hash: digest('proof'), expiresAt: START + 1_000_000 })).toBe('lost');
      expect((await store.rowCounts()).spent_signins).toBe(0);
    });
  });

  describe('answered → failed, refused', () => {
    it('keeps the code and erases the secrets of the attempt', async () => {
      await bringTo('answered');
      expect(await store.transactions.fail('txn', 2, FAILURE)).toBe(false);
      expect(await store.transactions.fail('txn', 1, FAILURE)).toBe(true);
      expect(await find()).toMatchObject({ state: 'failed', code: FAILURE, aesKey: null, answer: null });
      expect(await store.transactions.refuse('txn', 1, 'access_denied')).toBe(false);
    });

    it('refuses for good', async () => {
      await bringTo('answered');
      expect(await store.transactions.refuse('txn', 2, 'access_denied')).toBe(false);
      expect(await store.transactions.refuse('txn', 1, 'access_denied')).toBe(true);
      expect(await find()).toMatchObject({
        state: 'refused',
        code: 'access_denied',
        aesKey: null,
        answer: null,
      });
      expect(await retry(1)).toBe('lost');
      expect(await store.transactions.cancel('txn')).toBe(false);
    });

    it('has one winner among completing, failing and refusing', async () => {
      await bringTo('answered');
      const [completed, failed, refused] = await Promise.all([
        complete(),
        store.transactions.fail('txn', 1, FAILURE),
        store.transactions.refuse('txn', 1, 'access_denied'),
      ]);
      expect([completed === 'completed', failed, refused].filter(Boolean)).toHaveLength(1);
    });
  });
}
