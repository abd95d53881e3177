import { createHmac, randomBytes } from 'node:crypto';
import type { ClientSecretRow } from '../../storage/index.ts';

const SECRET_BYTES = 24;
const SECRET_ID_BYTES = 8;
const KEY_ID_INFO = 'proofgate client secret key id v1';
const KEY_ID_DIGITS = 16;

/** A secret in clear, which is shown once, with what is stored of it. */
export interface NewSecret {
  /** `sk_` and 48 hex digits. */
  readonly value: string;
  readonly row: ClientSecretRow;
}

/** Whom a new secret is for. */
export interface SecretOwner {
  readonly appId: string;
  /** Made outside the production profile, which then refuses it. */
  readonly isDevelopment: boolean;
  /** 32 bytes, `secretKeyOf`. */
  readonly secretKey: Uint8Array;
}

/**
 * Makes a secret of a client, or takes one that it has elsewhere.
 *
 * @param now - Milliseconds since the epoch.
 * @param value - `sk_` and 48 hex digits; 24 random bytes where absent.
 */
export function makeSecret(
  { appId, isDevelopment, secretKey }: SecretOwner,
  now: number,
  value: string = `sk_${randomBytes(SECRET_BYTES).toString('hex')}`,
): NewSecret {
  const row: ClientSecretRow = {
    secretId: `cs_${randomBytes(SECRET_ID_BYTES).toString('hex')}`,
    appId,
    hash: secretHash(secretKey, appId, value),
    isDevelopment,
    createdAt: now,
    expiresAt: null,
    keyId: secretKeyId(secretKey),
  };
  return { value, row };
}

/**
 * Names a key of client secrets in the store, by which it is known later whether a secret is under it.
 *
 * @returns 16 hex digits of an HMAC under the key, which tell nothing else about it.
 */
export function secretKeyId(secretKey: Uint8Array): string {
  return createHmac('sha256', secretKey).update(KEY_ID_INFO).digest('hex').slice(0, KEY_ID_DIGITS);
}

/**
 * What is stored of a secret: HMAC-SHA256(key, client_id "." secret). A secret is 192 random bits, so there is nothing
 * to guess, and a slow derivation would only slow the token endpoint down (spec/sign-in.md#client-secrets).
 */
export function secretHash(secretKey: Uint8Array, clientId: string, secret: string): Uint8Array {
  return createHmac('sha256', secretKey).update(`${clientId}.${secret}`).digest();
}
