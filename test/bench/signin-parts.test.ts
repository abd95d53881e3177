import { describe, expect, it } from 'vitest';
import { createMemoryAdapters } from '../../bench/contenders/node-oidc-provider-adapter.ts';
import type { SigninEndpoints } from '../../bench/contenders/signin-contender.ts';
import { headerValues } from '../../bench/load/http/http-connection.ts';
import { assertRight, rightAnswers } from '../../bench/load/signin/signin-answers.ts';
import { authorizeTarget, tokenRequest, userinfoRequest } from '../../bench/load/signin/signin-requests.ts';
import { createLoadWallet } from '../../bench/load/signin/signin-wallet.ts';
import { externalNullifier } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { be32, fromBe } from '../support/crypto/bn254.ts';
import { seal, unsealText } from '../support/crypto/sealed-message.ts';
import { trapdoor, trapdoorScalar } from '../support/crypto/trapdoor.ts';
import { WALLET_ROOTS, type WalletAnswer } from '../support/test-wallet.ts';

const ENDPOINTS: SigninEndpoints = {
  issuer: 'http://127.0.0.1:7',
  port: 7,
  authorizePath: '/authorize',
  tokenPath: '/token',
  userinfoPath: '/userinfo',
  keySetPath: '/jwks',
  clientId: 'app_staging_00000000000000000000000000000b0b',
  clientSecret: 'sk_0',
  redirectUri: 'https://shop.example/cb?a=b',
  hasWallet: true,
};

/** Scalars a and b of the n-th proof of the wallet. */
const scalarsOf = (n: number): [bigint, bigint] => [
  trapdoorScalar(`bench-wallet-a${n}`),
  trapdoorScalar(`bench-wallet-b${n}`),
];

describe('requests of sign-in', () => {
  it('exchanges a code with Basic authentication and the verifier, in a body of the declared length', () => {
    const text = Buffer.from(tokenRequest(ENDPOINTS, 'the code')).toString();
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(/^POST \/token HTTP\/1\.1\r\nHost: 127\.0\.0\.1:7\r\n/);
    expect(head).toContain(`Content-Length: ${body.length}`);
    const basic = /Authorization: Basic (\S+)/.exec(head)?.[1] ?? '';
    expect(Buffer.from(basic, 'base64').toString()).toBe(`${ENDPOINTS.clientId}:sk_0`);
    const form = new URLSearchParams(body);
    expect(form.get('code')).toBe('the code');
    expect(form.get('redirect_uri')).toBe(ENDPOINTS.redirectUri);
    expect(form.get('code_verifier')).toMatch(/^[\w.~-]{43}$/);
  });

  it('requests authorization with PKCE, and user information with the token', () => {
    const url = new URL(authorizeTarget(ENDPOINTS, 's'), ENDPOINTS.issuer);
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    expect(url.searchParams.get('state')).toBe('s');
    expect(Buffer.from(userinfoRequest(ENDPOINTS, 't')).toString()).toContain(
      '\r\nAuthorization: Bearer t\r\n',
    );
  });

  it('reads every value of a header, in any letter case of its name', () => {
    const head = 'HTTP/1.1 303 See Other\r\nSet-Cookie: a=1\r\nset-cookie:b=2\r\nLocation: /x';
    expect(headerValues({ head }, 'Set-Cookie')).toEqual(['a=1', 'b=2']);
    expect(headerValues({ head }, 'location')).toEqual(['/x']);
    expect(headerValues({ head }, 'retry-after')).toEqual([]);
  });
});

describe('answers of the providers', () => {
  const contender = { name: 'x', accessTokens: 'at+jwt', hasUserinfo: true } as const;

  it('accepts right answers, and names contender and field of a wrong one', () => {
    const right = rightAnswers(contender);
    expect(() => assertRight(contender, right)).not.toThrow();
    expect(() => assertRight(contender, { ...right, usedCode: '200 undefined' })).toThrow(/^x, usedCode: /);
    expect(() => assertRight(contender, { ...right, idTokenClaims: ['sub'] })).toThrow(/^x, idTokenClaims: /);
  });

  it('expects the same refusals of a provider without comparable userinfo', () => {
    const { userinfo, accessToken, ...rest } = rightAnswers({ accessTokens: 'opaque', hasUserinfo: false });
    expect([userinfo, accessToken]).toEqual([[], 'opaque']);
    expect(rightAnswers(contender)).toMatchObject(rest);
  });
});

describe('wallet of the load client', () => {
  it('answers each request with a valid proof over its signal, as a new person', async () => {
    const wallet = await createLoadWallet(ENDPOINTS.clientId);
    const key = Buffer.alloc(32, 9);
    const bridge = 'http://127.0.0.1:7/bridge';
    const link = wallet.link(
      `http://127.0.0.1:7/wallet#t=wld&i=0123&k=${encodeURIComponent(key.toString('base64'))}&b=${encodeURIComponent(bridge)}`,
    );
    expect(link).toEqual({ requestId: '0123', key, bridge });
    const signal = 12345n;
    const request = seal(key, { signal: toHex(be32(signal)) });
    const answers = [wallet.answer(link, request), wallet.answer(link, request)].map(
      (sealed) => JSON.parse(unsealText(key, sealed)) as WalletAnswer,
    );
    const setup = await trapdoor(4);
    const external = fromBe(externalNullifier(ENDPOINTS.clientId, ''));
    for (const [index, answer] of answers.entries()) {
      const inputs = [fromBe(WALLET_ROOTS.orb), BigInt(answer.nullifier_hash), signal, external];
      const byDefinition = setup.prove(inputs, ...scalarsOf(index + 1));
      expect(answer.proof).toBe(toHex(byDefinition));
      expect(answer.merkle_root).toBe(toHex(WALLET_ROOTS.orb));
    }
    expect(answers[0]?.nullifier_hash).not.toBe(answers[1]?.nullifier_hash);
  });
});

describe('storage of the peer', () => {
  it('stores more than a thousand codes, marks one as used, and drops everything of a grant', async () => {
    const adapters = createMemoryAdapters();
    const [codes, tokens] = [adapters('AuthorizationCode'), adapters('AccessToken')];
    for (let i = 0; i < 1500; i++) await codes.upsert(`c${i}`, { grantId: `g${i}` });
    await tokens.upsert('t0', { grantId: 'g0' });
    await codes.consume('c1');
    expect((await codes.find('c1'))?.consumed).toBeTypeOf('number');
    await codes.revokeByGrantId('g0');
    expect([await codes.find('c0'), await tokens.find('t0')]).toEqual([undefined, undefined]);
    expect(await codes.find('c1499')).toEqual({ grantId: 'g1499' });
    await codes.destroy('c1499');
    expect(await codes.find('c1499')).toBeUndefined();
  });

  it('finds a session by its uid', async () => {
    const sessions = createMemoryAdapters()('Session');
    await sessions.upsert('s', { uid: 'u' });
    expect(await sessions.findByUid('u')).toEqual({ uid: 'u' });
    expect(await sessions.findByUid('v')).toBeUndefined();
  });
});
