// Rules: spec/sign-in.md#transaction-states and spec/sign-in.md#spent-proofs
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTransactions } from '../../../src/oidc/transaction/create-transactions.ts';
import { hashSignal } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { seal } from '../../support/crypto/sealed-message.ts';
import { opened } from '../../support/opened.ts';
import { negated, openRequest, proveRequest, type WalletAnswer } from '../../support/test-wallet.ts';
import { type BrowserSignIn, browserOf, START, startSignIns } from './support/sign-ins.ts';

const PARALLEL = 20;
const DAY_MS = 86_400_000;

describe('a sign-in, against replays and races', () => {
  const signIns = opened(startSignIns, 'end');

  /** Answers a sign-in with `change` applied to a valid answer; returns the valid one. */
  async function answerWith(
    signIn: BrowserSignIn,
    change: (answer: WalletAnswer) => unknown = (answer) => answer,
  ): Promise<WalletAnswer> {
    const request = await openRequest(await signIn.connectUrl());
    const answer = await proveRequest(request.plaintext);
    expect(await request.answer(change(answer))).toBe(201);
    return answer;
  }

  it('refuses the proof of another sign-in', async () => {
    const one = await signIns.begin();
    const other = await signIns.begin();
    const proof = await answerWith(one);
    await answerWith(other, () => proof);
    expect(await one.poll()).toMatchObject({ state: 'completed' });
    expect(await other.poll()).toMatchObject({ state: 'failed', code: 'invalid_proof' });
  });

  it("refuses another client's proof", async () => {
    const { clientId } = await signIns.addClient();
    const one = await signIns.begin();
    const request = await openRequest(await one.connectUrl());
    await request.answer(await proveRequest(request.plaintext, { appId: clientId }));
    expect(await one.poll()).toMatchObject({ state: 'failed', code: 'invalid_proof' });
  });

  it('accepts a proof whose A and B are negated', async () => {
    const signIn = await signIns.begin();
    await answerWith(signIn, (answer) => ({ ...answer, proof: negated(answer.proof) }));
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
  });

  it('does not change by further answers, in whatever form, which the bridge refuses', async () => {
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
    // Even if a stranger stores a request under the id again and the bridge accepts an answer, it is not read.
    const { requestId, key } = request.link;
    const room = { addressKey: 'stranger', networkKey: 'stranger', limits: signIns.config.bridge };
    expect(await signIns.store.bridge.putRequest(requestId, seal(key, {}), room, START)).toBe('stored');
    expect(await request.answer({ ...answer, proof: negated(answer.proof) })).toBe(201);
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    expect(await signIn.row()).toEqual(before);
    const { code } = await signIn.finish();
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await request.answer(answer)).toBe(400);
    expect(await signIn.finish()).toMatchObject({ code });
  });

  it('completes once under parallel polls and continues in two services over one store, which all get the same code', async () => {
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
    const codesBefore = (await store.rowCounts()).authorization_codes ?? 0;
    const ends = await Promise.all(browsers.map((browser) => browser.finish()));
    const codes = [...new Set(ends.map(({ code }) => code))];
    expect(codes).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)]);
    expect((await store.rowCounts()).authorization_codes).toBe(codesBefore + 1);
    const hash = Uint8Array.from(
      createHash('sha256')
        .update(codes[0] ?? '')
        .digest(),
    );
    const use = await store.grants.useCode(hash, signIns.web.clientId, 'jti', START + DAY_MS, START);
    expect(use.outcome).toBe('used');
  });

  it('counts one access token under parallel continues', async () => {
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
    const ends = await Promise.all(Array.from({ length: PARALLEL }, () => signIn.finish()));
    expect(ends.map(({ access_token }) => typeof access_token)).toEqual(ends.map(() => 'string'));
    expect(await counted()).toBe(before + 1);
  });

  it('lets one of retry, cancel and answer win, and never has two attempts at the same time', async () => {
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

  it('begins one attempt for two concurrent retries', async () => {
    const signIn = await signIns.begin();
    const open = await signIn.open();
    const before = await signIns.store.rowCounts();
    await Promise.all([signIns.transactions.retry(open), signIns.transactions.retry(open)]);
    expect((await signIn.row())?.attempt).toBe(2);
    const { signin_transactions: transactions } = await signIns.store.rowCounts();
    expect(transactions).toBe(before.signin_transactions);
  });

  describe('at a client whose nonce is the signal', () => {
    it('refuses a second use of the nonce with the specified text, even if the proof was re-encoded or made again', async () => {
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

    it('remembers the nonce for 30 days from the accepted proof, and no nonce of a refused one', async () => {
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
      onTestFinished(() => {
        signIns.clock.now = START;
      });
      const soon = await signIns.begin(request);
      await answerWith(soon);
      expect(await soon.poll()).toMatchObject({ state: 'failed' });
      signIns.clock.now += 1;
      const later = await signIns.begin(request);
      await answerWith(later);
      expect(await later.poll()).toMatchObject({ state: 'completed' });
    });

    it('completes one of two concurrent sign-ins with one nonce', async () => {
      const { clientId, redirectUri } = await signIns.addClient({ signalIsNonce: true });
      const request = { clientId, redirectUri, nonce: 'race' };
      const both = await Promise.all([signIns.begin(request), signIns.begin(request)]);
      for (const signIn of both) await answerWith(signIn);
      const states = await Promise.all(both.map(async (signIn) => (await signIn.poll()).state));
      expect(states.sort()).toEqual(['completed', 'failed']);
    });
  });

  it('accepts a repeated nonce at any other client, whose signal is new each time', async () => {
    for (let round = 0; round < 2; round++) {
      const signIn = await signIns.begin({ nonce: 'the same' });
      await answerWith(signIn);
      expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    }
  });
});
