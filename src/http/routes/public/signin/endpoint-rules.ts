import { ServiceError } from '../../../../errors/service-error.ts';
import type { ProofHeader } from '../../../../oidc/endpoints/authenticate-client.ts';
import type { HttpRequest } from '../../../exchange/exchange-types.ts';

/** Largest query or form with the parameters of /authorize, in bytes (spec/sign-in.md#size-limits). */
export const MAX_PARAMETER_BYTES = 32_768;

/** Largest form body in bytes, except for those with the parameters of /authorize (spec/sign-in.md#size-limits). */
export const FORM_LIMIT_BYTES = 16_384;

/** Longest Authorization header in characters (spec/sign-in.md#size-limits). */
const AUTHORIZATION_LIMIT = 8192;

/**
 * Refuses an Authorization header that is over its limit.
 *
 * @throws ServiceError `token.authorization_too_large`
 */
export function limitAuthorization({ headers }: Pick<HttpRequest, 'headers'>): void {
  if ((headers.get('authorization')?.length ?? 0) > AUTHORIZATION_LIMIT) {
    throw new ServiceError('token.authorization_too_large');
  }
}

/**
 * Returns the DPoP header of a request. Several header lines are joined by a comma (RFC 9110 section 5.3), which makes
 * the value invalid as a proof.
 */
export function proofHeaderOf({ headers, repeatedHeaders }: HttpRequest): ProofHeader {
  const proof = headers.get('dpop');
  if (proof === undefined) return {};
  return { proof: repeatedHeaders.has('dpop') ? `${proof},` : proof };
}

/**
 * Headers of every answer of /authorize, /par, /token, /userinfo, /introspect and /revoke, errors included
 * (spec/sign-in.md#response-headers).
 */
export const NO_STORE: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
