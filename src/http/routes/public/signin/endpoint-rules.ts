import { type Clients, originsOf } from '../../../../apps/clients.ts';
import { ServiceError } from '../../../../errors/service-error.ts';
import type { ProofHeader } from '../../../../oidc/endpoints/authenticate-client.ts';
import type { HttpRequest } from '../../../exchange/exchange-types.ts';
import { anyOrigin, type CorsPolicy, someOrigins } from '../../../headers/cors.ts';

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

/** CORS of discovery and the key set, which are public and the same for every caller. */
export const PUBLIC_DOCUMENT_CORS: CorsPolicy = anyOrigin({
  methods: ['GET', 'HEAD', 'OPTIONS'],
  requestHeaders: 'Content-Type',
});

/**
 * Creates the CORS policy of endpoints that clients call from their pages (spec/sign-in.md#cors): it allows
 * the origins of the client's redirect URIs, or those of all active clients if the client is not known.
 */
export function clientCors(
  clients: Pick<Clients, 'find' | 'hasOrigin'>,
  methods: readonly string[],
): CorsPolicy {
  return someOrigins({
    methods: [...methods, 'OPTIONS'],
    // `*` never covers Authorization
    requestHeaders: 'Authorization, Content-Type, DPoP',
    exposed: 'DPoP-Nonce, WWW-Authenticate',
    async isAllowed(origin, clientId) {
      const client = clientId === undefined ? undefined : await clients.find(clientId);
      return client?.status === 'active' ? originsOf(client).has(origin) : clients.hasOrigin(origin);
    },
  });
}
