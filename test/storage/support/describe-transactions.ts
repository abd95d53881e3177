import { beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '../../../src/storage/drivers/driver.ts';
import type { SpentProof, Store, TransactionRow, TransactionState } from '../../../src/storage/index.ts';
import { bytes32, type StoreUnderTest } from './rows.ts';
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

const ANSWER = { iv: 'aXYy', payload: 'YW5zd2Vy' };
const LIMITS = attemptMessage('').limits;
const MAX_PENDING = 1000;
const CODE = 'invalid_proof';

/** The part of the suite about sign-ins. */
export function describeTransactions(subject: () => StoreUnderTest): void {
  let store: Store;
  let driver: Driver;

  beforeEach(() => {
    ({ store, driver } = subject());
  });

  const bridgeRows = async (): Promise<unknown> =>
    (await driver.read({ sql: 'select id, kind from bridge_messages order by id, kind', params: [] })).map(
      (row) => row.join(' '),
    );
  const find = (now = START): Promise<TransactionRow | undefined> => store.transactions.find('txn', now);
  const begin = (): Promise<string> =>
    store.transactions.begin(newTransaction('txn'), attemptMessage('bridge-txn'), MAX_PENDING);
  const answerOnBridge = (now = START + 1000): Promise<string> =>
    store.bridge.answer('bridge-txn', ANSWER, LIMITS, now);
  const retry = (from: number, now = START + 2000, id = 'bridge-second'): Promise<string> =>
    store.transactions.retry(
      'txn',
      from,
      attemptOf('txn', { attempt: from + 1, signal: 'siwi:second', aesKey: bytes32(3), bridgeId: id }),
      attemptMessage(id),
      now,
    );
  const complete = (
    attempt = 1,
    spent?: SpentProof,
    now = START + 5000,
  ): ReturnType<Store['transactions']['complete']> =>
    store.transactions.complete('txn', attempt, ACCEPTED, spent, now);

  /** Brings a new sign-in into a state by its arrows. */
  const bringTo = async (state: TransactionState): Promise<void> => {
    await begin();
    if (state === 'waiting') return;
    if (state === 'cancelled') {
      await store.transactions.cancel('txn');
      return;
    }
    await answerOnBridge();
    await store.transactions.takeAnswer('txn', 1, START + 1000);
    if (state === 'failed') await store.transactions.fail('txn', 1, CODE);
    if (state === 'refused') await store.transactions.refuse('txn', 1, 'access_denied');
    if (state === 'completed' || state === 'consumed') await complete();
    if (state === 'consumed') await store.transactions.consume('txn', undefined);
  };

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
      expect(await store.transactions.fail('other', 1, CODE)).toBe(true);
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
      expect(await store.transactions.fail('txn', 2, CODE)).toBe(false);
      expect(await store.transactions.fail('txn', 1, CODE)).toBe(true);
      expect(await find()).toMatchObject({ state: 'failed', code: CODE, aesKey: null, answer: null });
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
        store.transactions.fail('txn', 1, CODE),
        store.transactions.refuse('txn', 1, 'access_denied'),
      ]);
      expect([completed === 'completed', failed, refused].filter(Boolean)).toHaveLength(1);
    });
  });

  describe('waiting, failed → waiting', () => {
    it.each(['waiting', 'failed'] as const)('begins a new attempt from %s', async (state) => {
      await bringTo(state);
      expect(await retry(1)).toBe('stored');
      expect(await find()).toMatchObject({
        state: 'waiting',
        attempt: 2,
        signal: 'siwi:second',
        aesKey: bytes32(3),
        bridgeId: 'bridge-second',
        code: null,
        answer: null,
      });
      expect(await bridgeRows()).toEqual(['bridge-second request']);
    });

    it('ends what the old attempt has on the bridge, an answer included', async () => {
      await begin();
      await answerOnBridge();
      expect(await retry(1)).toBe('stored');
      expect(await bridgeRows()).toEqual(['bridge-second request']);
      expect(await store.transactions.takeAnswer('txn', 1, START + 3000)).toBe(false);
      expect(await store.transactions.storeAnswer('txn', 1, ANSWER, START + 3000)).toBe(false);
    });

    it('is made by one of many at the same time, whose request alone is on the bridge', async () => {
      await bringTo('failed');
      const ids = Array.from({ length: 20 }, (_, number) => `bridge-${number}`);
      const outcomes = await Promise.all(ids.map((id) => retry(1, START + 2000, id)));
      const winner = ids[outcomes.indexOf('stored')];
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(await bridgeRows()).toEqual([`${winner} request`]);
      expect(await find()).toMatchObject({ attempt: 2, bridgeId: winner });
    });

    it('is lost for an attempt that is over, and at the end of the sign-in', async () => {
      await bringTo('waiting');
      expect(await retry(2)).toBe('lost');
      expect(await retry(1, TRANSACTION_END)).toBe('lost');
      expect(await find()).toMatchObject({ attempt: 1, bridgeId: 'bridge-txn' });
      expect(await bridgeRows()).toEqual(['bridge-txn request']);
    });

    it('can go without a bridge', async () => {
      await bringTo('waiting');
      const next = attemptOf('txn', { attempt: 2, bridgeId: null });
      expect(await store.transactions.retry('txn', 1, next, undefined, START)).toBe('stored');
      expect(await find()).toMatchObject({ attempt: 2, bridgeId: null });
      expect(await bridgeRows()).toEqual([]);
    });
  });

  describe('waiting, failed → cancelled', () => {
    it('erases the secrets of the attempt and its rows on the bridge', async () => {
      await begin();
      expect(await store.transactions.cancel('txn')).toBe(true);
      expect(await find()).toMatchObject({ state: 'cancelled', code: null, aesKey: null });
      expect(await bridgeRows()).toEqual([]);
      expect(await store.transactions.cancel('txn')).toBe(false);
    });

    it('keeps the code of a failure', async () => {
      await bringTo('failed');
      expect(await store.transactions.cancel('txn')).toBe(true);
      expect(await find()).toMatchObject({ state: 'cancelled', code: CODE });
    });

    it('has one winner between the page and the wallet', async () => {
      await begin();
      await answerOnBridge();
      const [cancelled, taken] = await Promise.all([
        store.transactions.cancel('txn'),
        store.transactions.takeAnswer('txn', 1, START + 1500),
      ]);
      expect([cancelled, taken].filter(Boolean)).toHaveLength(1);
      expect(await bridgeRows()).toEqual([]);
    });
  });

  describe('completed, refused, cancelled → consumed', () => {
    it.each(['completed', 'refused', 'cancelled'] as const)('is made once from %s', async (state) => {
      await bringTo(state);
      const won = await Promise.all(
        Array.from({ length: 10 }, () => store.transactions.consume('txn', undefined)),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await find()).toMatchObject({ state: 'consumed', accepted: null });
    });

    it('writes one code of many that are made at the same time', async () => {
      await bringTo('completed');
      const names = Array.from({ length: 10 }, (_, number) => `code-${number}`);
      const won = await Promise.all(names.map((name) => store.transactions.consume('txn', newCode(name))));
      const codes = await driver.read({ sql: 'select code_hash from authorization_codes', params: [] });
      expect(codes).toEqual([[digest(names[won.indexOf(true)] ?? '')]]);
      expect(won.filter(Boolean)).toHaveLength(1);
    });

    it.each(['refused', 'cancelled'] as const)('gives no code for one that was %s', async (state) => {
      await bringTo(state);
      expect(await store.transactions.consume('txn', newCode('code'))).toBe(false);
      expect((await store.rowCounts()).authorization_codes).toBe(0);
    });

    it('stays as it is when its code cannot be written', async () => {
      await bringTo('completed');
      await store.grants.issue(newCode('code'), { hash: digest('x'), expiresAt: START + 1 }, START);
      await expect(store.transactions.consume('txn', newCode('code'))).rejects.toMatchObject({
        code: 'store.failed',
      });
      expect(await find()).toMatchObject({ state: 'completed', accepted: ACCEPTED });
    });
  });

  describe('every other arrow', () => {
    const arrows: Record<string, () => Promise<unknown>> = {
      storeAnswer: () => store.transactions.storeAnswer('txn', 1, ANSWER, START),
      complete: async () => (await complete()) === 'completed',
      fail: () => store.transactions.fail('txn', 1, CODE),
      refuse: () => store.transactions.refuse('txn', 1, 'access_denied'),
      retry: async () => (await retry(1)) === 'stored',
      cancel: () => store.transactions.cancel('txn'),
      consume: () => store.transactions.consume('txn', undefined),
    };
    const allowed: Record<TransactionState, readonly string[]> = {
      waiting: ['storeAnswer', 'retry', 'cancel'],
      answered: ['complete', 'fail', 'refuse'],
      failed: ['retry', 'cancel'],
      completed: ['consume'],
      refused: ['consume'],
      cancelled: ['consume'],
      consumed: [],
    };
    const refused = Object.entries(allowed).flatMap(([state, names]) =>
      Object.keys(arrows)
        .filter((name) => !names.includes(name))
        .map((name) => [name, state as TransactionState] as const),
    );

    it.each(refused)('%s does nothing from %s', async (name, state) => {
      await bringTo(state);
      const before = await find();
      expect(await arrows[name]?.()).toBe(false);
      expect(await find()).toEqual(before);
    });

    it.each(
      Object.entries(allowed).flatMap(([state, names]) =>
        names.map((name) => [name, state as TransactionState] as const),
      ),
    )('%s is made from %s', async (name, state) => {
      await bringTo(state);
      expect(await arrows[name]?.()).toBe(true);
    });

    it('none is made for an unknown sign-in', async () => {
      for (const arrow of Object.values(arrows)) expect(await arrow()).toBe(false);
    });
  });
}
