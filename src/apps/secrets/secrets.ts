import { createHmac, randomBytes } from 'node:crypto';
import type { ClientSecretRow } from '../../storage/index.ts';

const SECRET_BYTES = 24;
const SECRET_ID_BYTES = 8;
const KEY_ID_INFO = 'proofgate client secret key id v1';
const KEY_ID_DIGITS = 16;

/** A secret in plain text, which is shown once, and the row that is stored for it. */
export interface NewSecret {
  /** `sk_` and 48 hex digits. */
  readonly value: string;
  readonly row: ClientSecretRow;
}

/** The app that a new secret is for. */
export interface SecretOwner {
  readonly appId: string;
  /** Whether the secret is made outside the production profile, which then refuses to start with it. */
  readonly isDevelopment: boolean;
  /** 32 bytes, `secretKeyOf`. */
  readonly secretKey: Uint8Array;
}

/**
 * Makes a secret for a client, or wraps one that the client already has.
 *
 * @param now - Milliseconds since the epoch.
 * @param value - `sk_` and 48 hex digits; from 24 random bytes if absent.
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
 * Returns the id of a key of client secrets. The store keeps it with each secret, to tell under which key it is hashed.
 *
 * @returns 16 hex digits of an HMAC under the key, which reveal nothing else about it.
 */
export function secretKeyId(secretKey: Uint8Array): string {
  return createHmac('sha256', secretKey).update(KEY_ID_INFO).digest('hex').slice(0, KEY_ID_DIGITS);
}

/**
 * Returns the stored form of a secret: HMAC-SHA256(key, client_id "." secret). A secret is 192 random bits and cannot be
 * guessed, so a slow derivation would only slow the token endpoint down (spec/sign-in.md#client-secrets).
 */
export function secretHash(secretKey: Uint8Array, clientId: string, secret: string): Uint8Array {
  return createHmac('sha256', secretKey).update(`${clientId}.${secret}`).digest();
}
