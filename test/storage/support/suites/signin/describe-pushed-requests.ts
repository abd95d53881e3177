import { describe, expect, it } from 'vitest';
import type { PendingBound } from '../../../../../src/storage/signin/pending.ts';
import type { PushedRequestRow } from '../../../../../src/storage/signin/pushed-requests.ts';
import { appRow } from '../../rows.ts';
import {
  attemptMessage,
  attemptOf,
  digest,
  newTransaction,
  pendingBounds,
  START,
} from '../../signin-rows.ts';
import { driver, store } from '../../subject.ts';

const LIFE_MS = 90_000;
const END = START + LIFE_MS;
const MINUTE_MS = 60_000;
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
    const row = newTransaction(txn, { createdAt: now, first: attemptOf(txn) });
    return store.transactions.begin(row, attemptMessage(`bridge-${txn}`), bounds, digest(reference));
  };
  const add = (row: PushedRequestRow, bounds = BOUNDS, now = START): Promise<string> =>
    store.pushedRequests.add(row, bounds, now);
  const rowsOf = async (): Promise<number[]> => {
    const { pushed_requests, signin_transactions, bridge_messages } = await store.rowCounts();
    return [pushed_requests ?? -1, signin_transactions ?? -1, bridge_messages ?? -1];
  };

  describe('pushed requests', () => {
    it('are found by the hash of their reference until they expire', async () => {
      const row = pushedRow('a');
      expect(await add(row)).toBe('stored');
      expect(await store.pushedRequests.find(digest('a'), END - 1)).toEqual(row);
      expect(await store.pushedRequests.find(digest('a'), END)).toBeUndefined();
      expect(await store.pushedRequests.find(digest('b'), START)).toBeUndefined();
    });

    it('begin one sign-in, which removes them', async () => {
      await add(pushedRow('a'));
      await add(pushedRow('b'));
      expect(await begin('txn-1', 'a', START)).toBe('stored');
      expect(await store.pushedRequests.find(digest('a'), START)).toBeUndefined();
      expect(await begin('txn-2', 'a', START)).toBe('push_used');
      expect(await rowsOf()).toEqual([1, 1, 1]);
      expect(await store.transactions.find('txn-2', START)).toBeUndefined();
    });

    it('begin one sign-in of many that start at once', async () => {
      await add(pushedRow('a'));
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, number) => begin(`txn-${number}`, 'a', START)),
      );
      expect(outcomes.sort()).toEqual([...Array.from({ length: 7 }, () => 'push_used'), 'stored']);
      expect(await rowsOf()).toEqual([0, 1, 1]);
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
      expect(await store.pushedRequests.find(digest('b'), START)).toBeUndefined();
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
      expect(await store.pushedRequests.find(digest('b'), START)).toBeUndefined();
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
