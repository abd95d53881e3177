import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  createTokenIssuer,
  createUserClaims,
  halfHash,
  type TokenIssuer,
} from '../../src/oidc/token-issuer.ts';
import type { Grant } from '../../src/oidc/types.ts';
import { createTestKeys, NO_CLIENTS, NOW, ORB_SUB, testConfig, UUID_V4 } from './support/test-keys.ts';

const BASE = 'https://id.example.org';
const SECOND = Math.floor(NOW / 1000);

const GRANT: Grant = {
  clientId: 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614',
  scope: ['openid', 'email', 'profile'],
  nonce: 'a "nonce" \u0000 ü',
  subject: { sub: ORB_SUB, level: 'orb', authTime: SECOND - 20 },
};

async function issuer(settings: Record<string, string> = {}): Promise<TokenIssuer> {
  const config = await testConfig({ baseUrl: BASE, ...settings });
  return createTokenIssuer({
    keys: (await createTestKeys()).keys,
    config,
    clients: NO_CLIENTS,
    now: () => NOW,
  });
}

async function idClaims(
  grant: Partial<Grant> = {},
  issuedWith: Parameters<TokenIssuer['idToken']>[1] = {},
  settings: Record<string, string> = {},
): Promise<JWTPayload> {
  return decodeJwt(await (await issuer(settings)).idToken({ ...GRANT, ...grant }, issuedWith));
}

describe('ID token', () => {
  it('has exactly the claims that are specified', async () => {
    expect(await idClaims({}, { accessToken: 'abc', code: 'def' })).toEqual({
      iss: BASE,
      sub: ORB_SUB,
      aud: GRANT.clientId,
      iat: SECOND,
      exp: SECOND + 3600,
      jti: expect.stringMatching(UUID_V4),
      auth_time: SECOND - 20,
      acr: 'orb',
      nonce: GRANT.nonce,
      at_hash: halfHash('abc'),
      c_hash: halfHash('def'),
      scope: 'openid email profile',
      [`${BASE}/v1`]: { verification_level: 'orb' },
      [`${BASE}/beta`]: { likely_human: 'strong', credential_type: 'orb' },
      email: `${ORB_SUB}@id.example.org`,
      name: 'World ID User',
      given_name: 'World ID',
      family_name: 'User',
    });
  });

  it('has only JWT, RS256 and the active kid in its header', async () => {
    const { kid } = await createTestKeys();
    const token = await (await issuer()).idToken(GRANT, {});
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'JWT', kid });
  });

  it('has a nonce exactly when one was sent', async () => {
    const { nonce, ...without } = GRANT;
    expect(nonce).toBeDefined();
    expect(decodeJwt(await (await issuer()).idToken(without, {}))).not.toHaveProperty('nonce');
  });

  it('has at_hash and c_hash exactly for the token and code issued with it', async () => {
    expect(await idClaims()).not.toHaveProperty('at_hash');
    expect(await idClaims()).not.toHaveProperty('c_hash');
    expect(await idClaims({}, { accessToken: 'a' })).not.toHaveProperty('c_hash');
    expect(await idClaims({}, { code: 'a' })).not.toHaveProperty('at_hash');
  });

  it('has the device level for a proof over the device tree', async () => {
    expect(await idClaims({ subject: { ...GRANT.subject, level: 'device' } })).toMatchObject({
      acr: 'device',
      [`${BASE}/v1`]: { verification_level: 'device' },
      [`${BASE}/beta`]: { likely_human: 'weak', credential_type: 'device' },
    });
  });

  it('has e-mail and names only with their scopes', async () => {
    const NAMES = ['name', 'given_name', 'family_name'];
    const members = async (...scope: string[]): Promise<string[]> =>
      Object.keys(await idClaims({ scope })).filter((name) => ['email', ...NAMES].includes(name));
    expect(await members('openid')).toEqual([]);
    expect(await members('openid', 'email')).toEqual(['email']);
    expect(await members('profile', 'openid')).toEqual(NAMES);
    expect((await idClaims({ scope: ['profile', 'openid'] })).scope).toBe('profile openid');
  });

  it('follows the settings of claims and lifetime', async () => {
    const claims = await idClaims(
      {},
      {},
      {
        'claims.beta': 'false',
        'claims.emailVerified': 'false',
        'claims.name': 'Somebody',
        'claims.givenName': 'Some',
        'claims.familyName': 'Body',
        'signin.idTokenTtlSeconds': '60',
        'signin.accessTokenTtlSeconds': '86400',
        'keys.retireAfterSeconds': '90000',
      },
    );
    expect(claims).not.toHaveProperty([`${BASE}/beta`]);
    expect(claims).toMatchObject({
      email_verified: false,
      name: 'Somebody',
      given_name: 'Some',
      family_name: 'Body',
      exp: SECOND + 60,
    });
  });

  it('has a new jti each time', async () => {
    expect((await idClaims()).jti).not.toBe((await idClaims()).jti);
  });

  it('has the host of baseUrl without port in its e-mail address, and baseUrl byte for byte elsewhere', async () => {
    const baseUrl = 'http://localhost:8080/id';
    const claims = await idClaims({}, {}, { baseUrl });
    expect(claims).toMatchObject({
      iss: baseUrl,
      email: `${ORB_SUB}@localhost`,
      [`${baseUrl}/v1`]: { verification_level: 'orb' },
    });
  });
});

describe('access token', () => {
  const JTI = 'a4ad2d0f-7ba1-4f3f-9e34-5f0c1f6a0f11';

  it('has exactly the claims that are specified', async () => {
    const { token, expiresInSeconds } = await (await issuer()).accessToken(GRANT, JTI);
    expect(decodeJwt(token)).toEqual({
      iss: BASE,
      sub: ORB_SUB,
      aud: BASE,
      client_id: GRANT.clientId,
      scope: 'openid email profile',
      jti: JTI,
      iat: SECOND,
      exp: SECOND + 3600,
      auth_time: SECOND - 20,
      acr: 'orb',
      [`${BASE}/v1`]: { verification_level: 'orb' },
    });
    expect(expiresInSeconds).toBe(3600);
  });

  it('has at+jwt, RS256 and the active kid in its header', async () => {
    const { kid } = await createTestKeys();
    const { token } = await (await issuer()).accessToken(GRANT, JTI);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'at+jwt', kid });
  });

  it('expires after the configured time', async () => {
    const { token, expiresInSeconds } = await (
      await issuer({
        'signin.accessTokenTtlSeconds': '60',
        'signin.idTokenTtlSeconds': '86400',
        'keys.retireAfterSeconds': '90000',
      })
    ).accessToken(GRANT, JTI);
    expect(expiresInSeconds).toBe(60);
    expect(decodeJwt(token).exp).toBe(SECOND + 60);
  });
});

describe('half hash', () => {
  // OpenID Connect Core, appendix A (spec/sign-in.md#test-vectors)
  it.each([
    ['at_hash', 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y', '77QmUPtjPfzWtF2AnpK9RQ'],
    ['c_hash', 'Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk', 'LDktKdoQak3Pk0cnXxCltA'],
  ])('is the %s of the specification', (_name, text, expected) => {
    expect(halfHash(text)).toBe(expected);
  });

  it('is the left half of SHA-256', () => {
    const digest = createHash('sha256').update('abc').digest('hex');
    expect(Buffer.from(halfHash('abc'), 'base64url').toString('hex')).toBe(digest.slice(0, 32));
  });
});

describe('claims of /userinfo', () => {
  it('are the claims about the person that are specified', async () => {
    const config = await testConfig({ baseUrl: BASE });
    const { clientId, scope } = GRANT;
    const claims = createUserClaims(config, NO_CLIENTS);
    expect(await claims({ clientId, sub: ORB_SUB, level: 'orb', scope })).toEqual({
      sub: ORB_SUB,
      [`${BASE}/beta`]: { likely_human: 'strong', credential_type: 'orb' },
      [`${BASE}/v1`]: { verification_level: 'orb' },
      email: `${ORB_SUB}@id.example.org`,
      name: 'World ID User',
      given_name: 'World ID',
      family_name: 'User',
    });
  });

  it('have e-mail and names only with their scopes', async () => {
    const config = await testConfig({ baseUrl: BASE });
    const { clientId } = GRANT;
    const claims = createUserClaims(config, NO_CLIENTS);
    expect(Object.keys(await claims({ clientId, sub: ORB_SUB, level: 'device', scope: ['openid'] }))).toEqual(
      ['sub', `${BASE}/beta`, `${BASE}/v1`],
    );
  });
});
