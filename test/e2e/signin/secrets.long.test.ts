import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSignal } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { freePort } from '../../support/free-port.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { addClient, SECRET_HMAC_KEY, type TestClient } from '../../support/signin/clients.ts';
import { beginSignIn, type PendingSignIn } from '../../support/signin/driver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { addWalletRoots, openRequest, proveRequest } from '../../support/test-wallet.ts';
import { type PlantedRequest, plantedRequests } from '../support/planted-requests.ts';
import { createPlants, leaksIn, leaksInBytes } from '../support/plants.ts';

/** Runs the service in a separate process with log level trace, so that all its output is searched. */
describe('secrets of sign-ins', { timeout: 180_000 }, () => {
  const dataDir = temporaryFolder('secrets', afterAll);
  const plants = createPlants();
  /** Secrets of successful and failed sign-ins. */
  const secrets = new Map<string, string>();
  let server: ServerProcess;
  let baseUrl: string;
  let web: TestClient;
  let wallet: TestClient;

  beforeAll(async () => {
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    await withStore(async (store) => {
      await store.migrate();
      await addWalletRoots(store);
      web = await addClient(store, { refreshTokens: true });
      wallet = await addClient(store, { signalIsNonce: true });
    });
    server = await startServer(dataDir, {
      PROOFGATE_BASE_URL: baseUrl,
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: String(port),
      PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
      PROOFGATE_LOG_LEVEL: 'trace',
      PROOFGATE_LOG_FORMAT: 'json',
    });
    keep('secret of a client', web.clientSecret);
    keep('key of client secrets', SECRET_HMAC_KEY);
  });
  afterAll(async () => {
    server?.child.kill('SIGKILL');
    await server?.end();
  });

  /** Opens the store next to the running service; closing it checkpoints the write-ahead log. */
  async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
    const url = `libsql:${join(dataDir, 'proofgate.db')}`;
    const store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
    await work(store);
    await store.close();
  }

  /** Returns the bytes of the database files after a checkpoint. */
  async function storedBytes(): Promise<Buffer> {
    await withStore(async () => {});
    const files = readdirSync(dataDir).filter((name) => name.startsWith('proofgate.db'));
    return Buffer.concat(files.map((name) => readFileSync(join(dataDir, name))));
  }

  function keep(name: string, secret: string | undefined): string {
    if (!secret) throw new Error(`expected a ${name}, got ${secret}`);
    secrets.set(`${name} (${secrets.size})`, secret);
    return secret;
  }

  /** Sends a request; the text of the reply is headers and body. */
  async function send({ method, path, headers = {}, body }: PlantedRequest): Promise<Reply> {
    const init = { method, headers, body: body ?? null, redirect: 'manual' } as const;
    const response = await fetch(`${baseUrl}${path}`, init);
    const text = `${JSON.stringify([...response.headers])}\n${await response.text()}`;
    return { status: response.status, text };
  }

  async function expectNoLeaks(): Promise<void> {
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(metrics).toContain('proofgate_signin_transactions_total');
    for (const text of [server.output(), metrics]) {
      expect(leaksIn(text, plants.all)).toEqual([]);
      expect(leaksIn(text, secrets)).toEqual([]);
    }
  }

  it('would be found in any encoding', () => {
    const one = createPlants();
    const text = one.plant('text');
    const encodings = [text.toUpperCase(), Buffer.from(text).toString('hex')];
    for (const around of ['', 'a', 'ab', 'abc']) {
      encodings.push(
        btoa(`${around}${text}${around}:`),
        Buffer.from(`${around}${text}`).toString('base64url'),
      );
    }
    for (const encoded of encodings) expect(leaksIn(`{"field":"${encoded}"}`, one.all)).toEqual(['text (0)']);
    expect(leaksIn(text.slice(1), one.all)).toEqual([]);
    expect(leaksInBytes(Buffer.from([0, 0xab, 0xcd, 0]), new Map([['hex', '0xabcd']]))).toEqual(['hex']);
  });

  it('in inputs of any endpoint are not in log, metrics or answers, except the state returned to its app', async () => {
    for (const request of plantedRequests(plants, web, wallet)) {
      const { status, text } = await send(request);
      const leaks = leaksIn(text, plants.all).filter((name) => !mayComeBack(name, status));
      expect({ request, leaks, status: status >= 500 }).toEqual({ request, leaks: [], status: false });
    }
    const log = server.output();
    for (const route of ['/authorize', '/token', '/userinfo', '/introspect', '/revoke', '/v1/mobile-auth']) {
      expect(log).toContain(`"route":"${route}"`);
    }
    await expectNoLeaks();
  });

  /** Begins a sign-in, and expects that its page shows no secret. */
  async function begin(parameters: Readonly<Record<string, string>> = {}): Promise<PendingSignIn> {
    const own = {
      state: keep('state', `state-${randomUUID()}`),
      nonce: keep('nonce', `nonce-${randomUUID()}`),
      login_hint: keep('login_hint', `hint-${randomUUID()}`),
    };
    const signIn = await beginSignIn(baseUrl, {
      response_type: 'code',
      scope: 'openid email',
      client_id: web.clientId,
      redirect_uri: web.redirectUri,
      ...own,
      ...parameters,
    });
    const cookie = keep('cookie', signIn.cookie.split('=')[1]);
    const page = await signIn.page();
    const hidden = new Map([...Object.entries(own), ['cookie', cookie]]);
    expect(leaksIn(page, hidden)).toEqual([]);
    return signIn;
  }

  /** Makes the wallet's answer and notes its secrets, without sending it. */
  async function prove(signIn: PendingSignIn, isFalse = false) {
    const request = await openRequest(await signIn.readConnectUrl());
    const { key, requestId } = request.link;
    keep('AES key', key.toString('hex'));
    keep('AES key', key.toString('base64'));
    keep('bridge id', requestId);
    keep('signal hash', request.plaintext.signal);
    const answer = await proveRequest(request.plaintext, { person: randomUUID(), isFalse });
    keep('proof', answer.proof.slice(2, 130));
    keep('nullifier', answer.nullifier_hash);
    return { request, answer };
  }

  async function token(fields: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const { clientId: client_id, clientSecret: client_secret } = web;
    const body = new URLSearchParams({ ...fields, client_id, client_secret });
    const response = await fetch(`${baseUrl}/token`, { method: 'POST', body });
    return (await response.json()) as Record<string, string>;
  }

  const redeem = (code: string): Promise<Record<string, string>> =>
    token({ grant_type: 'authorization_code', code, redirect_uri: web.redirectUri });

  /** Notes the parts of a token separately, because a leak may contain only one of them. */
  function keepToken(name: string, token: string | undefined): string {
    for (const part of (token ?? '').split('.').slice(1)) keep(name, part.slice(0, 60));
    return token ?? '';
  }

  it('of successful sign-ins are not in log, metrics or later answers', async () => {
    const signIn = await begin();
    const { request, answer } = await prove(signIn);
    expect(await request.answer(answer)).toBe(201);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    const code = keep('code', (await signIn.finish()).parameters.code);
    const tokens = await redeem(code);
    const accessToken = keepToken('access token', tokens.access_token);
    keepToken('ID token', tokens.id_token);
    const bearer = { authorization: `Bearer ${accessToken}` };
    expect((await send({ method: 'GET', path: '/userinfo', headers: bearer })).status).toBe(200);
    const basic = Buffer.from(`${web.clientId}:${web.clientSecret}`).toString('base64');
    const headers = {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    for (const path of ['/introspect', '/revoke']) {
      const sent = await send({ method: 'POST', path, headers, body: `token=${accessToken}` });
      expect(sent.status).toBe(200);
    }
    const replay = await redeem(code);
    expect(leaksIn(JSON.stringify(replay), secrets)).toEqual([]);

    const hybrid = await begin({ response_type: 'code id_token token', response_mode: 'form_post' });
    const proved = await prove(hybrid);
    await proved.request.answer(proved.answer);
    await hybrid.settle();
    const { parameters } = await hybrid.finish();
    keepToken('access token of the front', parameters.access_token);
    keepToken('ID token of the front', parameters.id_token);
    keepToken('ID token', (await redeem(keep('code', parameters.code))).id_token);
    await expectNoLeaks();
  });

  it('of sign-ins that fail, are declined or abandoned are not in log, metrics or answers', async () => {
    const failing = await begin();
    const { request, answer } = await prove(failing, true);
    await request.answer(answer);
    expect(await failing.settle()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
    const shown = [await failing.page(), JSON.stringify(await failing.status())];
    await failing.retry();
    const second = await prove(failing);
    const garbled = { ...(second.answer as object), nullifier_hash: `0x${plants.plant('nullifier')}` };
    await second.request.answer(garbled);
    expect(await failing.settle()).toMatchObject({ status: 'failed', code: 'invalid_format' });
    shown.push(await failing.page());
    await failing.retry();
    const third = await openRequest(await failing.readConnectUrl());
    await third.answerRaw({ iv: plants.plant('iv'), payload: plants.plant('payload') });
    expect(await failing.settle()).toMatchObject({ status: 'failed', code: 'invalid_format' });
    shown.push(await failing.page());
    await failing.cancel();
    const { parameters } = await failing.finish();
    shown.push(JSON.stringify({ ...parameters, state: '' }));

    const declined = await begin();
    const last = await openRequest(await declined.readConnectUrl());
    await last.answer({ error_code: plants.plant('error code'), detail: plants.plant('detail') });
    shown.push(JSON.stringify(await declined.settle()));
    shown.push(JSON.stringify({ ...(await declined.finish()).parameters, state: '' }));
    shown.push((await send({ method: 'GET', path: `/authorize/${declined.txn}` })).text);
    for (const text of shown) {
      expect(leaksIn(text, plants.all)).toEqual([]);
      expect(leaksIn(text, secrets)).toEqual([]);
    }
    await expectNoLeaks();
  });

  it('of refreshed sign-ins are not in log, metrics or refusals', async () => {
    const signIn = await begin({ scope: 'openid offline_access' });
    await signIn.agree(['offline']);
    const { request, answer } = await prove(signIn);
    await request.answer(answer);
    await signIn.settle();
    const first = await redeem(keep('code', (await signIn.finish()).parameters.code));
    keep('lookup key', first.refresh_token?.slice('rt_'.length).split('.')[0]);
    const refresh = (refresh_token = ''): Promise<Record<string, string>> =>
      token({ grant_type: 'refresh_token', refresh_token });
    const second = await refresh(keepToken('refresh token', first.refresh_token));
    keepToken('access token', second.access_token);
    keepToken('refresh token', second.refresh_token);
    const replay = await refresh(first.refresh_token);
    expect(replay.error).toBe('invalid_grant');
    expect(leaksIn(JSON.stringify(replay), secrets)).toEqual([]);
    // the output of the process comes behind its answer
    await expect.poll(() => server.output()).toContain('refresh_token.replayed');
    await expectNoLeaks();
  });

  it('of a wallet that signs in directly are not in log, metrics or refusals', async () => {
    const nonce = keep('nonce', `nonce-${randomUUID()}`);
    const state = keep('state', `state-${randomUUID()}`);
    const signal = toHex(hashSignal(nonce));
    const answer = await proveRequest({ app_id: wallet.clientId, signal }, { person: randomUUID() });
    keep('proof', answer.proof.slice(2, 130));
    keep('nullifier', answer.nullifier_hash);
    const request = {
      client_id: wallet.clientId,
      redirect_uri: wallet.redirectUri,
      response_type: 'code',
      scope: 'openid',
      nonce,
      state,
      ...answer,
    };
    const call = (body: object): Promise<Reply> =>
      send({
        method: 'POST',
        path: '/v1/mobile-auth',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const accepted = await call(request);
    expect(accepted.status).toBe(200);
    keep('code', /code=([^&"]+)/.exec(accepted.text)?.[1]);
    const again = await call(request);
    expect(again.status).toBe(400);
    expect(leaksIn(again.text, secrets)).toEqual([]);
    await expectNoLeaks();
  });

  it('are not in the store in a form that a thief could use', async () => {
    // with an unused code and an unfinished sign-in
    await begin();
    const bytes = await storedBytes();
    expect(bytes.includes(web.clientId), 'the store is read').toBe(true);
    const kept = /^(?:state|nonce|login_hint|bridge id|signal hash|nullifier)/;
    const usable = new Map([...secrets].filter(([name]) => !kept.test(name)));
    expect(leaksInBytes(bytes, usable)).toEqual([]);
  });

  it('include the sub, which is not in the store once the app has the tokens', async () => {
    const signIn = await begin();
    const { request, answer } = await prove(signIn);
    await request.answer(answer);
    await signIn.settle();
    const sub = new Map([['sub', answer.nullifier_hash]]);
    expect(leaksInBytes(await storedBytes(), sub)).toEqual(['sub']);
    const tokens = await redeem((await signIn.finish()).parameters.code ?? '');
    expect(tokens.access_token).toBeDefined();
    expect(leaksInBytes(await storedBytes(), sub)).toEqual([]);
  });

  it('are not in the log of internal errors', async () => {
    const database = new Database(join(dataDir, 'proofgate.db'));
    for (const table of ['signin_transactions', 'authorization_codes', 'clients', 'bridge_messages']) {
      database.exec(`alter table ${table} rename to ${table}_away`);
    }
    database.close();
    const statuses = new Set<number>();
    for (const request of plantedRequests(plants, web, wallet)) {
      const { status, text } = await send(request);
      statuses.add(status);
      const leaks = leaksIn(text, plants.all).filter((name) => !mayComeBack(name, status));
      expect({ request, leaks }).toEqual({ request, leaks: [] });
    }
    expect([...statuses].some((status) => status >= 500)).toBe(true);
    await expect.poll(() => server.output()).toContain('"level":"error"');
    await expectNoLeaks();
  });
});

/**
 * Whether an answer may contain this input: a state goes back to its app, and a page that was opened at a host
 * other than `baseUrl` names that host (spec/sign-in.md#transaction-cookie).
 */
function mayComeBack(name: string, status: number): boolean {
  return name.startsWith('state at /authorize')
    ? status === 303
    : name.startsWith('origin') && status === 403;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}
