// Rules: spec/sign-in.md#transaction-states
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTransactions } from '../../../src/oidc/transaction/create-transactions.ts';
import { hashSignal } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { opened } from '../../support/opened.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';
import {
  approve,
  decline,
  negated,
  nullifierOf,
  openRequest,
  parseLink,
  proveRequest,
} from '../../support/test-wallet.ts';
import { browserOf, START, startSignIns } from './support/sign-ins.ts';

describe('a sign-in', () => {
  const signIns = opened(startSignIns, 'end');

  it('leads from the request through the wallet to a code, which can be had again until it is redeemed', async () => {
    const before = await signIns.counted('completed');
    const signIn = await signIns.begin({ scope: ['openid', 'email'] });
    expect(await signIn.poll()).toMatchObject({
      txn: signIn.txn,
      state: 'waiting',
      expiresInSeconds: 300,
      code: null,
      detail: null,
      clientId: signIns.web.clientId,
      clientName: 'Demo Shop',
      hasLogo: false,
      redirectHost: 'shop.example',
      isStaging: true,
      scopes: ['openid', 'email'],
      requiresOrb: false,
      attemptsLeft: 4,
    });
    const request = await openRequest(await signIn.connectUrl());
    expect(await signIn.poll()).toMatchObject({ state: 'connected' });
    const row = await signIn.row();
    expect(request.plaintext).toEqual({
      app_id: signIns.web.clientId,
      action_description: 'Sign in to Demo Shop (shop.example)',
      action: '',
      signal: toHex(hashSignal(row?.signal ?? '')),
      credential_types: ['orb', 'device'],
      verification_level: 'device',
    });
    expect(row?.signal).toMatch(/^siwi:[A-Za-z0-9_-]{43}$/);

    const second = await signIns.begin();
    await approve(await second.connectUrl());
    expect(await second.poll()).toMatchObject({ state: 'completed', connectUrl: undefined });
    expect((await second.row())?.accepted).toEqual({
      sub: await nullifierOf('alice', signIns.web.clientId),
      level: 'orb',
      authTime: START,
    });
    const answer = await second.finish();
    expect(Object.keys(answer)).toEqual(['code', 'state', 'iss']);
    expect(await second.finish()).toEqual(answer);
    expect(await second.poll()).toMatchObject({ state: 'completed' });
    const codeHash = createHash('sha256')
      .update(answer.code ?? '')
      .digest();
    const use = await signIns.store.grants.useCode(
      Uint8Array.from(codeHash),
      signIns.web.clientId,
      'jti',
      START + 3_600_000,
      START,
    );
    expect(use).toMatchObject({ outcome: 'used', row: { redirectUri: signIns.web.redirectUri } });
    await expect(second.finish()).rejects.toMatchObject({ code: 'transaction.redeemed' });
    await expect(second.poll()).rejects.toMatchObject({ code: 'transaction.redeemed' });
    expect(await signIns.counted('completed')).toBe(before + 1);
  });

  it('is open to the browser that has its cookie, and to no other', async () => {
    const { transactions } = signIns;
    const one = await signIns.begin();
    const other = await signIns.begin();
    const refused = { code: 'transaction.not_found' };
    await expect(transactions.open(one.txn, undefined)).rejects.toMatchObject(refused);
    await expect(transactions.open(one.txn, other.cookie)).rejects.toMatchObject(refused);
    await expect(transactions.open(one.txn, '')).rejects.toMatchObject(refused);
    await expect(transactions.open(`${one.txn}x`, one.cookie)).rejects.toMatchObject(refused);
    await expect(transactions.open('\0', one.cookie)).rejects.toMatchObject(refused);
    await expect(transactions.open(other.txn, one.cookie)).rejects.toMatchObject(refused);
    expect((await transactions.open(one.txn, one.cookie)).row.txn).toBe(one.txn);
  });

  it('keeps no AES key, no ciphertext and no bridge row once it has completed', async () => {
    const signIn = await signIns.begin();
    const url = await signIn.connectUrl();
    await approve(url);
    await signIn.poll();
    expect(await signIn.row()).toMatchObject({ state: 'completed', aesKey: null, answer: null });
    const { requestId } = parseLink(url);
    expect(await signIns.store.bridge.takeAnswer(requestId, START)).toBeUndefined();
  });

  it('requests orb alone if the app does', async () => {
    const signIn = await signIns.begin({ requiresOrb: true });
    const { plaintext } = await openRequest(await signIn.connectUrl());
    expect(plaintext).toMatchObject({ credential_types: ['orb'], verification_level: 'orb' });
  });

  it('has the device level for a proof over that tree, and ends with its own error if orb is required', async () => {
    const lenient = await signIns.begin();
    await approve(await lenient.connectUrl(), { tree: 'device' });
    expect(await lenient.poll()).toMatchObject({ state: 'completed' });
    expect((await lenient.row())?.accepted?.level).toBe('device');

    const strict = await signIns.begin({ requiresOrb: true });
    await approve(await strict.connectUrl(), { tree: 'device' });
    expect(await strict.poll()).toMatchObject({
      state: 'refused',
      code: 'unmet_authentication_requirements',
    });
    expect(await strict.finish()).toEqual({
      error: 'unmet_authentication_requirements',
      error_description: 'The app asks for an orb proof, and the wallet showed another credential.',
      state: 'af0ifjsldkj',
      iss: signIns.baseUrl,
    });
  });

  it('yields one sub per person in both trees, and another one at another client', async () => {
    const subs = [];
    const other = await signIns.addClient();
    for (const [tree, clientId] of [
      ['orb', signIns.web.clientId],
      ['device', signIns.web.clientId],
      ['orb', other.clientId],
    ] as const) {
      const signIn = await signIns.begin({ clientId });
      await approve(await signIn.connectUrl(), { tree, person: 'bob' });
      await signIn.poll();
      subs.push(toHex((await signIn.row())?.accepted?.sub ?? new Uint8Array()));
    }
    expect(subs[0]).toBe(subs[1]);
    expect(subs[2]).not.toBe(subs[0]);
  });

  it.each([
    ['com.example.shop:/cb', 'com.example.shop'],
    ['com.example.shop://bank.example/cb', 'com.example.shop'],
    ['myshop://bank.example', 'myshop'],
  ])(
    'names the scheme of the private redirect URI %s, not what looks like a host',
    async (redirectUri, name) => {
      const native = await signIns.addClient({
        applicationType: 'native',
        allowShortScheme: true,
        redirectUris: [redirectUri],
      });
      const signIn = await signIns.begin({ clientId: native.clientId, redirectUri });
      expect(await signIn.poll()).toMatchObject({ redirectHost: name });
    },
  );

  it('is refused when too many are open, and counted', async () => {
    const few = await startSignIns({ settings: { 'signin.maxPendingTransactions': '2' } });
    onTestFinished(() => few.end());
    await few.begin();
    await few.begin();
    await expect(few.begin()).rejects.toMatchObject({ code: 'transaction.too_many' });
    expect(await few.counted('too_many')).toBe(1);
    expect(await few.counted('begun')).toBe(2);
  });

  it('is refused if its client has its share of sign-ins open, while another client continues', async () => {
    const settings = { 'signin.maxPendingTransactions': '400', 'signin.maxPendingPercentPerClient': '25' };
    const few = await startSignIns({ settings });
    onTestFinished(() => few.end());
    const other = await few.addClient();
    for (let count = 0; count < 100; count++) await few.begin();
    await expect(few.begin()).rejects.toMatchObject({ code: 'transaction.too_many_of_client' });
    expect(await few.counted('client_full')).toBe(1);
    await few.begin({ clientId: other.clientId, redirectUri: other.redirectUri });
    expect(await few.store.rowCounts()).toMatchObject({ signin_transactions: 101, bridge_messages: 101 });
  });

  it('is refused if the open requests of its client take too many bytes', async () => {
    const few = await startSignIns({ settings: { 'signin.maxPendingBytes': '1048576' } });
    onTestFinished(() => few.end());
    const state = 'x'.repeat(60_000);
    for (let count = 0; count < 7; count++) await few.begin({ state });
    await expect(few.begin({ state })).rejects.toMatchObject({ code: 'transaction.too_many_of_client' });
    await few.begin();
  });

  it('is refused if its network has begun as many bytes as it may, finished or not', async () => {
    const few = await startSignIns({ settings: { 'signin.maxBegunBytesPerNetwork': '13500' } });
    onTestFinished(() => few.end());
    const first = await few.begin();
    await first.cancel();
    await first.finish();
    await few.begin();
    await expect(few.begin()).rejects.toMatchObject({ code: 'transaction.too_many_of_network' });
    expect(await few.counted('network_full')).toBe(1);
    few.clock.now += 15 * 60_000 + 60_000;
    await few.begin();
  });

  it('has its place on the own bridge, however full others made it', async () => {
    const few = await startSignIns({ settings: { 'bridge.maxEntries': '1' } });
    onTestFinished(() => few.end());
    const room = { addressKey: 'stranger', networkKey: 'stranger', limits: few.config.bridge };
    const message = { iv: 'aXY=', payload: 'cmVxdWVzdA==' };
    expect(await few.store.bridge.createAnswer('of-a-stranger', message, room, START)).toBe('created');
    expect(await few.store.bridge.createAnswer('of-another-one', message, room, START)).toBe('full');
    const signIn = await few.begin();
    await signIn.retry();
    expect(await signIn.poll()).toMatchObject({ state: 'waiting', attemptsLeft: 3 });
  });

  it('does not finish for a client that was disabled or removed, or lost its redirect URI, in the meantime', async () => {
    const { store } = signIns;
    const at = START;
    for (const [change, code] of [
      [(id: string) => store.apps.update(id, { status: 'disabled' }, at), 'authorize.sign_in_not_enabled'],
      [(id: string) => store.apps.remove(id), 'authorize.client_unknown'],
      [
        async (id: string) => {
          const app = await store.apps.findByAppId(id);
          if (!app) throw new Error('no app');
          const client = { ...app.client, redirectUris: ['https://shop.example/other'] };
          await store.apps.update(id, { client }, at);
        },
        'authorize.redirect_uri_unknown',
      ],
    ] as const) {
      const { clientId } = await signIns.addClient();
      const signIn = await signIns.begin({ clientId });
      await decline(await signIn.connectUrl());
      expect(await signIn.poll()).toMatchObject({ state: 'refused' });
      await change(clientId);
      await expect(signIn.finish()).rejects.toMatchObject({ code });
      expect((await signIn.row())?.state).toBe('refused');
    }
  });
});

describe('an answer that could not be checked', () => {
  const signIns = opened(startSignIns, 'end');
  const other = opened(startSignIns, 'end');

  it('is kept while engines close or fail, and is checked by the next service', async () => {
    const { options, store } = signIns;
    const now = (): number => signIns.clock.now;
    const signIn = await signIns.begin();
    await approve(await signIn.connectUrl());

    await options.keys.ensure('trapdoor-4');
    await signIns.engine.close();
    expect(await signIn.poll()).toMatchObject({ state: 'verifying', code: null });
    expect(await signIn.row()).toMatchObject({ state: 'answered' });
    expect(await signIn.poll()).toMatchObject({ state: 'verifying' });

    const failing = createTransactions({
      ...options,
      engine: { verify: () => Promise.reject(new Error('the worker ended')) },
    });
    const atFailing = browserOf(signIn.txn, signIn.cookie, failing, store, now);
    await expect(atFailing.poll()).rejects.toThrow('the worker ended');
    await expect(atFailing.poll()).rejects.toThrow('the worker ended');
    expect(await signIn.row()).toMatchObject({ state: 'answered' });

    const { engine, keys } = other.options;
    const restarted = createTransactions({ ...options, engine, keys });
    const resumed = browserOf(signIn.txn, signIn.cookie, restarted, store, now);
    expect(await resumed.poll()).toMatchObject({ state: 'completed' });
    expect((await resumed.finish()).code).toBeDefined();
    const { values } = await signIns.metrics.signinProofSeconds.get();
    const counts = values.filter(({ metricName }) => metricName?.endsWith('_count'));
    const results = Object.fromEntries(counts.map(({ labels, value }) => [labels.result, value]));
    expect(results).toEqual({ busy: 2, accepted: 1 });
  });
});

describe('a whole sign-in over sockets', () => {
  const service = opened(useSharedSignin);

  /** Returns the claims of an ID token without a check of its signature, which other tests verify. */
  function claimsOf(token: string | undefined): Record<string, unknown> {
    return JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
  }

  it.each([
    ['code', 'query'],
    ['code', 'form_post'],
    ['id_token', 'fragment'],
    ['code id_token token', 'form_post'],
  ])('with response_type %s reaches the app by %s', async (response_type, response_mode) => {
    const answer = await service.complete({
      response_type,
      response_mode,
      nonce: 'n-0S6_WzA2Mj',
      state: 'a b&c=é',
    });
    expect(answer.mode).toBe(response_mode);
    const { parameters } = answer;
    expect(parameters).toMatchObject({ state: 'a b&c=é', iss: service.baseUrl });
    expect(parameters.code !== undefined).toBe(response_type.includes('code'));
    if (response_type.includes('id_token')) {
      const { clientId } = service.web;
      expect(claimsOf(parameters.id_token)).toMatchObject({
        iss: service.baseUrl,
        aud: clientId,
        sub: toHex(await nullifierOf('alice', clientId)),
        acr: 'orb',
        nonce: 'n-0S6_WzA2Mj',
      });
    }
  });

  it('that the wallet declines reaches the app as access_denied, with state and issuer, in each mode', async () => {
    for (const response_mode of ['query', 'fragment', 'form_post']) {
      const answer = await service.complete(
        { response_mode, state: 'xyz' },
        { declinesWith: 'verification_rejected' },
      );
      expect(answer).toMatchObject({
        mode: response_mode,
        parameters: {
          error: 'access_denied',
          error_description: 'The person declined in the wallet.',
          state: 'xyz',
          iss: service.baseUrl,
        },
      });
    }
  });

  it('of a public native client reaches the port at which it listens', async () => {
    const { clientId } = service.native;
    const answer = await service.complete({
      client_id: clientId,
      redirect_uri: 'http://127.0.0.1:54321/cb',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    expect(answer.url.startsWith('http://127.0.0.1:54321/cb?code=')).toBe(true);
  });

  it('fails with a bad proof, is tried again, and completes', async () => {
    const signIn = await service.begin();
    await approve(signIn.connectUrl, { isFalse: true });
    expect(await signIn.settle()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
    expect((await signIn.retry()).status).toBe(303);
    await approve(await signIn.readConnectUrl(), { tree: 'device' });
    expect(await signIn.settle()).toMatchObject({ status: 'completed', code: null });
    const { code } = (await signIn.finish()).parameters;
    expect(code).toBeDefined();
    expect((await signIn.finish()).parameters.code).toBe(code);
  });

  it('is counted by its result, and leaves no personal data or secrets in log and metrics', async () => {
    const signIn = await service.begin({ state: 'planted-state', nonce: 'planted-nonce' });
    const request = await openRequest(signIn.connectUrl);
    const answer = await proveRequest(request.plaintext);
    await request.answer({ ...answer, proof: negated(answer.proof) });
    await signIn.settle();
    const { parameters } = await signIn.finish();
    const metrics = await (await fetch(`${service.app.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^proofgate_signin_transactions_total\{result="completed"\} [1-9]/m);
    expect(metrics).toMatch(/^proofgate_signin_proof_seconds_count\{result="accepted"\} [1-9]/m);
    const said = `${service.app.log()}${metrics}`.toLowerCase();
    const row = { txn: signIn.txn, cookie: signIn.cookie.split('=')[1] ?? '', key: request.link.requestId };
    for (const secret of [
      'planted-state',
      'planted-nonce',
      parameters.code ?? '',
      row.txn,
      row.cookie,
      row.key,
      answer.nullifier_hash.slice(2),
      answer.proof.slice(2, 66),
      request.plaintext.signal.slice(2),
    ]) {
      expect(secret.length).toBeGreaterThan(8);
      expect(said).not.toContain(secret.toLowerCase());
    }
  });
});
