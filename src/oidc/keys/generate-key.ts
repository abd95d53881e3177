import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { SigningKeyRow } from '../../storage/index.ts';
import type { Sealer } from './seal.ts';

/** The only algorithm of tokens (spec/sign-in.md#tokens). */
export const ALGORITHM = 'RS256';

const MODULUS_BITS = 2048;

/** Dependencies of `generateKey`. */
export interface NewKeyParts {
  readonly sealer: Sealer;
  /** Whether the profile is not production; production refuses such a key. */
  readonly isDevelopment: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Generates an RSA key of sign-in in state `next`, whose kid is the RFC 7638 thumbprint and whose private
 * part is sealed. The search for primes runs in the thread pool of Node, not on the event loop.
 */
export async function generateKey(parts: NewKeyParts): Promise<SigningKeyRow> {
  const key = await drawKey(parts);
  // One of 64 kids begins with a hyphen, and `keys remove` would take it for an option: such a key is
  // discarded and another generated.
  return key.kid.startsWith('-') ? generateKey(parts) : key;
}

async function drawKey({ sealer, isDevelopment, now }: NewKeyParts): Promise<SigningKeyRow> {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: MODULUS_BITS, extractable: true });
  const { kty, n, e } = await exportJWK(pair.publicKey);
  if (kty === undefined || n === undefined || e === undefined) throw new TypeError('not an RSA key');
  const kid = await calculateJwkThumbprint({ kty, n, e });
  return {
    kid,
    use: 'signin',
    state: 'next',
    publicJwk: JSON.stringify({ kty, use: 'sig', alg: ALGORITHM, kid, n, e }),
    privateJwk: await sealer.seal(await exportJWK(pair.privateKey)),
    isSealed: true,
    isDevelopment,
    createdAt: now(),
    activatedAt: null,
    retiredAt: null,
    expiresAt: null,
  };
}
