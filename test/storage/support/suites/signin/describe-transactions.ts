import { describe, expect, it } from 'vitest';
import { pointOf } from '../../../../../src/storage/drivers/driver.ts';
import { closeSignIn, type PendingBounds } from '../../../../../src/storage/signin/pending.ts';
import type { NewTransaction } from '../../../../../src/storage/signin/transactions.ts';
import { bytes32 } from '../../rows.ts';
import {
  ACCEPTED,
  attemptMessage,
  attemptOf,
  digest,
  newCode,
  newTransaction,
  ODD_TEXT,
  pendingBounds,
  START,
  TRANSACTION_END,
  WINDOW_END,
} from '../../signin-rows.ts';
import { ANSWER, BOUNDS, FAILURE, signinTransitions } from '../../signin-transitions.ts';
import { driver, store } from '../../subject.ts';

/** Tests for sign-ins up to the verdict on their proof. */
export function describeTransactions(): void {
  const { find, bridgeRows, begin, answerOnBridge, retry, complete, bringTo } = signinTransitions();

  describe('a sign-in', () => {
    it('begins in state waiting, with its request on the bridge', async () => {
      expect(await begin()).toBe('stored');
      expect(await find()).toEqual({
        txn: 'txn',
        clientId: newTransaction('txn').clientId,
        request: JSON.stringify({ state: ODD_TEXT }),
        cookieHash: bytes32(0),
        knownHash: null,
        pushedHash: null,
        state: 'waiting',
        attempt: 1,
        signal: 'siwi:txn',
        aesKey: bytes32(2),
        bridgeId: 'bridge-txn',
        windowEndsAt: WINDOW_END,
        ask: null,
        renewals: 0,
        answer: null,
        code: null,
        ended: null,
        answers: 0,
        accepted: null,
        createdAt: START,
        expiresAt: TRANSACTION_END,
        agreed: [],
      });
      expect(await store.bridge.takeRequest('bridge-txn', START)).toEqual(
        attemptMessage('bridge-txn').message,
      );
    });

    it('preserves every character of a signal that is the nonce of a client', async () => {
      const first = attemptOf('txn', { signal: ODD_TEXT, bridgeId: null });
      await store.transactions.begin(newTransaction('txn', { first }), undefined, BOUNDS);
      expect(await find()).toMatchObject({ signal: ODD_TEXT, bridgeId: null });
      expect(await bridgeRows()).toEqual([]);
    });

    it('is absent once it has expired, in any state', async () => {
      await bringTo('completed');
      expect(await find(TRANSACTION_END - 1)).toMatchObject({ state: 'completed' });
      expect(await find(TRANSACTION_END)).toBeUndefined();
      expect(await store.transactions.find('other', START)).toBeUndefined();
    });

    it('goes from waiting to consumed, and its code can be used', async () => {
      await bringTo('completed');
      expect(await find()).toMatchObject({ state: 'completed', accepted: ACCEPTED });
      const code = newCode('code', { txn: 'txn' });
      expect(await store.answers.consume('txn', { code })).toBe('consumed');
      const { request } = newTransaction('txn');
      const ended = { state: 'consumed', ended: 'completed', answers: 1, accepted: ACCEPTED, request };
      expect(await find()).toMatchObject(ended);
      expect(
        await store.grants.useCode(digest('code'), code.clientId, 'jti', START + 10_000, START + 6000),
      ).toMatchObject({ outcome: 'used', row: { accepted: ACCEPTED } });
      const erased = { request: '', signal: '', accepted: null, code: null, agreed: [] };
      expect(await find()).toMatchObject({ state: 'consumed', ended: 'redeemed', ...erased });
    });
  });

  describe('the bounds of open sign-ins', () => {
    const SMALL = Buffer.byteLength(newTransaction('txn').request) + '"siwi:txn"'.length + 6144;
    const beginAs = (
      txn: string,
      bounds: number | PendingBounds,
      change: Partial<NewTransaction> = {},
    ): Promise<string> =>
      store.transactions.begin(
        newTransaction(txn, { first: attemptOf('txn', { bridgeId: `bridge-${txn}` }), ...change }),
        attemptMessage(`bridge-${txn}`),
        typeof bounds === 'number' ? pendingBounds(bounds) : bounds,
      );

    it('count each sign-in until its code is redeemed or the minute of its expiry ends', async () => {
      await bringTo('completed');
      expect(await beginAs('second', 1)).toBe('full');
      expect(await store.transactions.find('second', START)).toBeUndefined();
      expect(await bridgeRows()).toEqual([]);
      const code = newCode('code', { txn: 'txn' });
      await store.answers.consume('txn', { code });
      expect(await beginAs('second', 1)).toBe('full');
      await store.grants.useCode(code.codeHash, code.clientId, 'jti', START + 10_000, START);
      expect(await beginAs('second', 1)).toBe('stored');
      const endOfMinute = Math.ceil(TRANSACTION_END / 60_000) * 60_000;
      const laterBy = (createdAt: number): Partial<NewTransaction> => ({
        createdAt,
        expiresAt: createdAt + 900_000,
      });
      expect(await beginAs('third', 1, laterBy(endOfMinute - 1))).toBe('full');
      expect(await beginAs('third', 1, laterBy(endOfMinute))).toBe('stored');
    });

    it('apply exactly to parallel sign-ins', async () => {
      const names = Array.from({ length: 20 }, (_, number) => `txn-${number}`);
      const outcomes = await Promise.all(names.map((name) => beginAs(name, 5)));
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(5);
      expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(15);
      expect((await store.rowCounts()).signin_transactions).toBe(5);
    });

    it('apply exactly to the bytes of requests and signals, plus 6144 per sign-in', async () => {
      const within = (maxBytes: number): PendingBounds =>
        pendingBounds(9, { all: { maxSignIns: 9, maxBytes } });
      expect(await beginAs('first', within(SMALL - 1))).toBe('full');
      expect(await beginAs('first', within(SMALL))).toBe('stored');
      const long = { request: JSON.stringify({ state: 'ü'.repeat(1000) }) };
      const more = SMALL - Buffer.byteLength(newTransaction('x').request) + Buffer.byteLength(long.request);
      expect(await beginAs('second', within(SMALL + more - 1), long)).toBe('full');
      expect(await beginAs('second', within(SMALL + more), long)).toBe('stored');
    });

    it('hold all bytes of an ended sign-in, and release them when it is closed and its request erased', async () => {
      const bounds = pendingBounds(9, { all: { maxSignIns: 9, maxBytes: SMALL + 60_000 } });
      const request = JSON.stringify({ state: `${ODD_TEXT}${'ü'.repeat(20_000)}` });
      for (const round of [1, 2, 3]) {
        const txn = `txn-${round}`;
        expect(await beginAs(txn, bounds, { request })).toBe('stored');
        expect(await beginAs('other', bounds, { request })).toBe('full');
        await store.transactions.cancel(txn);
        expect(await store.answers.consume(txn, {})).toBe('consumed');
        expect(await store.answers.consume(txn, {})).toBe('lost');
        expect(await beginAs('other', bounds, { request })).toBe('full');
        await driver.write(closeSignIn(txn));
        expect(await store.transactions.find(txn, START)).toMatchObject({ request: '', signal: '' });
      }
      const counts = await driver.read(pointOf('select sum(sign_ins), sum(bytes) from signin_usage'));
      expect(counts).toEqual([[0, 0]]);
    });

    it('are per client, per network and for all, and the first that is reached refuses', async () => {
      const one = { maxSignIns: 1, maxBytes: 1_000_000 };
      const network = (networkKey: string): PendingBounds['network'] => ({ ...one, networkKey });
      const byClient = pendingBounds(9, { client: one });
      expect(await beginAs('a', byClient)).toBe('stored');
      expect(await beginAs('b', byClient)).toBe('client_full');
      const otherClient = { clientId: 'app_staging_00000000000000000000000000000001' };
      expect(await beginAs('b', byClient, otherClient)).toBe('stored');
      expect(await beginAs('c', pendingBounds(9, { network: network('n') }))).toBe('stored');
      expect(await beginAs('d', pendingBounds(9, { network: network('n') }))).toBe('network_full');
      expect(await beginAs('d', pendingBounds(9, { network: network('m') }))).toBe('stored');
      expect(await beginAs('e', 4)).toBe('full');
      expect((await store.rowCounts()).signin_transactions).toBe(4);
    });

    it('allow another attempt of every sign-in that began', async () => {
      await bringTo('failed');
      const next = attemptOf('txn', { attempt: 2, bridgeId: 'bridge-second' });
      const message = attemptMessage('bridge-second');
      expect(await beginAs('second', 1)).toBe('full');
      expect(await store.transactions.retry('txn', 1, next, message, START)).toBe('stored');
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

    it('succeeds in one of many parallel calls', async () => {
      await begin();
      await answerOnBridge();
      const took = await Promise.all(
        Array.from({ length: 20 }, () => store.transactions.takeAnswer('txn', 1, START + 1500)),
      );
      expect(took.filter(Boolean)).toHaveLength(1);
    });

    it('accepts an answer that came within the window, whenever it is looked for', async () => {
      await begin();
      await answerOnBridge(WINDOW_END);
      expect(await store.transactions.takeAnswer('txn', 1, TRANSACTION_END - 1)).toBe(true);
    });

    it('ignores an answer that came after the window, and leaves it on the bridge', async () => {
      await begin();
      await answerOnBridge(WINDOW_END + 1);
      expect(await store.transactions.takeAnswer('txn', 1, WINDOW_END + 1)).toBe(false);
      expect(await find()).toMatchObject({ state: 'waiting', answer: null });
      expect(await bridgeRows()).toEqual(['bridge-txn response']);
    });

    it('fails once the sign-in has expired', async () => {
      await begin();
      await answerOnBridge();
      expect(await store.transactions.takeAnswer('txn', 1, TRANSACTION_END)).toBe(false);
    });

    it('ignores an answer to another sign-in or another attempt', async () => {
      await begin();
      await store.transactions.begin(newTransaction('other'), attemptMessage('bridge-other'), BOUNDS);
      await answerOnBridge();
      expect(await store.transactions.takeAnswer('other', 1, START + 1500)).toBe(false);
      expect(await store.transactions.takeAnswer('txn', 2, START + 1500)).toBe(false);
      expect(await bridgeRows()).toEqual(['bridge-other request', 'bridge-txn response']);
    });

    it('accepts the answer of another bridge while the window is open', async () => {
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
    it('stores the person of the proof, and erases key and ciphertext', async () => {
      await bringTo('answered');
      expect(await complete()).toBe('completed');
      expect(await find()).toMatchObject({
        state: 'completed',
        accepted: ACCEPTED,
        aesKey: null,
        answer: null,
      });
    });

    it('succeeds in one of many parallel calls', async () => {
      await bringTo('answered');
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => complete()));
      expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'lost')).toHaveLength(19);
    });

    it('fails for another attempt and once the sign-in has expired', async () => {
      await bringTo('answered');
      expect(await complete(2)).toBe('lost');
      expect(await complete(1, undefined, TRANSACTION_END)).toBe('lost');
      expect(await find()).toMatchObject({ state: 'answered' });
    });

    it('records the proof as spent, and leaves another sign-in with the same proof answered', async () => {
      const spent = { hash: digest('proof'), expiresAt: START + 1_000_000 };
      await bringTo('answered');
      const other = newTransaction('other');
      await store.transactions.begin(other, undefined, BOUNDS);
      await store.transactions.storeAnswer('other', 1, ANSWER, START);
      expect(await complete(1, spent)).toBe('completed');
      expect(await store.transactions.complete('other', 1, ACCEPTED, { spent }, START)).toBe('spent');
      expect(await store.transactions.find('other', START)).toMatchObject({
        state: 'answered',
        answer: ANSWER,
        accepted: null,
      });
      expect(await store.transactions.fail('other', 1, FAILURE)).toBe(true);
    });

    it('spends no proof when it fails', async () => {
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

    it('refuses permanently', async () => {
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

    it('succeeds in one of parallel complete, fail and refuse calls', async () => {
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
