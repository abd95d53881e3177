// Rules: spec/sign-in.md#mobile-sign-in
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { hashOfCode } from '../../src/oidc/authorize/responder.ts';
import { hashSignal } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { opened } from '../support/opened.ts';
import { headerOf, rawRequest, requestText } from '../support/server/raw-client.ts';
import { connect } from '../support/server/test-listener.ts';
import { redeemCode } from '../support/signin/driver.ts';
import { startSigninOfTest, useSharedSignin } from '../support/signin/shared-service.ts';
import {
  negated,
  nullifierOf,
  type ProofOptions,
  proveRequest,
  type WalletAnswer,
} from '../support/test-wallet.ts';
import { pollUntil } from '../support/until.ts';

type Members = Readonly<Record<string, unknown>>;

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Members;
}
let nonces = 0;

const service = opened(useSharedSignin);
const wallet = opened(() => service.addClient({ signalIsNonce: true }));

const newNonce = (): string => `nonce-${++nonces}`;

function requestOf(nonce: string, more: Members = {}): Members {
  return {
    client_id: wallet.clientId,
    redirect_uri: wallet.redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: 's t',
    nonce,
    ...more,
  };
}

function prove(nonce: string, options: ProofOptions = {}): Promise<WalletAnswer> {
  return proveRequest({ app_id: wallet.clientId, signal: toHex(hashSignal(nonce)) }, options);
}

async function send(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const response = await fetch(`${service.baseUrl}/v1/mobile-auth`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/html', ...headers },
    body:
      body instanceof Uint8Array ? Buffer.from(body) : typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Members };
}

function expectRefused(reply: Reply, code: string, more: Members = {}, status = 400): void {
  expect(reply.body).toMatchObject({ code, ...more });
  expect(Object.keys(reply.body)).toEqual(['error', 'error_description', 'code', 'detail', 'attribute']);
  expect(reply.body.detail).toBe(reply.body.error_description);
  expect(reply.status).toBe(status);
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.headers.get('pragma')).toBe('no-cache');
}

async function redirectOf(members: Members): Promise<URL> {
  const reply = await send(members);
  expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['redirect_uri']]);
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  return new URL(String(reply.body.redirect_uri));
}

describe('POST /v1/mobile-auth', () => {
  it('asks nobody, so that offline_access is dropped', async () => {
    const client = await service.addClient({ signalIsNonce: true, refreshTokens: true });
    const { clientId, redirectUri } = client;
    const nonce = newNonce();
    const proof = await proveRequest({ app_id: clientId, signal: toHex(hashSignal(nonce)) });
    const wanted = { client_id: clientId, redirect_uri: redirectUri, scope: 'openid offline_access' };
    const url = await redirectOf({ ...requestOf(nonce, wanted), ...proof });
    const response = await redeemCode(service.baseUrl, client, url.searchParams.get('code') ?? '');
    const tokens = (await response.json()) as Members;
    expect(tokens).toMatchObject({ scope: 'openid' });
    expect(tokens).not.toHaveProperty('refresh_token');
  });

  it('returns the address for the wallet to open, with a code that yields the tokens of the person', async () => {
    const nonce = newNonce();
    const url = await redirectOf({ ...requestOf(nonce), ...(await prove(nonce)) });
    expect(`${url.origin}${url.pathname}`).toBe(wallet.redirectUri);
    expect([...url.searchParams.keys()]).toEqual(['code', 'state', 'iss']);
    expect(url.search).toContain('state=s%20t');
    expect(url.searchParams.get('iss')).toBe(service.baseUrl);
    const response = await redeemCode(service.baseUrl, wallet, url.searchParams.get('code') ?? '');
    const { id_token } = (await response.json()) as { id_token: string };
    const keys = createRemoteJWKSet(new URL(`${service.baseUrl}/jwks`));
    const { payload } = await jwtVerify(id_token, keys, { audience: wallet.clientId });
    expect(payload).toMatchObject({
      nonce,
      sub: toHex(await nullifierOf('alice', wallet.clientId)),
      acr: 'orb',
      scope: 'openid email',
    });
  });

  it('returns tokens in the fragment, and ignores the claimed level and unknown members', async () => {
    const nonce = newNonce();
    const proof = await prove(nonce, { tree: 'device' });
    const url = await redirectOf({
      ...requestOf(nonce, { response_type: 'id_token', max_age: 5, unknown: { a: [1] } }),
      ...proof,
      verification_level: 'orb',
      credential_type: 7,
    });
    const parameters = new URLSearchParams(url.hash.slice(1));
    expect([...parameters.keys()]).toEqual(['id_token', 'state', 'iss']);
    const keys = createRemoteJWKSet(new URL(`${service.baseUrl}/jwks`));
    const { payload } = await jwtVerify(parameters.get('id_token') ?? '', keys);
    expect(payload).toMatchObject({ nonce, acr: 'device' });
  });

  it('has the address of the person in the form of the client, in the fragment and behind the code', async () => {
    const client = await service.addClient({ signalIsNonce: true, emailForm: 'short' });
    const { clientId, redirectUri } = client;
    const addressOf = async (responseType: string): Promise<unknown> => {
      const nonce = newNonce();
      const proof = await proveRequest({ app_id: clientId, signal: toHex(hashSignal(nonce)) });
      const wanted = { client_id: clientId, redirect_uri: redirectUri, response_type: responseType };
      const url = await redirectOf({ ...requestOf(nonce, wanted), ...proof });
      if (responseType === 'id_token') {
        return decodeJwt(new URLSearchParams(url.hash.slice(1)).get('id_token') ?? '').email;
      }
      const answer = await redeemCode(service.baseUrl, client, url.searchParams.get('code') ?? '');
      return decodeJwt(((await answer.json()) as { id_token: string }).id_token).email;
    };
    const address = await addressOf('code');
    expect(address).toMatch(/^p[0-9a-v]{32}@/);
    expect(await addressOf('id_token')).toBe(address);
  });

  it('signs each person in once per nonce, whatever the bytes of the proof', async () => {
    const nonce = newNonce();
    const proof = await prove(nonce);
    await redirectOf({ ...requestOf(nonce), ...proof });
    for (const again of [proof, await prove(nonce), { ...proof, proof: negated(proof.proof) }]) {
      const reply = await send({ ...requestOf(nonce), ...again });
      expectRefused(reply, 'invalid_proof', {
        error: 'access_denied',
        detail: 'This proof has already been used. Please try again.',
      });
    }
    await redirectOf({ ...requestOf(nonce), ...(await prove(nonce, { person: 'bob' })) });
    const other = newNonce();
    await redirectOf({ ...requestOf(other), ...(await prove(other)) });
  });

  it('accepts one of several concurrent requests with the same proof', async () => {
    const nonce = newNonce();
    const members = { ...requestOf(nonce), ...(await prove(nonce)) };
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(members)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
  });

  it('stores the code only as its hash', async () => {
    const nonce = newNonce();
    const url = await redirectOf({ ...requestOf(nonce), ...(await prove(nonce)) });
    const hash = hashOfCode(url.searchParams.get('code') ?? '');
    const use = await service.store.grants.useCode(hash, wallet.clientId, 'jti', Date.now(), Date.now());
    expect(use).toMatchObject({ outcome: 'used', row: { nonce: JSON.stringify(nonce) } });
  });
});

describe('POST /v1/mobile-auth, refusals', () => {
  it.each(['GET', 'PUT', 'OPTIONS'])('refuses %s', async (method) => {
    const reply = await rawRequest(
      Number(new URL(service.baseUrl).port),
      requestText(`${method} /v1/mobile-auth`, ['Origin: https://a.example']),
    );
    expect([reply.status, headerOf(reply, 'allow')]).toEqual([405, 'POST']);
    expect(reply.headers.filter(([name]) => name.startsWith('access-control'))).toEqual([]);
  });

  it('shares the rate limit of /authorize', async () => {
    const limited = await startSigninOfTest({ settings: { 'rateLimits.authorize': '1' } });
    await (await fetch(`${limited.baseUrl}/authorize`)).text();
    const response = await fetch(`${limited.baseUrl}/v1/mobile-auth`, { method: 'POST', body: '{}' });
    expect([response.status, await response.json()]).toEqual([
      429,
      expect.objectContaining({ code: 'rate_limit' }),
    ]);
  });

  it('refuses a content type other than JSON before it checks the size', async () => {
    expectRefused(await send('x'.repeat(50_000), { 'Content-Type': 'text/plain' }), 'invalid_content_type', {
      detail: 'Invalid content type. Only application/json is supported.',
    });
  });

  it('accepts a body of up to 40 KiB', async () => {
    const padded = (length: number): string => {
      const empty = JSON.stringify({ padding: '' });
      return JSON.stringify({ padding: 'x'.repeat(length - empty.length) });
    };
    expectRefused(await send(padded(40_960)), 'required', { attribute: 'client_id' });
    const client = await connect(Number(new URL(service.baseUrl).port));
    client.send(
      requestText('POST /v1/mobile-auth', ['Content-Type: application/json', 'Content-Length: 40961']),
    );
    const reply = await client.response();
    expect([reply.status, JSON.parse(reply.body.toString())]).toEqual([
      413,
      expect.objectContaining({ code: 'request_too_large' }),
    ]);
  });

  it.each([
    ['not JSON', '{"client_id":'],
    ['empty', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
  ])('refuses a body that is %s', async (_name, body) => {
    expectRefused(await send(body), 'invalid_request', { error: 'invalid_request', attribute: null });
  });

  it.each([
    ['state', 7],
    ['state', '\ud800'],
    ['nonce', null],
    ['redirect_uri', ['https://shop.example/cb']],
    ['request', {}],
    ['max_age', true],
  ])('refuses a member %s that is %j', async (attribute, value) => {
    // JSON.stringify escapes a lone surrogate
    expectRefused(await send(requestOf('n', { [attribute]: value })), 'invalid_request', { attribute });
  });

  const NO_PROOF = { proof: '0x', merkle_root: '0x', nullifier_hash: '0x' };
  it('checks in the order of /authorize, then by its own rules, then the proof', async () => {
    const disabled = await service.addClient({ signalIsNonce: true, status: 'disabled' });
    const { web } = service;
    const faults: [change: Members, code: string, more: Members][] = [
      [{ client_id: '' }, 'required', { attribute: 'client_id' }],
      [{ client_id: 'app_x' }, 'app_not_found', { error: 'invalid_client' }],
      [{ client_id: disabled.clientId }, 'sign_in_not_enabled', { error: 'unauthorized_client' }],
      [{ client_id: web.clientId, redirect_uri: '' }, 'required', { attribute: 'redirect_uri' }],
      [{ redirect_uri: 'https://shop.example/' }, 'invalid_redirect_uri', { attribute: 'redirect_uri' }],
      [
        { redirect_uri: web.redirectUri, response_type: '' },
        'required',
        { attribute: 'response_type', detail: 'This attribute is required.' },
      ],
      [{ response_type: 'token' }, 'unsupported_response_type', {}],
      [
        { response_type: 'id_token', response_mode: 'query' },
        'invalid_request',
        { attribute: 'response_mode' },
      ],
      [{ response_mode: 'form_post', request: 'x' }, 'request_not_supported', {}],
      [{ request: '', scope: '' }, 'required', { attribute: 'scope' }],
      [{ scope: 'email' }, 'invalid_scope', {}],
      [{ scope: 'openid', nonce: '' }, 'required', { attribute: 'nonce' }],
      [{ nonce: 'n', code_challenge_method: 'S256' }, 'invalid_request', { attribute: 'code_challenge' }],
      [{ code_challenge_method: '', max_age: 'x' }, 'invalid_request', { attribute: 'max_age' }],
      [{ max_age: 1.5 }, 'invalid_request', { attribute: 'max_age' }],
      [{ max_age: 0, prompt: 'none' }, 'login_required', { error: 'login_required' }],
      [{ prompt: '' }, 'invalid_response_mode', { error: 'invalid_request', attribute: 'response_mode' }],
      [{ response_mode: 'fragment' }, 'unauthorized_client', { error: 'unauthorized_client' }],
      [{ client_id: wallet.clientId }, 'invalid_format', { error: 'access_denied' }],
    ];
    // Each request has its own fault and all later ones; the changes up to its own correct the earlier ones.
    const all: Members[] = faults.map(([change]) => change);
    for (const [index, [, code, more]] of faults.entries()) {
      const later = Object.assign({}, ...all.slice(index + 1).reverse());
      const mended = Object.assign({}, ...all.slice(0, index + 1));
      const members = { ...requestOf('n'), ...NO_PROOF, ...later, ...mended };
      expectRefused(await send(members), code, more);
    }
  });

  it('refuses a client that is not registered for it before it reads the proof', async () => {
    const { clientId, redirectUri } = service.web;
    const reply = await send({
      ...requestOf('n', { client_id: clientId, redirect_uri: redirectUri }),
      ...NO_PROOF,
    });
    expectRefused(reply, 'unauthorized_client', { attribute: 'client_id' });
  });

  it('refuses a proof of another form, root, signal, client or tree', async () => {
    const nonce = newNonce();
    const good = await prove(nonce);
    const ask = (answer: object, more: Members = {}): Promise<Reply> =>
      send({ ...requestOf(nonce, more), ...answer });
    expectRefused(await ask({ ...good, proof: good.proof.slice(0, -1) }), 'invalid_format');
    expectRefused(await ask({ ...good, nullifier_hash: 5 }), 'invalid_format');
    const unknownRoot = await prove(nonce, { root: new Uint8Array(32).fill(1) });
    expectRefused(await ask(unknownRoot), 'invalid_merkle_root');
    expectRefused(await ask(await prove('another nonce')), 'invalid_proof');
    expectRefused(await ask(await prove(nonce, { appId: service.web.clientId })), 'invalid_proof');
    expectRefused(await ask(await prove(nonce, { isFalse: true })), 'invalid_proof');
    const device = await prove(nonce, { tree: 'device' });
    expectRefused(await ask(device, { acr_values: 'orb' }), 'unmet_authentication_requirements', {
      error: 'unmet_authentication_requirements',
    });
    // none of these used the nonce up
    await redirectOf({ ...requestOf(nonce), ...good });
  });

  it('logs no proof, nonce or state', async () => {
    const before = service.app.log().length;
    const nonce = 'planted-nonce';
    const proof = await prove(nonce);
    await redirectOf({ ...requestOf(nonce, { state: 'planted-state' }), ...proof });
    expectRefused(await send({ ...requestOf(nonce, { state: 'planted-state' }), ...proof }), 'invalid_proof');
    const lines = (): string => service.app.log().slice(before);
    const ofClient = (): number => lines().split(`"clientId":"${wallet.clientId}"`).length - 1;
    // Lines of several front ends come in any order.
    await pollUntil(() => lines().includes('transaction.proof_spent') && ofClient() >= 2);
    expect(lines()).not.toContain('planted');
    expect(lines()).not.toContain(proof.nullifier_hash.slice(2, 30));
    expect(lines()).not.toContain(proof.proof.slice(2, 30));
  });
});
