import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TransactionState } from '../../../src/storage/signin/transactions.ts';
import { type PendingSignIn, readAnswer, type SignInParameters } from '../../support/signin/driver.ts';
import { type KillableSignin, startKillableSignin } from '../../support/signin/killable-signin.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { approve, decline, openRequest, proveRequest } from '../../support/test-wallet.ts';

// One kill and restart for each state of spec/sign-in.md#transaction-states, and for each guarantee about
// codes and tokens.
describe('the service killed with SIGKILL while a sign-in is in a state', () => {
  const dataDir = temporaryFolder('states', afterAll);
  let service: KillableSignin;

  beforeAll(async () => {
    service = await startKillableSignin(dataDir);
  });

  afterAll(async () => {
    const code = await service?.stop();
    expect(code).toBe(0);
  });

  const restart = async (): Promise<void> => {
    await service.kill();
    await service.start();
  };
  const stateOf = ({ txn }: PendingSignIn): Promise<TransactionState | undefined> =>
    service.withStore(async (store) => (await store.transactions.find(txn, Date.now()))?.state);
  /** Kills while the row is in this state, and returns the reopened sign-in of the same browser. */
  const killIn = async (state: TransactionState, signIn: PendingSignIn): Promise<PendingSignIn> => {
    expect(await stateOf(signIn)).toBe(state);
    await restart();
    expect(await stateOf(signIn)).toBe(state);
    return await service.reopen(signIn);
  };
  const completed = async (parameters?: SignInParameters): Promise<PendingSignIn> => {
    const signIn = await service.begin(parameters);
    await approve(signIn.connectUrl);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    return signIn;
  };
  const codeOf = async (signIn: PendingSignIn): Promise<string> => {
    const { parameters } = await signIn.finish();
    expect(parameters).toMatchObject({ code: expect.stringMatching(/^[\w-]{43}$/), state: 'the-state' });
    return parameters.code ?? '';
  };
  const newCode = async (): Promise<string> => codeOf(await completed({ state: 'the-state' }));
  const tokenOf = async (code: string): Promise<string> => {
    const { status, accessToken = '' } = await service.redeem(code);
    expect([status, await service.userinfo(accessToken)]).toEqual([200, 200]);
    return accessToken;
  };
  /** Completes a sign-in whose wallet has answered, up to the tokens. */
  const expectTokens = async (signIn: PendingSignIn): Promise<void> => {
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    await tokenOf(await codeOf(signIn));
  };

  it('waiting: the wallet opens the same QR code and the sign-in completes', async () => {
    const begun = await service.begin({ state: 'the-state' });
    const signIn = await killIn('waiting', begun);
    expect(signIn.connectUrl).toBe(begun.connectUrl);
    expect(await signIn.status()).toMatchObject({ status: 'waiting' });
    await approve(begun.connectUrl);
    await expectTokens(signIn);
  });

  it('waiting, with the request in the wallet: the wallet answers', async () => {
    const begun = await service.begin({ state: 'the-state' });
    const request = await openRequest(begun.connectUrl);
    const signIn = await killIn('waiting', begun);
    expect(await signIn.status()).toMatchObject({ status: 'connected' });
    expect(await request.answer(await proveRequest(request.plaintext))).toBe(201);
    await expectTokens(signIn);
  });

  it('waiting, with the answer on the bridge: the answer is accepted', async () => {
    const begun = await service.begin({ state: 'the-state' });
    await approve(begun.connectUrl);
    await expectTokens(await killIn('waiting', begun));
  });

  it('answered: the answer is judged again', async () => {
    const begun = await service.begin({ state: 'the-state' });
    await approve(begun.connectUrl);
    // a poll stops here when the process ends between its two updates
    await service.withStore(async (store) => {
      expect(await store.transactions.takeAnswer(begun.txn, 1, Date.now())).toBe(true);
    });
    await expectTokens(await killIn('answered', begun));
  });

  it('failed: the person tries again', async () => {
    const begun = await service.begin({ state: 'the-state' });
    await approve(begun.connectUrl, { isFalse: true });
    expect(await begun.settle()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
    const signIn = await killIn('failed', begun);
    expect(await signIn.status()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
    expect((await signIn.retry()).status).toBe(303);
    const connectUrl = await signIn.readConnectUrl();
    expect(connectUrl).not.toBe(begun.connectUrl);
    await approve(connectUrl);
    await expectTokens(signIn);
  });

  it('waiting again after a retry: the new attempt completes', async () => {
    const begun = await service.begin({ state: 'the-state' });
    await begun.retry();
    const connectUrl = await begun.readConnectUrl();
    const signIn = await killIn('waiting', begun);
    expect(signIn.connectUrl).toBe(connectUrl);
    await expect(openRequest(begun.connectUrl)).rejects.toThrow('404');
    await approve(connectUrl);
    await expectTokens(signIn);
  });

  it('completed: the proof is not lost', async () => {
    await expectTokens(await killIn('completed', await completed({ state: 'the-state' })));
  });

  it('refused: the relying party receives the error', async () => {
    const begun = await service.begin({ state: 'the-state' });
    await decline(begun.connectUrl);
    expect(await begun.settle()).toMatchObject({ status: 'refused' });
    const signIn = await killIn('refused', begun);
    expect((await signIn.finish()).parameters).toMatchObject({ error: 'access_denied', state: 'the-state' });
  });

  it('cancelled: the relying party receives the error', async () => {
    const begun = await service.begin({ state: 'the-state' });
    expect((await begun.cancel()).status).toBe(303);
    const signIn = await killIn('cancelled', begun);
    expect((await signIn.finish()).parameters).toMatchObject({ error: 'access_denied', state: 'the-state' });
  });

  it('consumed: the browser gets the same response again, and the code stays valid', async () => {
    const begun = await completed({ state: 'the-state' });
    const code = await codeOf(begun);
    const signIn = await killIn('consumed', begun);
    expect(await codeOf(signIn)).toBe(code);
    await tokenOf(code);
    expect((await signIn.continue()).status).toBe(403);
  });

  it('a used code stays used, and a second use revokes the token of the first', async () => {
    const code = await newCode();
    const token = await tokenOf(code);
    await restart();
    expect(await service.userinfo(token)).toBe(200);
    expect(await service.redeem(code)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await service.userinfo(token)).toBe(401);
    await restart();
    expect(await service.userinfo(token)).toBe(401);
    expect(await service.redeem(code)).toMatchObject({ status: 400, error: 'invalid_grant' });
  });

  it('a revoked token stays revoked', async () => {
    const token = await tokenOf(await newCode());
    expect(await service.revoke(token)).toBe(200);
    await restart();
    expect(await service.userinfo(token)).toBe(401);
  });

  it('a spent proof stays spent', async () => {
    const { clientId, redirectUri } = await service.addClient({ signalIsNonce: true });
    const parameters = { client_id: clientId, redirect_uri: redirectUri, nonce: 'the-nonce' };
    const first = await service.begin(parameters);
    await approve(first.connectUrl);
    expect(await first.settle()).toMatchObject({ status: 'completed' });
    const signIn = await service.begin(parameters);
    const request = await openRequest(signIn.connectUrl);
    await restart();
    expect(await request.answer(await proveRequest(request.plaintext))).toBe(201);
    const second = await service.reopen(signIn);
    expect(await second.settle()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
    expect(await readAnswer(await first.continue())).toMatchObject({ mode: 'query' });
  });

  it('a pushed request begins sign-ins after restarts until one of them has ended', async () => {
    const request_uri = await service.push({ state: 'the-state' });
    await restart();
    const signIn = await service.begin({ request_uri });
    await restart();
    await service.begin({ request_uri });
    const reopened = await service.reopen(signIn);
    await approve(reopened.connectUrl);
    expect(await reopened.settle()).toMatchObject({ status: 'completed' });
    const code = await codeOf(reopened);
    await restart();
    await expect(service.begin({ request_uri })).rejects.toThrow('/authorize: 400');
    expect(await codeOf(await service.reopen(signIn))).toBe(code);
    await tokenOf(code);
  });
});
