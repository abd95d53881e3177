/** Keys and proofs of possession (RFC 9449), right or with members of the caller's choice. */
import { createHash, randomUUID } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** A key of a client. */
export interface ProofKey {
  readonly alg: string;
  readonly privateKey: CryptoKey;
  /** Public part. */
  readonly jwk: JWK;
  readonly jkt: string;
}

/** Members of a proof; undefined removes one. */
export interface ProofMembers {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Generates a key for an algorithm. */
export async function makeProofKey(alg = 'ES256'): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { alg, privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) };
}

/**
 * Signs a proof.
 *
 * @param target - Method and address, such as `POST http://localhost/token`.
 * @param now - Milliseconds since the epoch.
 */
export function makeProof(
  { alg, privateKey, jwk }: ProofKey,
  target: string,
  now: number,
  { header = {}, claims = {} }: ProofMembers = {},
): Promise<string> {
  const [htm = '', htu = ''] = target.split(' ');
  const all = { htm, htu, iat: Math.floor(now / 1000), jti: randomUUID(), ...claims };
  const protectedHeader = { typ: 'dpop+jwt', alg, jwk, ...header };
  return new SignJWT(defined(all))
    .setProtectedHeader(defined(protectedHeader))
    .sign(privateKey, { crit: { more: true } });
}

/** Returns the `ath` for an access token. */
export function athOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url');
}

function defined<T extends Readonly<Record<string, unknown>>>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
