import { describe, expect, it } from 'vitest';
import { pointOf } from '../../../../../src/storage/drivers/driver.ts';
import type { TransactionState } from '../../../../../src/storage/signin/transactions.ts';
import { bytes32 } from '../../rows.ts';
import {
  ACCEPTED,
  attemptOf,
  CODE_END,
  digest,
  newCode,
  newTransaction,
  START,
  TRANSACTION_END,
} from '../../signin-rows.ts';
import { ANSWER, FAILURE, signinTransitions } from '../../signin-transitions.ts';
import { driver, store } from '../../subject.ts';

/** Tests for sign-ins that are retried, cancelled or consumed. */
export function describeTransactionEnds(): void {
  const { find, bridgeRows, begin, answerOnBridge, retry, complete, bringTo } = signinTransitions();

  describe('waiting, failed → waiting', () => {
    it.each(['waiting', 'failed'] as const)('starts a new attempt from %s', async (state) => {
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

    it('removes the messages of the old attempt from the bridge, including an answer', async () => {
      await begin();
      await answerOnBridge();
      expect(await retry(1)).toBe('stored');
      expect(await bridgeRows()).toEqual(['bridge-second request']);
      expect(await store.transactions.takeAnswer('txn', 1, START + 3000)).toBe(false);
      expect(await store.transactions.storeAnswer('txn', 1, ANSWER, START + 3000)).toBe(false);
    });

    it('succeeds in one of many parallel calls, whose request is the only one on the bridge', async () => {
      await bringTo('failed');
      const ids = Array.from({ length: 20 }, (_, number) => `bridge-${number}`);
      const outcomes = await Promise.all(ids.map((id) => retry(1, START + 2000, id)));
      const winner = ids[outcomes.indexOf('stored')];
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(await bridgeRows()).toEqual([`${winner} request`]);
      expect(await find()).toMatchObject({ attempt: 2, bridgeId: winner });
    });

    it('fails for another attempt and once the sign-in has expired', async () => {
      await bringTo('waiting');
      expect(await retry(2)).toBe('lost');
      expect(await retry(1, TRANSACTION_END)).toBe('lost');
      expect(await find()).toMatchObject({ attempt: 1, bridgeId: 'bridge-txn' });
      expect(await bridgeRows()).toEqual(['bridge-txn request']);
    });

    it('works without a bridge', async () => {
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
      expect(await find()).toMatchObject({ state: 'cancelled', code: FAILURE });
    });

    it('either succeeds or loses to a parallel answer of the wallet', async () => {
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
    it.each(['completed', 'refused', 'cancelled'] as const)('succeeds once from %s', async (state) => {
      await bringTo(state);
      const won = await Promise.all(Array.from({ length: 10 }, () => store.answers.consume('txn', {})));
      expect(won.filter((outcome) => outcome === 'consumed')).toHaveLength(1);
      const accepted = state === 'completed' ? ACCEPTED : null;
      expect(await find()).toMatchObject({ state: 'consumed', ended: state, answers: 1, accepted });
    });

    it('issues one code in many parallel calls', async () => {
      await bringTo('completed');
      const names = Array.from({ length: 10 }, (_, number) => `code-${number}`);
      const won = await Promise.all(
        names.map((name) => store.answers.consume('txn', { code: newCode(name) })),
      );
      const codes = await driver.read(pointOf('select code_hash from authorization_codes'));
      expect(codes).toEqual([[digest(names[won.indexOf('consumed')] ?? '')]]);
      expect(won.filter((outcome) => outcome === 'consumed')).toHaveLength(1);
    });

    it.each(['refused', 'cancelled'] as const)('issues no code from %s', async (state) => {
      await bringTo(state);
      expect(await store.answers.consume('txn', { code: newCode('code') })).toBe('lost');
      expect((await store.rowCounts()).authorization_codes).toBe(0);
    });

    it('changes nothing if its code cannot be stored', async () => {
      await bringTo('completed');
      await store.grants.issue(newCode('code'), { hash: digest('x'), expiresAt: START + 1 }, START);
      await expect(store.answers.consume('txn', { code: newCode('code') })).rejects.toMatchObject({
        code: 'store.failed',
      });
      expect(await find()).toMatchObject({ state: 'completed', accepted: ACCEPTED });
    });
  });

  describe('another code for a consumed sign-in', () => {
    const { clientId } = newCode('');
    const consume = async (): Promise<void> => {
      await bringTo('completed');
      await store.answers.consume('txn', { code: newCode('code-1', { txn: 'txn' }) });
    };
    const renew = (from: number, now = CODE_END): Promise<string> => {
      const code = newCode(`code-${from + 1}`, { txn: 'txn', codeExpiresAt: now + 9, expiresAt: now + 9 });
      return store.answers.renew({ txn: 'txn', from, former: digest(`code-${from}`), code }, now);
    };
    const use = async (name: string, now = CODE_END): Promise<string> =>
      (await store.grants.useCode(digest(name), clientId, name, now + 10_000, now)).outcome;

    it('takes the place of the former one, which even a clock that is behind no longer redeems', async () => {
      await consume();
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => renew(1)));
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'lost')).toHaveLength(7);
      expect(await find()).toMatchObject({ state: 'consumed', answers: 2 });
      expect([await use('code-1', START), await use('code-2')]).toEqual(['unknown', 'used']);
    });

    it('is not issued once the former one was redeemed, or the sign-in is over or was refused', async () => {
      await consume();
      expect(await renew(1, TRANSACTION_END)).toBe('lost');
      expect(await use('code-1', START)).toBe('used');
      expect(await renew(1)).toBe('lost');
      expect((await store.rowCounts()).authorization_codes).toBe(1);
    });

    it('is not issued if a node of an earlier release, which leaves the sign-in open, redeemed the former one', async () => {
      await bringTo('completed');
      await store.answers.consume('txn', { code: newCode('code-1') });
      expect(await use('code-1', START)).toBe('used');
      expect(await renew(1)).toBe('redeemed');
      expect((await store.rowCounts()).authorization_codes).toBe(1);
    });

    it('either takes the place or finds the former one redeemed, if both happen at once', async () => {
      await consume();
      for (let number = 1; ; number++) {
        const [renewed, used] = await Promise.all([renew(number), use(`code-${number}`, START)]);
        if (used === 'used') {
          expect(['lost', 'redeemed']).toContain(renewed);
          break;
        }
        expect([renewed, used]).toEqual(['stored', 'unknown']);
        if (number === 20) break;
      }
      const unused = await driver.read(pointOf('select 1 from authorization_codes where used_at is null'));
      const used = await driver.read(pointOf('select 1 from authorization_codes where used_at is not null'));
      expect(unused.length + used.length).toBe(1);
    });

    it.each(['refused', 'cancelled'] as const)('is not issued where the sign-in was %s', async (state) => {
      await bringTo(state);
      await store.answers.consume('txn', {});
      expect(await renew(1)).toBe('lost');
    });
  });

  describe('a consumed sign-in', () => {
    it('keeps the refusal of its end in place of what was accepted', async () => {
      await bringTo('completed');
      expect(await store.answers.consume('txn', { refusal: 'policy.credential_not_allowed' })).toBe(
        'consumed',
      );
      const code = 'policy.credential_not_allowed';
      expect(await find()).toMatchObject({ state: 'consumed', ended: 'refused', code, accepted: null });
    });

    it('is closed with the redemption of its code, which a refused redemption does not do', async () => {
      await bringTo('completed');
      const code = newCode('code', { txn: 'txn' });
      const proof = { hash: digest('proof'), expiresAt: START + 9 };
      await store.answers.consume('txn', { code });
      await store.grants.useProof(proof);
      const { request } = newTransaction('txn');
      const useWith = (used = proof, by = code.clientId): Promise<{ readonly outcome: string }> =>
        store.grants.useCode(code.codeHash, by, 'jti', START + 10_000, START, undefined, used);
      expect(await useWith(proof, 'another client')).toEqual({ outcome: 'unknown' });
      expect(await useWith()).toEqual({ outcome: 'proof_used' });
      expect(await find()).toMatchObject({ ended: 'completed', request });
      expect(await useWith({ ...proof, hash: digest('another proof') })).toMatchObject({ outcome: 'used' });
      expect(await find()).toMatchObject({ ended: 'redeemed', request: '' });
    });
  });

  describe('state transitions of a sign-in', () => {
    const transitions: Record<string, () => Promise<unknown>> = {
      storeAnswer: () => store.transactions.storeAnswer('txn', 1, ANSWER, START),
      complete: async () => (await complete()) === 'completed',
      fail: () => store.transactions.fail('txn', 1, FAILURE),
      refuse: () => store.transactions.refuse('txn', 1, 'access_denied'),
      retry: async () => (await retry(1)) === 'stored',
      cancel: () => store.transactions.cancel('txn'),
      consume: async () => (await store.answers.consume('txn', {})) === 'consumed',
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
      Object.keys(transitions)
        .filter((name) => !names.includes(name))
        .map((name) => [name, state as TransactionState] as const),
    );

    it.each(refused)('%s does nothing from %s', async (name, state) => {
      await bringTo(state);
      const before = await find();
      expect(await transitions[name]?.()).toBe(false);
      expect(await find()).toEqual(before);
    });

    it.each(
      Object.entries(allowed).flatMap(([state, names]) =>
        names.map((name) => [name, state as TransactionState] as const),
      ),
    )('%s succeeds from %s', async (name, state) => {
      await bringTo(state);
      expect(await transitions[name]?.()).toBe(true);
    });

    it('all fail for an unknown sign-in', async () => {
      for (const attempt of Object.values(transitions)) expect(await attempt()).toBe(false);
    });
  });
}
