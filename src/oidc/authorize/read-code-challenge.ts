import { ServiceError } from '../../errors/index.ts';
import type { AppRow, ResponseType } from '../../storage/index.ts';
import { hasWord, type Parameters } from '../parameters.ts';

const CHALLENGE = 'code_challenge';
const METHOD = 'code_challenge_method';
// base64url of 32 bytes, the only form that S256 produces (RFC 7636 section 4.2)
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the S256 challenge (spec/sign-in.md#checks-answered-to-the-app, code-challenge); undefined if none
 * was sent or if the response type has no code to bind it to.
 *
 * @throws ServiceError `authorize.challenge_missing`, `authorize.challenge_unsupported`,
 *   `authorize.challenge_required`
 */
export function readCodeChallenge(
  parameters: Parameters,
  type: ResponseType,
  { client }: AppRow,
): string | undefined {
  const challenge = parameters.get(CHALLENGE);
  const method = parameters.get(METHOD);
  if (challenge === undefined && method !== undefined) {
    throw new ServiceError('authorize.challenge_missing', undefined, { path: CHALLENGE });
  }
  if (challenge !== undefined && !S256_CHALLENGE.test(challenge)) {
    throw new ServiceError('authorize.challenge_unsupported', undefined, { path: CHALLENGE });
  }
  if (challenge !== undefined && method !== 'S256') {
    throw new ServiceError('authorize.challenge_unsupported', undefined, { path: METHOD });
  }
  if (!hasWord(type, 'code')) return undefined;
  const isRequired = client.requirePkce || client.tokenEndpointAuthMethod === 'none';
  if (challenge === undefined && isRequired) {
    throw new ServiceError('authorize.challenge_required', undefined, { path: CHALLENGE });
  }
  return challenge;
}
