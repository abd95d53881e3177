import { describe, expect, it } from 'vitest';
import type { PendingBound } from '../../../../../src/storage/signin/pending.ts';
import type { PushedRequestRow, PushedUse } from '../../../../../src/storage/signin/pushed-requests.ts';
import { type SessionRow, sessionStatements } from '../../../../../src/storage/signin/sessions.ts';
import { appRow } from '../../rows.ts';
import {
  ACCEPTED,
  attemptMessage,
  attemptOf,
  digest,
  newCode,
  newTransaction,
  pendingBounds,
  START,
  sessionRow,
  TRANSACTION_END,
} from '../../signin-rows.ts';
import { driver, store } from '../../subject.ts';

const LIFE_MS = 90_000;
const END = START + LIFE_MS;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const BOUNDS = pendingBounds(10);

/** Makes a pushed request. */
function pushedRow(reference: string, change: Partial<PushedRequestRow> = {}): PushedRequestRow {
  const parameters = 'client_id=a&state=%00%F0%9F%91%8B';
  return {
    referenceHash: digest(reference),
    clientId: appRow().appId,
    parameters,
    expiresAt: END,
    ...change,
  };
}

/** Tests for pushed authorization requests. */
export function describePushedRequests(): void {
  const begin = (txn: string, reference: string, now: number, bounds = BOUNDS): Promise<string> => {
    const row = newTransaction(txn, {
      createdAt: now,
      first: attemptOf(txn),
      pushedHash: digest(reference),
      cookieHash: digest(`cookie of ${txn}`),
    });
    return store.transactions.begin(row, attemptMessage(`bridge-${txn}`), bounds);
  };
  const { appId: clientId } = appRow();
  const useOf = (reference: string): PushedUse => ({
    referenceHash: digest(reference),
    clientId,
    expiresAt: START + DAY_MS,
  });
  /** Ends a sign-in with a code; returns the outcome. */
  const end = async (txn: string, reference: string): Promise<string> => {
    await store.transactions.storeAnswer(txn, 1, { iv: 'aXY=', payload: 'cA==' }, START + 1);
    await store.transactions.complete(txn, 1, ACCEPTED, {}, START + 1);
    return await store.answers.consume(txn, { code: newCode(txn, { txn }), pushed: useOf(reference) });
  };
  const cookiesOf = (...txns: string[]) => txns.map((txn) => digest(`cookie of ${txn}`));
  const add = (row: PushedRequestRow, bounds = BOUNDS, now = START): Promise<string> =>
    store.pushedRequests.add(row, bounds, now);
  const rowsOf = async (): Promise<number[]> => {
    const { pushed_requests, signin_transactions, bridge_messages } = await store.rowCounts();
    return [pushed_requests ?? -1, signin_transactions ?? -1, bridge_messages ?? -1];
  };

  describe('pushed requests', () => {
    it('are found by the hash of their reference', async () => {
      const row = pushedRow('a');
      expect(await add(row)).toBe('stored');
      const found = { ...row, sessionHash: null, answers: 0 };
      expect(await store.pushedRequests.find(digest('a'))).toEqual(found);
      expect(await store.pushedRequests.find(digest('b'))).toBeUndefined();
    });

    it('begin any number of sign-ins until one of them ends, which removes them', async () => {
      await add(pushedRow('a'));
      await add(pushedRow('b'));
      expect([await begin('txn-1', 'a', START), await begin('txn-2', 'a', START)]).toEqual([
        'stored',
        'stored',
      ]);
      expect(await rowsOf()).toEqual([2, 2, 2]);
      expect(await store.pushedRequests.isUsed(digest('a'), clientId, START)).toBe(false);
      expect(await end('txn-2', 'a')).toBe('consumed');
      expect(await store.pushedRequests.find(digest('a'))).toBeUndefined();
      expect(await store.pushedRequests.isUsed(digest('a'), clientId, START)).toBe(true);
      expect(await store.pushedRequests.isUsed(digest('a'), 'another client', START)).toBe(false);
      expect(await begin('txn-3', 'a', START)).toBe('push_used');
      expect(await end('txn-1', 'a')).toBe('push_used');
      expect((await store.transactions.find('txn-1', START))?.state).toBe('completed');
      expect((await store.rowCounts()).authorization_codes).toBe(1);
    });

    it('are answered by one sign-in of many that end at once', async () => {
      await add(pushedRow('a'));
      const txns = Array.from({ length: 8 }, (_, number) => `txn-${number}`);
      for (const txn of txns) expect(await begin(txn, 'a', START)).toBe('stored');
      const outcomes = await Promise.all(txns.map((txn) => end(txn, 'a')));
      expect(outcomes.sort()).toEqual(['consumed', ...Array.from({ length: 7 }, () => 'push_used')]);
      expect((await store.rowCounts()).authorization_codes).toBe(1);
    });

    it('lead a browser to the sign-in that it began with them: the ended one, or the latest', async () => {
      await add(pushedRow('a'));
      for (const [index, txn] of ['txn-1', 'txn-2', 'other'].entries()) await begin(txn, 'a', START + index);
      const find = (txns: string[], reference = 'a', client = clientId, now = START) =>
        store.answers.begunWith(digest(reference), client, cookiesOf(...txns), now);
      expect(await find(['txn-1', 'txn-2'])).toBe('txn-2');
      expect(await find(['txn-1', 'unknown'])).toBe('txn-1');
      expect(await find(['unknown'])).toBeUndefined();
      expect(await find(['txn-1'], 'b')).toBeUndefined();
      expect(await find(['txn-1'], 'a', 'another client')).toBeUndefined();
      await end('txn-1', 'a');
      expect(await find(['txn-1', 'txn-2'])).toBe('txn-1');
      expect(await find(['txn-1'], 'a', clientId, TRANSACTION_END)).toBeUndefined();
      // More cookies than one statement takes.
      expect(await find([...Array.from({ length: 40 }, (_, number) => `no-${number}`), 'other'])).toBe(
        'other',
      );
    });

    it('are answered by one session of several, which gets other codes in place of expired ones', async () => {
      await add(pushedRow('a'));
      const [mine, other] = [sessionRow('mine'), sessionRow('other')];
      await driver.write([mine, other].flatMap((begun) => sessionStatements({ former: undefined, begun })));
      const by = ({ sessionHash }: SessionRow) => ({ use: useOf('a'), sessionHash });
      expect(await store.sessions.answer(mine, newCode('1'), START, by(mine))).toBe('answered');
      expect(await store.sessions.answer(other, newCode('2'), START, by(other))).toBe('push_used');
      expect(await begin('txn', 'a', START)).toBe('push_used');
      const found = { sessionHash: mine.sessionHash, answers: 1 };
      expect(await store.pushedRequests.find(digest('a'))).toMatchObject(found);
      const next = (from: number, session = mine) => {
        const change = { from, former: digest(String(from)), code: newCode(String(from + 1)) };
        return store.sessions.answerAgain(by(session), change, START);
      };
      expect(await next(1, other)).toBe('lost');
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => next(1)));
      expect(outcomes.sort()).toEqual(['answered', 'lost', 'lost', 'lost', 'lost']);
      expect(await store.grants.useCode(digest('1'), clientId, 'jti', START + 9, START)).toEqual({
        outcome: 'unknown',
      });
      await store.grants.useCode(digest('2'), clientId, 'jti', START + 9, START);
      expect(await next(2)).toBe('redeemed');
      await store.sessions.endOfClients([clientId]);
      expect(await next(2)).toBe('ended');
    });

    it('begin no sign-in once they have expired', async () => {
      await add(pushedRow('a'));
      expect(await begin('txn', 'a', END)).toBe('push_used');
      expect(await begin('txn', 'a', END - 1)).toBe('stored');
    });

    it('stay if the sign-in finds no room', async () => {
      await add(pushedRow('a'));
      expect(await begin('txn', 'a', START, pendingBounds(1))).not.toBe('stored');
      expect(await rowsOf()).toEqual([1, 0, 0]);
      expect(await begin('txn', 'a', START)).toBe('stored');
    });

    const bound = (maxSignIns: number, maxBytes = 1_000_000): PendingBound => ({ maxSignIns, maxBytes });

    it.each([
      ['full', { ...BOUNDS, all: bound(2) }, 'other'],
      ['client_full', { ...BOUNDS, client: bound(2) }, appRow().appId],
      ['network_full', { ...BOUNDS, network: { ...bound(2), networkKey: 'n' } }, 'other'],
    ])('count as open sign-ins against each bound: %s', async (outcome, bounds, clientId) => {
      const row = newTransaction('txn');
      expect(await store.transactions.begin(row, undefined, bounds)).toBe('stored');
      expect(await add(pushedRow('a'), bounds)).toBe('stored');
      expect(await add(pushedRow('b', { clientId }), bounds)).toBe(outcome);
      expect(await store.pushedRequests.find(digest('b'))).toBeUndefined();
      const later = newTransaction('later', { clientId });
      expect(await store.transactions.begin(later, undefined, bounds)).toBe(outcome);
    });

    it('record the use of a proof with them or not at all', async () => {
      const proof = { hash: digest('proof'), expiresAt: END };
      const withProof = (name: string, bounds = BOUNDS): Promise<string> =>
        store.pushedRequests.add(pushedRow(name), bounds, START, proof);
      expect(await withProof('a', { ...BOUNDS, all: bound(0) })).toBe('full');
      expect((await store.rowCounts()).dpop_proofs).toBe(0);
      expect(await withProof('a')).toBe('stored');
      expect(await withProof('b')).toBe('proof_used');
      expect(await store.pushedRequests.find(digest('b'))).toBeUndefined();
      expect(await store.grants.useProof(proof)).toBe(false);
    });

    it('are charged with their bytes, and 512 more', async () => {
      const parameters = 'a'.repeat(1000);
      const withBytes = (maxBytes: number) => ({ ...BOUNDS, all: bound(10, maxBytes) });
      expect(await add(pushedRow('a', { parameters }), withBytes(1511))).toBe('full');
      expect(await add(pushedRow('a', { parameters }), withBytes(1512))).toBe('stored');
    });

    it('count until the end of the minute in which they expire, used or not', async () => {
      const bounds = { ...BOUNDS, client: bound(1) };
      await add(pushedRow('a'), bounds);
      const minuteEnd = (Math.floor(END / MINUTE_MS) + 1) * MINUTE_MS;
      const late = pushedRow('b', { expiresAt: minuteEnd + LIFE_MS });
      expect(await add(late, bounds, minuteEnd - 1)).toBe('client_full');
      await driver.write([{ sql: 'delete from pushed_requests', params: [] }]);
      expect(await add(late, bounds, minuteEnd - 1)).toBe('client_full');
      expect(await add(late, bounds, minuteEnd)).toBe('stored');
    });
  });
}
