import { createHash, randomBytes } from 'node:crypto';
import type { Bytes32 } from '../../storage/index.ts';

/** A refresh token, with the hashes by which the store knows it. */
export interface RefreshToken {
  /** `rt_`, the lookup key, a dot and the secret, both in base64url. */
  readonly text: string;
  /** 22 characters, which all tokens of a family share. */
  readonly lookupKey: string;
  /** SHA-256 of the lookup key. */
  readonly lookupHash: Bytes32;
  /** SHA-256 of the whole text. */
  readonly tokenHash: Bytes32;
}

const LOOKUP_BYTES = 16;
const SECRET_BYTES = 32;
const FORM = /^rt_([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{43}$/;

/** Makes the first token of a family (spec/sign-in.md#refresh-tokens). */
export function makeRefreshToken(): RefreshToken {
  return withSecret(randomBytes(LOOKUP_BYTES).toString('base64url'));
}

/** Makes the token that replaces another one of its family. */
export function renewRefreshToken({ lookupKey }: Pick<RefreshToken, 'lookupKey'>): RefreshToken {
  return withSecret(lookupKey);
}

/** Reads a token; undefined if the text does not have the form of one. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, lookupKey] = FORM.exec(text) ?? [];
  return lookupKey === undefined ? undefined : hashed(text, lookupKey);
}

function withSecret(lookupKey: string): RefreshToken {
  return hashed(`rt_${lookupKey}.${randomBytes(SECRET_BYTES).toString('base64url')}`, lookupKey);
}

function hashed(text: string, lookupKey: string): RefreshToken {
  return { text, lookupKey, lookupHash: sha256(lookupKey), tokenHash: sha256(text) };
}

function sha256(text: string): Bytes32 {
  return new Uint8Array(createHash('sha256').update(text).digest());
}
