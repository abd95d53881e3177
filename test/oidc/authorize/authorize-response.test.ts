import { createHash } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashOfCode } from '../../../src/oidc/authorize/responder.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { opened } from '../../support/opened.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { nullifierOf } from '../../support/test-wallet.ts';

const CALLBACK = 'https://shop.example/cb?shop=1';
const STATE = 'a state & more = 100% +';
// parameters of each response type, in the order of spec/sign-in.md#authorization-response
const TOKENS = ['access_token', 'token_type', 'expires_in', 'scope'];
const TYPES: [type: string, parameters: string[]][] = [
  ['code', ['code']],
  ['id_token', ['id_token']],
  ['id_token token', [...TOKENS, 'id_token']],
  ['code id_token', ['code', 'id_token']],
  ['code token', ['code', ...TOKENS]],
  ['code id_token token', ['code', ...TOKENS, 'id_token']],
];
let clientId: string;
let now = Date.UTC(2026, 0, 15, 9, 30, 0, 123);

const service = opened(
  () => startSigninService({ now: () => now, settings: { 'rateLimits.authorize': '0' } }),
  'end',
);
beforeAll(async () => {
  ({ clientId } = await service.addClient({ redirectUris: [CALLBACK] }));
});

function leftHalf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

const MODES = ['', 'query', 'fragment', 'form_post'] as const;
const CASES = TYPES.flatMap(([type, names]) =>
  MODES.filter((mode) => mode !== 'query' || type === 'code').map((mode) => ({ type, names, mode })),
);

describe('the authorization response of a sign-in', () => {
  it.each(CASES)('has the parameters of type $type in mode "$mode"', async ({ type, names, mode }) => {
    now += 1000;
    const nonce = `n-${type}`;
    const answer = await service.complete({
      client_id: clientId,
      redirect_uri: CALLBACK,
      response_type: type,
      scope: 'profile openid email',
      state: STATE,
      nonce,
      ...(mode === '' ? {} : { response_mode: mode }),
    });
    expect(answer.mode).toBe(mode === '' ? (type === 'code' ? 'query' : 'fragment') : mode);
    const separator = { query: '&', fragment: '#', form_post: '' }[answer.mode];
    expect(answer.url.startsWith(CALLBACK + separator)).toBe(true);
    const { parameters } = answer;
    const own = answer.mode === 'query' ? ['shop'] : [];
    expect(Object.keys(parameters)).toEqual([...own, ...names, 'state', 'iss']);
    expect(parameters).toMatchObject({ state: STATE, iss: service.baseUrl });
    if (answer.mode !== 'form_post') expect(answer.url.slice(CALLBACK.length)).not.toContain('+');

    const sub = toHex(await nullifierOf('alice', clientId));
    const seconds = Math.floor(now / 1000);
    const keys = createRemoteJWKSet(new URL(`${service.baseUrl}/jwks`));
    const { code, access_token, id_token } = parameters;
    if (access_token !== undefined) {
      expect(parameters).toMatchObject({
        token_type: 'Bearer',
        expires_in: '3600',
        scope: 'profile openid email',
      });
      const { payload } = await jwtVerify(access_token, keys, { currentDate: new Date(now), typ: 'at+jwt' });
      expect(payload).toMatchObject({ sub, client_id: clientId, auth_time: seconds, acr: 'orb' });
    }
    if (id_token !== undefined) {
      const { payload } = await jwtVerify(id_token, keys, { currentDate: new Date(now), audience: clientId });
      expect(payload).toMatchObject({ sub, nonce, auth_time: seconds, iss: service.baseUrl });
      expect(payload.at_hash).toBe(access_token === undefined ? undefined : leftHalf(access_token));
      expect(payload.c_hash).toBe(code === undefined ? undefined : leftHalf(code));
    }
    if (code !== undefined) {
      expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
      const use = await service.store.grants.useCode(hashOfCode(code), clientId, 'jti', now + 1, now);
      expect(use).toMatchObject({
        outcome: 'used',
        row: {
          clientId,
          redirectUri: CALLBACK,
          scope: 'profile openid email',
          codeChallenge: null,
          nonce: JSON.stringify(nonce),
          codeExpiresAt: now + 60_000,
        },
      });
    }
  });

  it('has a code without a nonce if none was sent, which type code token allows', async () => {
    const { parameters } = await service.complete({
      client_id: clientId,
      redirect_uri: CALLBACK,
      response_type: 'code token',
      nonce: '',
    });
    const hash = hashOfCode(parameters.code ?? '');
    const use = await service.store.grants.useCode(hash, clientId, 'jti', now + 1, now);
    expect(use).toMatchObject({ outcome: 'used', row: { nonce: null } });
    expect(parameters).not.toHaveProperty('state');
  });

  it('is delivered without a referrer and keeps the cookie, by which it is had again', async () => {
    const signIn = await service.begin({ client_id: clientId, redirect_uri: CALLBACK });
    await signIn.cancel();
    const response = await signIn.continue();
    expect(response.status).toBe(303);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.getSetCookie()).toEqual([]);
    const again = await signIn.continue();
    expect(again.headers.get('location')).toBe(response.headers.get('location'));
  });
});
