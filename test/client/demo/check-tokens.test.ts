import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Check, checkAccessToken, checkIdToken } from '../../../src/client/demo/check-tokens.ts';
import { halfHash } from '../../../src/client/demo/texts.ts';

const NOW = Date.UTC(2026, 5, 1);
const SECONDS = NOW / 1000;
const ISSUER = 'https://id.example';
const CLIENT = 'app_staging_0';

describe('the checks that the demo makes', () => {
  let key: CryptoKey;
  let otherKey: CryptoKey;
  let keys: JSONWebKeySet;
  beforeAll(async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    key = privateKey;
    otherKey = (await generateKeyPair('RS256')).privateKey;
    keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] };
  });

  const idClaims = { iss: ISSUER, aud: CLIENT, sub: '0x1', exp: SECONDS + 60, nonce: 'n' };
  const accessClaims = { iss: ISSUER, aud: ISSUER, client_id: CLIENT, sub: '0x1', exp: SECONDS + 60 };
  const sign = (claims: JWTPayload, typ = 'JWT', by = key): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1', typ }).sign(by);
  const expected = (): Parameters<typeof checkIdToken>[1] => ({
    keys,
    issuer: ISSUER,
    clientId: CLIENT,
    nonce: 'n',
    now: NOW,
    accessToken: 'a',
    code: 'c',
  });
  const wrong = (checks: readonly Check[]): string[] =>
    checks.filter(({ isOk }) => !isOk).map(({ name }) => name);

  it('accept a valid ID token', async () => {
    const hashes = { at_hash: await halfHash('a'), c_hash: await halfHash('c') };
    const { header, claims, checks } = await checkIdToken(await sign({ ...idClaims, ...hashes }), expected());
    expect(wrong(checks)).toEqual([]);
    expect(checks).toHaveLength(7);
    expect(header).toEqual({ alg: 'RS256', kid: 'k1', typ: 'JWT' });
    expect(claims.sub).toBe('0x1');
  });

  it.each([
    ['iss', { iss: 'https://evil.example' }],
    ['aud', { aud: 'another' }],
    ['exp', { exp: SECONDS }],
    ['exp', { exp: undefined }],
    ['nonce', { nonce: 'm' }],
    ['nonce', { nonce: undefined }],
    ['at_hash', { at_hash: 'x' }],
    ['at_hash', { at_hash: undefined }],
    ['c_hash', { c_hash: 'x' }],
    ['c_hash', { c_hash: undefined }],
  ])('name the faulty claim of an ID token: %s %o', async (name, change) => {
    const hashes = { at_hash: await halfHash('a'), c_hash: await halfHash('c') };
    const { exp, ...given } = { ...idClaims, ...hashes, ...change };
    const token = await sign({ ...given, ...(exp === undefined ? {} : { exp }) } as JWTPayload);
    expect(wrong((await checkIdToken(token, expected())).checks)).toEqual([name]);
  });

  it('require no hash of an access token or code that was not returned', async () => {
    const { accessToken: _, code: __, ...alone } = expected();
    expect(wrong((await checkIdToken(await sign(idClaims), alone)).checks)).toEqual([]);
  });

  it('report a signature by a key that is not published, and one without published keys', async () => {
    const forged = await checkAccessToken(await sign(accessClaims, 'at+jwt', otherKey), expected());
    expect(wrong(forged.checks)).toEqual(['signature']);
    const unknown = await checkAccessToken(await sign(accessClaims, 'at+jwt'), {
      ...expected(),
      keys: { keys: [] },
    });
    expect(wrong(unknown.checks)).toEqual(['signature']);
  });

  it('accept a valid access token, and no ID token in its place', async () => {
    const good = await checkAccessToken(await sign(accessClaims, 'at+jwt'), expected());
    expect(wrong(good.checks)).toEqual([]);
    const confused = await checkAccessToken(await sign(idClaims), expected());
    expect(wrong(confused.checks)).toEqual(['typ', 'aud', 'client_id']);
  });

  it('fail for text that is not a token, without an exception', async () => {
    const { header, claims, checks } = await checkAccessToken('no token', expected());
    expect([header, claims]).toEqual([{}, {}]);
    expect(checks.every(({ isOk }) => !isOk)).toBe(true);
  });
});
