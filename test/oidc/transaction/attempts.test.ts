// Rules: spec/sign-in.md#transaction-states
import { beforeEach, describe, expect, it } from 'vitest';
import { seal, sealText } from '../../support/crypto/sealed-message.ts';
import { opened } from '../../support/opened.ts';
import { approve, decline, openRequest, parseLink, proveRequest } from '../../support/test-wallet.ts';
import { START, startSignIns } from './support/sign-ins.ts';

const WINDOW_MS = 300_000;
const LEFT = 'The person left the sign-in page.';

describe('attempts of a sign-in', () => {
  const signIns = opened(startSignIns, 'end');
  beforeEach(() => {
    signIns.clock.now = START;
  });

  describe('an unusable answer fails the attempt', () => {
    it.each<[string, (key: Buffer) => { iv: string; payload: string }]>([
      ['sealed with another key', () => seal(Buffer.alloc(32, 1), { proof: '0x' })],
      ['not base64', () => ({ iv: 'not base64!', payload: '§' })],
      ['empty', () => ({ iv: '', payload: '' })],
      [
        'with an IV of another length',
        (key) => ({ ...seal(key, {}), iv: Buffer.alloc(16).toString('base64') }),
      ],
      ['shorter than a tag', (key) => ({ ...seal(key, {}), payload: 'AAAA' })],
      ['not JSON', (key) => sealText(key, 'proof')],
      ['JSON null', (key) => sealText(key, 'null')],
      ['a JSON list', (key) => sealText(key, '[{}]')],
    ])('%s', async (_, message) => {
      const signIn = await signIns.begin();
      const request = await openRequest(await signIn.connectUrl());
      expect(await request.answerRaw(message(request.link.key))).toBe(201);
      expect(await signIn.poll()).toMatchObject({
        state: 'failed',
        code: 'invalid_format',
        detail: 'The answer of the wallet could not be read. Please try again.',
        connectUrl: undefined,
      });
      expect(await signIn.row()).toMatchObject({ aesKey: null, answer: null });
    });

    it.each([
      ['without a proof', {}, 'invalid_format'],
      ['with an error code that is not text', { error_code: 7 }, 'invalid_format'],
      ['with a false proof', { isFalse: true }, 'invalid_proof'],
      ['with a proof over an unknown root', { root: new Uint8Array(32).fill(1) }, 'invalid_merkle_root'],
    ])('%s', async (_, change, code) => {
      const signIn = await signIns.begin();
      const request = await openRequest(await signIn.connectUrl());
      const isProof = 'isFalse' in change || 'root' in change;
      await request.answer(isProof ? await proveRequest(request.plaintext, change) : change);
      expect(await signIn.poll()).toMatchObject({ state: 'failed', code });
    });
  });

  it('can be tried again with a new signal, key and request, which invalidate the old ones', async () => {
    const before = await signIns.counted('retried');
    const signIn = await signIns.begin();
    const oldUrl = await signIn.connectUrl();
    const old = await openRequest(oldUrl);
    await old.answer(await proveRequest(old.plaintext, { isFalse: true }));
    expect(await signIn.poll()).toMatchObject({ state: 'failed', attemptsLeft: 4 });
    signIns.clock.now += 10_000;
    await signIn.retry();
    expect(await signIn.poll()).toMatchObject({
      state: 'waiting',
      attemptsLeft: 3,
      code: null,
      expiresInSeconds: 300,
    });
    const url = await signIn.connectUrl();
    const [oldLink, link] = [parseLink(oldUrl), parseLink(url)];
    expect(link.requestId).not.toBe(oldLink.requestId);
    expect(link.key).not.toEqual(oldLink.key);
    const request = await openRequest(url);
    expect(request.plaintext.signal).not.toBe(old.plaintext.signal);
    expect(await old.answer(await proveRequest(old.plaintext))).toBe(400);
    await request.answer(await proveRequest(old.plaintext));
    expect(await signIn.poll()).toMatchObject({ state: 'failed', code: 'invalid_proof' });
    await signIn.retry();
    await approve(await signIn.connectUrl());
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    expect(await signIns.counted('retried')).toBe(before + 2);
  });

  it('can be begun again while the first one waits, whose request is then removed', async () => {
    const signIn = await signIns.begin();
    const oldUrl = await signIn.connectUrl();
    await signIn.retry();
    await expect(openRequest(oldUrl)).rejects.toThrow('404');
    await approve(await signIn.connectUrl());
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
  });

  it('are limited to five; the next try ends the sign-in with the reason of the failure', async () => {
    const signIn = await signIns.begin();
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(await signIn.poll()).toMatchObject({ state: 'waiting', attemptsLeft: 5 - attempt });
      await approve(await signIn.connectUrl(), { isFalse: true });
      expect(await signIn.poll()).toMatchObject({ state: 'failed' });
      await signIn.retry();
    }
    expect(await signIn.poll()).toMatchObject({ state: 'cancelled' });
    expect(await signIn.finish()).toMatchObject({
      error: 'access_denied',
      error_description: 'The proof is not valid for this sign-in. Please try again.',
    });
  });

  it('expire with their window, and can be tried again', async () => {
    const signIn = await signIns.begin();
    const late = await openRequest(await signIn.connectUrl());
    signIns.clock.now += WINDOW_MS;
    expect(await signIn.poll()).toMatchObject({ state: 'connected', expiresInSeconds: 0 });
    signIns.clock.now += 1;
    expect(await signIn.poll()).toMatchObject({ state: 'expired', code: null, connectUrl: undefined });
    expect(await late.answer(await proveRequest(late.plaintext))).toBe(201);
    expect(await signIn.poll()).toMatchObject({ state: 'expired' });
    expect((await signIn.row())?.state).toBe('waiting');
    await signIn.retry();
    await approve(await signIn.connectUrl());
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
  });

  it('accept an answer that arrived in time, however late the browser polls', async () => {
    const signIn = await signIns.begin();
    const url = await signIn.connectUrl();
    signIns.clock.now += WINDOW_MS;
    await approve(url);
    signIns.clock.now += 60_000;
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
  });

  it('end when the sign-in expires, which is unknown from then on', async () => {
    const signIn = await signIns.begin();
    signIns.clock.now += 890_000;
    await signIn.retry();
    expect(await signIn.poll()).toMatchObject({ expiresInSeconds: 10 });
    signIns.clock.now += 10_000;
    await expect(signIn.open()).rejects.toMatchObject({ code: 'transaction.not_found' });
  });

  it('end when the person cancels, from waiting, from expired and from failed', async () => {
    const waiting = await signIns.begin();
    const url = await waiting.connectUrl();
    await waiting.cancel();
    await expect(openRequest(url)).rejects.toThrow('404');
    expect(await waiting.poll()).toMatchObject({ state: 'cancelled', code: 'access_denied', detail: LEFT });
    await waiting.retry();
    const left = {
      error: 'access_denied',
      error_description: LEFT,
      state: 'af0ifjsldkj',
      iss: signIns.baseUrl,
    };
    expect(await waiting.finish()).toEqual(left);
    expect(await waiting.finish()).toEqual(left);

    const expired = await signIns.begin();
    signIns.clock.now += WINDOW_MS + 1;
    await expired.cancel();
    expect(await expired.finish()).toMatchObject({ error_description: LEFT });

    const failed = await signIns.begin();
    await approve(await failed.connectUrl(), { root: new Uint8Array(32).fill(1) });
    await failed.poll();
    await failed.cancel();
    expect(await failed.finish()).toMatchObject({
      error: 'access_denied',
      error_description: 'The proof was made with a list of people that this service does not know.',
    });
  });

  it('cannot be changed by retry or cancel once the sign-in is final', async () => {
    const completed = await signIns.begin();
    await approve(await completed.connectUrl());
    await completed.poll();
    await completed.retry();
    await completed.cancel();
    expect(await completed.poll()).toMatchObject({ state: 'completed' });

    const refused = await signIns.begin();
    await decline(await refused.connectUrl());
    await refused.poll();
    await refused.retry();
    await refused.cancel();
    expect(await refused.poll()).toMatchObject({ state: 'refused' });
  });

  it('deliver nothing before they are final', async () => {
    const signIn = await signIns.begin();
    const finish = async (): Promise<unknown> =>
      signIns.transactions.finish(await signIn.open(), { session: undefined, known: undefined });
    expect(await finish()).toEqual({ kind: 'pending' });
    await approve(await signIn.connectUrl(), { isFalse: true });
    await signIn.poll();
    expect(await finish()).toEqual({ kind: 'pending' });
  });
});
