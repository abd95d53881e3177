import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { isoTime, messageOf } from '../../text.ts';
import { halfHash } from './texts.ts';

/** A check that an app must make, and its result. */
export interface Check {
  readonly name: string;
  readonly isOk: boolean;
  /** The compared values. */
  readonly detail: string;
}

/** A token, decoded and checked. */
export interface CheckedToken {
  readonly token: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly checks: readonly Check[];
}

/** Expected values of an ID token. */
export interface ExpectedIdToken {
  readonly keys: JSONWebKeySet;
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  /** The access token of the same response. */
  readonly accessToken?: string | undefined;
  /** The code of the same response. */
  readonly code?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Decodes an ID token and runs the checks of OpenID Connect Core 3.1.3.7 and 3.3.2.11. */
export async function checkIdToken(token: string, expected: ExpectedIdToken): Promise<CheckedToken> {
  const { header, claims } = decode(token);
  const { keys, issuer, clientId, nonce, accessToken, code, now } = expected;
  const checks = [
    await checkSignature(token, keys, header),
    equal('iss', claims.iss, issuer),
    equal('aud', claims.aud, clientId),
    checkExpiry(claims.exp, now),
    equal('nonce', claims.nonce, nonce),
  ];
  if (accessToken !== undefined)
    checks.push(equal('at_hash', claims.at_hash, await halfHash(accessToken), 'hash of the access token'));
  if (code !== undefined)
    checks.push(equal('c_hash', claims.c_hash, await halfHash(code), 'hash of the code'));
  return { token, header, claims, checks };
}

/** Decodes an access token and runs the same checks as the service (spec/sign-in.md#access-token-validity). */
export async function checkAccessToken(
  token: string,
  { keys, issuer, clientId, now }: Pick<ExpectedIdToken, 'keys' | 'issuer' | 'clientId' | 'now'>,
): Promise<CheckedToken> {
  const { header, claims } = decode(token);
  const checks = [
    await checkSignature(token, keys, header),
    equal('typ', header.typ, 'at+jwt'),
    equal('iss', claims.iss, issuer),
    equal('aud', claims.aud, issuer),
    equal('client_id', claims.client_id, clientId),
    checkExpiry(claims.exp, now),
  ];
  return { token, header, claims, checks };
}

/** Checks that a value equals an expected string. */
export function equal(name: string, actual: unknown, expected: string, what = 'expected'): Check {
  const isOk = actual === expected;
  return {
    name,
    isOk,
    detail: isOk ? `${what}: ${expected}` : `${what}: ${expected}, got: ${String(actual)}`,
  };
}

function decode(token: string): Pick<CheckedToken, 'header' | 'claims'> {
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token) };
  } catch {
    // The checks then fail, and the page shows the raw answer.
    return { header: {}, claims: {} };
  }
}

async function checkSignature(
  token: string,
  keys: JSONWebKeySet,
  { alg, kid }: Readonly<Record<string, unknown>>,
): Promise<Check> {
  const name = 'signature';
  try {
    await compactVerify(token, createLocalJWKSet(keys), { algorithms: ['RS256'] });
    return { name, isOk: true, detail: `${String(alg)}, by the key ${String(kid)} of /jwks` };
  } catch (error) {
    const reason = messageOf(error);
    return { name, isOk: false, detail: `it does not hold by a key of /jwks: ${reason}` };
  }
}

function checkExpiry(exp: unknown, now: number): Check {
  const isOk = typeof exp === 'number' && exp * 1000 > now;
  const detail = typeof exp === 'number' ? isoTime(exp * 1000) : 'exp is missing';
  return { name: 'exp', isOk, detail: isOk ? `valid until ${detail}` : detail };
}
