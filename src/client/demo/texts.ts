import { base64url } from 'jose';
import { encodeUtf8 } from '../../bytes.ts';

/**
 * Returns 32 random bytes in base64url, 43 characters: suitable as state, nonce and PKCE verifier (RFC 7636 section
 * 4.1).
 */
export function randomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** Returns the PKCE challenge of a verifier by method S256: base64url of its SHA-256. */
export async function challengeOf(verifier: string): Promise<string> {
  return base64url.encode(await sha256(verifier));
}

/**
 * Returns `at_hash` of an access token or `c_hash` of a code for RS256: base64url of the left half of the
 * SHA-256.
 */
export async function halfHash(text: string): Promise<string> {
  return base64url.encode((await sha256(text)).subarray(0, 16));
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encodeUtf8(text)));
}
