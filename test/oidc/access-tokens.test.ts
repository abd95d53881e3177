// Rules: spec/sign-in.md#access-token-validity
import { createHmac, createPublicKey, sign } from 'node:crypto';
import fc from 'fast-check';
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AccessTokens, createAccessTokens, type InactiveReason } from '../../src/oidc/access-tokens.ts';
import { createTokenIssuer } from '../../src/oidc/token-issuer.ts';
import type { Grant } from '../../src/oidc/types.ts';
import { casesOf } from '../support/cases.ts';
import { opened } from '../support/opened.ts';
import { createTestKeys, NO_CLIENTS, NOW, ORB_SUB, testConfig } from './support/test-keys.ts';

const BASE = 'https://id.example.org';
const CLIENT = 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614';
const JTI = 'a4ad2d0f-7ba1-4f3f-9e34-5f0c1f6a0f11';
const SECOND = Math.floor(NOW / 1000);
const GRANT: Grant = {
  clientId: CLIENT,
  scope: ['openid', 'profile'],
  subject: { sub: ORB_SUB, level: 'orb', authTime: SECOND - 20 },
};
let token: string;
let idToken: string;

const test = opened(createTestKeys);
beforeAll(async () => {
  const config = await testConfig({ baseUrl: BASE });
  const issuer = createTokenIssuer({ keys: test.keys, config, clients: NO_CLIENTS, now: () => NOW });
  ({ token } = await issuer.accessToken(GRANT, JTI));
  idToken = await issuer.idToken(GRANT, {});
});

interface Conditions {
  readonly status?: 'active' | 'disabled' | 'unknown';
  readonly revoked?: string;
  readonly now?: number;
}

function judge({ status = 'active', revoked, now = NOW }: Conditions = {}): AccessTokens {
  return createAccessTokens({
    keys: test.keys,
    clients: { find: async (id) => (status === 'unknown' || id !== CLIENT ? undefined : { status }) },
    grants: { isRevoked: async (jti) => jti === revoked },
    baseUrl: BASE,
    now: () => now,
  });
}

/** Returns the claims of a valid token with these changes; undefined removes a claim. */
function claimsWith(changes: Readonly<Record<string, unknown>> = {}): JWTPayload {
  const claims: Record<string, unknown> = {
    iss: BASE,
    sub: ORB_SUB,
    aud: BASE,
    client_id: CLIENT,
    scope: 'openid profile',
    jti: JTI,
    iat: SECOND,
    exp: SECOND + 3600,
    auth_time: SECOND - 20,
    acr: 'orb',
    ...changes,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

async function reasonOf(presented: string, conditions?: Conditions): Promise<InactiveReason | 'active'> {
  const judged = judge(conditions);
  const verdict = await judged.examine(presented);
  expect((await judged.validate(presented)) !== undefined).toBe(verdict.isActive);
  return verdict.isActive ? 'active' : verdict.reason;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs any header and claims with the published key. */
function signAnything(header: Record<string, unknown>, claims: unknown): string {
  const input = `${encode(header)}.${encode(claims)}`;
  const key = { key: test.privateKeyPem, format: 'pem' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

describe('a valid access token', () => {
  it('yields its claims', async () => {
    expect(await judge().validate(token)).toEqual({
      sub: ORB_SUB,
      clientId: CLIENT,
      scope: ['openid', 'profile'],
      jti: JTI,
      iat: SECOND,
      exp: SECOND + 3600,
      authTime: SECOND - 20,
      level: 'orb',
    });
  });

  it('is valid until the last millisecond before it expires', async () => {
    const end = (SECOND + 3600) * 1000;
    expect(await reasonOf(token, { now: end - 1 })).toBe('active');
    expect(await reasonOf(token, { now: end })).toBe('expired');
  });
});

describe('a token is not valid', () => {
  it('when it is an ID token', async () => {
    expect(await reasonOf(idToken)).toBe('not_an_access_token');
  });

  it.each([undefined, 'JWT', 'application/at+jwt+x', 'AT+JWT', 'at+jwt '])('with the typ %j', async (typ) => {
    const header = { alg: 'RS256', kid: test.kid, ...(typ === undefined ? {} : { typ }) };
    expect(await reasonOf(signAnything(header, claimsWith()))).toBe('not_an_access_token');
  });

  it('without signature', async () => {
    const unsecured = new UnsecuredJWT(claimsWith()).encode();
    expect(await reasonOf(unsecured)).toBe('not_an_access_token');
    const header = encode({ alg: 'none', typ: 'at+jwt', kid: test.kid });
    expect(await reasonOf(`${header}.${encode(claimsWith())}.`)).toBe('not_an_access_token');
    expect(await reasonOf(`${token.split('.').slice(0, 2).join('.')}.`)).toBe('bad_signature');
  });

  it('when the public key was used as the secret of an HMAC', async () => {
    const pem = createPublicKey({ key: test.publicJwk, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    const input = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: test.kid })}.${encode(claimsWith())}`;
    const mac = createHmac('sha256', pem).update(input).digest('base64url');
    expect(await reasonOf(`${input}.${mac}`)).toBe('not_an_access_token');
    const lying = `${encode({ alg: 'RS256', typ: 'at+jwt', kid: test.kid })}.${encode(claimsWith())}`;
    const lyingMac = createHmac('sha256', pem).update(lying).digest('base64url');
    expect(await reasonOf(`${lying}.${lyingMac}`)).toBe('bad_signature');
  });

  it('when another key signed it, under the published kid or its own', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const forge = (kid: string): Promise<string> =>
      new SignJWT(claimsWith()).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid }).sign(privateKey);
    expect(await reasonOf(await forge(test.kid))).toBe('bad_signature');
    expect(await reasonOf(await forge('A'.repeat(43)))).toBe('unknown_key');
  });

  it('when its header carries its own key', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const forged = await new SignJWT(claimsWith())
      .setProtectedHeader({
        alg: 'RS256',
        typ: 'at+jwt',
        jwk: { ...test.publicJwk },
        jku: 'https://evil.example',
      })
      .sign(privateKey);
    expect(await reasonOf(forged)).toBe('unknown_key');
  });

  it('with an unknown critical header', async () => {
    const header = { alg: 'RS256', typ: 'at+jwt', kid: test.kid, crit: ['x'], x: 1 };
    expect(await reasonOf(signAnything(header, claimsWith()))).toBe('malformed');
  });

  it('when a claim was changed after signing', async () => {
    const [header, , signature] = token.split('.');
    const other = `${header}.${encode(claimsWith({ sub: `0x${'0'.repeat(64)}` }))}.${signature}`;
    expect(await reasonOf(other)).toBe('bad_signature');
  });

  it.each<[string, Record<string, unknown>, InactiveReason]>([
    ['another issuer', { iss: 'https://id.example.org/' }, 'other_issuer'],
    ['no issuer', { iss: undefined }, 'other_issuer'],
    ['another audience', { aud: CLIENT }, 'other_issuer'],
    ['no audience', { aud: undefined }, 'other_issuer'],
    ['no exp', { exp: undefined }, 'malformed'],
    ['an exp that is text', { exp: '9999999999' }, 'malformed'],
    ['no jti', { jti: undefined }, 'malformed'],
    ['no client', { client_id: undefined }, 'malformed'],
    ['no sub', { sub: undefined }, 'malformed'],
    ['no scope', { scope: undefined }, 'malformed'],
    ['an unknown level', { acr: 'selfie' }, 'malformed'],
  ])('with %s, even if the published key signed it', async (_what, changes, reason) => {
    expect(await reasonOf(await test.keys.sign('at+jwt', claimsWith(changes)))).toBe(reason);
  });

  it('when its client is unknown or disabled', async () => {
    expect(await reasonOf(token, { status: 'unknown' })).toBe('client_unknown');
    expect(await reasonOf(token, { status: 'disabled' })).toBe('client_disabled');
  });

  it('when it was revoked, and another stays valid', async () => {
    expect(await reasonOf(token, { revoked: JTI })).toBe('revoked');
    expect(await reasonOf(token, { revoked: 'other' })).toBe('active');
  });

  it('when it is garbage of any form', async () => {
    const judged = judge();
    const pieces = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.base64String(),
        fc.json().map((text) => Buffer.from(text).toString('base64url')),
        fc.constantFrom('', encode({ alg: 'RS256', typ: 'at+jwt', kid: test.kid }), encode(claimsWith())),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        expect(await judged.validate(parts.join('.'))).toBeUndefined();
      }),
      { numRuns: casesOf(500, 100) },
    );
  });

  it('when it is larger than any issued token, without being decoded', async () => {
    expect(await reasonOf(await test.keys.sign('at+jwt', claimsWith({ padding: 'x'.repeat(9000) })))).toBe(
      'malformed',
    );
  });

  it('when any one character of it differs', async () => {
    const judged = judge();
    for (let index = 0; index < token.length; index += 7) {
      const replacement = token[index] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, index) + replacement + token.slice(index + 1);
      expect(await judged.validate(changed), `character ${index}`).toBeUndefined();
    }
  });
});

describe('the details of a token that is not valid', () => {
  it('include its claims only if its signature is valid', async () => {
    expect(await judge({ revoked: JTI }).examine(token)).toMatchObject({ claims: { jti: JTI } });
    expect(await judge({ now: NOW + 7_200_000 }).examine(token)).toMatchObject({
      reason: 'expired',
      claims: { jti: JTI },
    });
    const [header, payload] = token.split('.');
    expect(await judge().examine(`${header}.${payload}.AAAA`)).toEqual({
      isActive: false,
      reason: 'bad_signature',
      claims: undefined,
    });
  });
});

it('a store that is unreachable makes the validation fail without a verdict', async () => {
  const failing = (): Promise<never> => Promise.reject(new Error('no store'));
  const parts = {
    keys: test.keys,
    clients: { find: async () => ({ status: 'active' as const }) },
    grants: { isRevoked: async () => false },
    baseUrl: BASE,
    now: () => NOW,
  };
  for (const broken of [
    { keys: { verificationKey: failing } },
    { clients: { find: failing } },
    { grants: { isRevoked: failing } },
  ]) {
    await expect(createAccessTokens({ ...parts, ...broken }).validate(token)).rejects.toThrow('no store');
  }
});
