import { randomBytes } from 'node:crypto';

/** First characters of a key that the development profile makes up: base64url for exactly 9 bytes. */
const MARK = 'development-';
const MARK_BYTES = Buffer.from(MARK, 'base64url');
const KEY_BYTES = 32;

/**
 * Makes up a key of 32 bytes: a mark of 9, by which production knows it wherever it was copied to, and 184 random bits.
 *
 * @returns 43 characters of base64url that begin with `development-`.
 */
export function makeUpKey(): string {
  return Buffer.concat([MARK_BYTES, randomBytes(KEY_BYTES - MARK_BYTES.length)]).toString('base64url');
}

/** Whether a key was made up by the development profile; both alphabets of base64 are read. */
export function isMadeUpKey(text: string): boolean {
  return Buffer.from(text, 'base64').subarray(0, MARK_BYTES.length).equals(MARK_BYTES);
}
