import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransactions } from '../../../src/oidc/transaction/index.ts';
import { hashSignal, toHex } from '../../../src/semaphore/index.ts';
import { negated, openRequest, proveRequest, seal, type WalletAnswer } from '../../support/test-wallet.ts';
import { type BrowserSignIn, browserOf, type SignIns, START, startSignIns } from './support/sign-ins.ts';

const PARALLEL = 20;
const DAY_MS = 86_400_000;

describe('replays, crossings and races', () => {
  let signIns: SignIns;
  beforeAll(async () => {
    signIns = await startSignIns();
  });
  afterAll(() => signIns.end());

  /** Answers a sign-in with what `change` makes of a valid answer; gives the valid one. */
  async function answerWith(
    signIn: BrowserSignIn,
    change: (answer: WalletAnswer) => unknown = (answer) => answer,
  ): Promise<WalletAnswer> {
    const request = await openRequest(await signIn.connectUrl());
    const answer = await proveRequest(request.plaintext);
    expect(await request.answer(change(answer))).toBe(201);
    return answer;
  }

  it('of a proof into another sign-in is invalid there', async () => {
    const one = await signIns.begin();
    const other = await signIns.begin();
    const proof = await answerWith(one);
    await answerWith(other, () => proof);
    expect(await one.poll()).toMatchObject({ state: 'completed' });
    expect(await other.poll()).toMatchObject({ state: 'failed', code: 'invalid_proof' });
  });

  it("of another client's proof is invalid", async () => {
    const { clientId } = await signIns.addClient();
    const one = await signIns.begin();
    const request = await openRequest(await one.connectUrl());
    await request.answer(await proveRequest(request.plaintext, { appId: clientId }));
    expect(await one.poll()).toMatchObject({ state: 'failed', code: 'invalid_proof' });
  });

  it('by negating A and B is simply valid, once', async () => {
    const signIn = await signIns.begin();
    await answerWith(signIn, (answer) => ({ ...answer, proof: negated(answer.proof) }));
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
  });

  it('after the answer is refused by the bridge and changes nothing, in whatever form', async () => {
    const signIn = await signIns.begin();
    const request = await openRequest(await signIn.connectUrl());
    const answer = await proveRequest(request.plaintext);
    expect(await request.answer(answer)).toBe(201);
    const second = await proveRequest(request.plaintext, { person: 'mallory' });
    expect(await request.answer(second)).toBe(400);
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    const before = await signIn.row();
    const forms = [answer.proof, `0x${answer.proof.slice(2).toUpperCase()}`, negated(answer.proof)];
    for (const proof of forms) {
      expect(await request.answer({ ...answer, proof })).toBe(400);
      expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    }
    // Even where a stranger gives the id a request again, so that the bridge takes an answer, nobody reads it.
    const { requestId, key } = request.link;
    const room = { addressKey: 'stranger', networkKey: 'stranger', limits: signIns.config.bridge };
    expect(await signIns.store.bridge.putRequest(requestId, seal(key, {}), room, START)).toBe('stored');
    expect(await request.answer({ ...answer, proof: negated(answer.proof) })).toBe(201);
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    expect(await signIn.row()).toEqual(before);
    const { code } = await signIn.finish();
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    await expect(signIn.poll()).rejects.toMatchObject({ code: 'transaction.finished' });
  });

  it('by parallel polls and continues, in two services over one store, gives one completion and one code', async () => {
    const { store, transactions, options } = signIns;
    const second = createTransactions(options);
    const before = await signIns.counted('completed');
    const signIn = await signIns.begin();
    await answerWith(signIn);
    const now = (): number => signIns.clock.now;
    const browsers = Array.from({ length: PARALLEL }, (_, index) =>
      browserOf(signIn.txn, signIn.cookie, index % 2 === 0 ? transactions : second, store, now),
    );
    const views = await Promise.all(browsers.map((browser) => browser.poll()));
    expect(new Set(views.map(({ state }) => state))).toEqual(new Set(['completed']));
    expect(await signIns.counted('completed')).toBe(before + 1);
    const ends = await Promise.allSettled(browsers.map((browser) => browser.finish()));
    const codes = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.code ?? ''] : []));
    expect(codes).toHaveLength(1);
    const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
    expect(new Set(refusals)).toEqual(new Set(['transaction.finished']));
    const hash = Uint8Array.from(
      createHash('sha256')
        .update(codes[0] ?? '')
        .digest(),
    );
    const use = await store.grants.useCode(hash, signIns.web.clientId, 'jti', START + DAY_MS, START);
    expect(use.outcome).toBe('used');
  });

  it('by parallel continues counts the access token of the one that is delivered', async () => {
    const counted = async (): Promise<number> =>
      (await signIns.metrics.tokenIssuedTotal.get()).values.find(({ labels }) => labels.grant === 'implicit')
        ?.value ?? 0;
    const before = await counted();
    const signIn = await signIns.begin({
      responseType: 'id_token token',
      responseMode: 'fragment',
      nonce: 'n',
    });
    await answerWith(signIn);
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    const ends = await Promise.allSettled(Array.from({ length: PARALLEL }, () => signIn.finish()));
    const delivered = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.access_token] : []));
    expect(delivered).toEqual([expect.any(String)]);
    expect(await counted()).toBe(before + 1);
  });

  it('between retry, cancel and an answer has one winner, and never two attempts at once', async () => {
    for (let round = 0; round < 10; round++) {
      const signIn = await signIns.begin();
      await answerWith(signIn);
      await Promise.all([signIn.poll(), signIn.retry(), signIn.cancel(), signIn.retry(), signIn.poll()]);
      const row = await signIn.row();
      expect(['waiting', 'completed', 'cancelled']).toContain(row?.state);
      expect(row?.attempt).toBeLessThanOrEqual(3);
      if (row?.state !== 'completed') expect(row?.accepted).toBeNull();
    }
  });

  it('between two retries begins one attempt', async () => {
    const signIn = await signIns.begin();
    const open = await signIn.open();
    await Promise.all([signIns.transactions.retry(open), signIns.transactions.retry(open)]);
    expect((await signIn.row())?.attempt).toBe(2);
    expect((await signIns.store.rowCounts()).signin_transactions).toBeGreaterThan(0);
  });

  describe('at a client whose nonce is the signal', () => {
    it('fails with the specified words, also when the proof was re-encoded or made anew', async () => {
      const { clientId, redirectUri } = await signIns.addClient({ signalIsNonce: true });
      const request = { clientId, redirectUri, nonce: 'n-\u0000-é' };
      const first = await signIns.begin(request);
      const { plaintext } = await openRequest(await first.connectUrl());
      expect(plaintext.signal).toBe(toHex(hashSignal(request.nonce)));
      await first.retry();
      const proof = await answerWith(first);
      expect(await first.poll()).toMatchObject({ state: 'completed' });
      for (const change of [
        (): WalletAnswer => proof,
        (): WalletAnswer => ({ ...proof, proof: negated(proof.proof) }),
        (fresh: WalletAnswer): WalletAnswer => fresh,
      ]) {
        const again = await signIns.begin(request);
        await answerWith(again, change);
        expect(await again.poll()).toMatchObject({
          state: 'failed',
          code: 'invalid_proof',
          detail: 'This proof has already been used. Please try again.',
        });
      }
      const otherNonce = await signIns.begin({ ...request, nonce: 'n-2' });
      await answerWith(otherNonce, () => proof);
      expect(await otherNonce.poll()).toMatchObject({ state: 'failed', code: 'invalid_proof' });
      await otherNonce.retry();
      await answerWith(otherNonce);
      expect(await otherNonce.poll()).toMatchObject({ state: 'completed' });
    });

    it('is told by the record for 30 days, and not before the proof was accepted', async () => {
      const { clientId, redirectUri } = await signIns.addClient({ signalIsNonce: true });
      const request = { clientId, redirectUri, nonce: 'once' };
      const refused = await signIns.begin({ ...request, requiresOrb: true });
      const device = await openRequest(await refused.connectUrl());
      await device.answer(await proveRequest(device.plaintext, { tree: 'device' }));
      expect(await refused.poll()).toMatchObject({ state: 'refused' });
      const first = await signIns.begin(request);
      await answerWith(first);
      expect(await first.poll()).toMatchObject({ state: 'completed' });
      signIns.clock.now += 30 * DAY_MS - 1;
      try {
        const soon = await signIns.begin(request);
        await answerWith(soon);
        expect(await soon.poll()).toMatchObject({ state: 'failed' });
        signIns.clock.now += 1;
        const later = await signIns.begin(request);
        await answerWith(later);
        expect(await later.poll()).toMatchObject({ state: 'completed' });
      } finally {
        signIns.clock.now = START;
      }
    });

    it('is found in a race too: of two sign-ins with one nonce, one completes', async () => {
      const { clientId, redirectUri } = await signIns.addClient({ signalIsNonce: true });
      const request = { clientId, redirectUri, nonce: 'race' };
      const both = await Promise.all([signIns.begin(request), signIns.begin(request)]);
      for (const signIn of both) await answerWith(signIn);
      const states = await Promise.all(both.map(async (signIn) => (await signIn.poll()).state));
      expect(states.sort()).toEqual(['completed', 'failed']);
    });
  });

  it('at any other client is told by nothing but the signal: a repeated nonce signs in again', async () => {
    for (let round = 0; round < 2; round++) {
      const signIn = await signIns.begin({ nonce: 'the same' });
      await answerWith(signIn);
      expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    }
  });
});
