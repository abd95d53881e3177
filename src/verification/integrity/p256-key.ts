import { createPublicKey, type KeyObject } from 'node:crypto';
import { isObject } from '../../json.ts';

/** Reads an EC public key on P-256 from a JWK (RFC 7518 section 6.2); undefined for any other value. */
export function p256Key(jwk: unknown): KeyObject | undefined {
  if (!isObject(jwk)) return undefined;
  const { kty, crv, x, y } = jwk;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined;
  try {
    // refuses a point that is not on the curve
    return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
