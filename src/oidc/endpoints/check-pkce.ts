import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';

// RFC 7636 section 4.1
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
const PATH = { path: 'code_verifier' };

/**
 * Checks the verifier of PKCE against the challenge of the authorization request
 * (spec/sign-in.md#pkce-check). A verifier without a challenge is refused too: an attacker may have removed
 * the challenge from the request.
 *
 * @param challenge - S256, base64url, or null if none was sent.
 * @throws ServiceError `token.verifier_missing`, `token.verifier_unexpected`, `token.verifier_malformed`,
 *   `token.verifier_differs`
 * @see RFC 7636 section 4.6
 */
export function checkPkce(challenge: string | null, verifier: string | undefined): void {
  if (challenge === null) {
    if (verifier !== undefined) throw new ServiceError('token.verifier_unexpected', undefined, PATH);
    return;
  }
  if (verifier === undefined) throw new ServiceError('token.verifier_missing', undefined, PATH);
  if (!VERIFIER.test(verifier)) throw new ServiceError('token.verifier_malformed', undefined, PATH);
  const digest = createHash('sha256').update(verifier).digest();
  const expected = Buffer.from(challenge, 'base64url');
  if (expected.length !== digest.length || !timingSafeEqual(expected, digest)) {
    throw new ServiceError('token.verifier_differs', undefined, PATH);
  }
}
