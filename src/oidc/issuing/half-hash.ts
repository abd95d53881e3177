import { createHash } from 'node:crypto';

/**
 * `at_hash` of an access token and `c_hash` of a code for RS256 (OpenID Connect Core 3.1.3.6, 3.3.2.11).
 *
 * @param text - ASCII.
 * @returns base64url of the left 16 bytes of its SHA-256.
 */
export function halfHash(text: string): string {
  return createHash('sha256').update(text, 'ascii').digest().subarray(0, 16).toString('base64url');
}
