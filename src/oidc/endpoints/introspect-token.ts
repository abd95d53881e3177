import { ServiceError } from '../../errors/index.ts';
import type { AccessTokens } from '../issuing/index.ts';
import { refuseRepeated, required } from '../parameters.ts';
import {
  basicChallenge,
  type ClientAuthentication,
  type ClientCall,
  onBehalfOf,
} from './authenticate-client.ts';

/** Dependencies of `createIntrospection`. */
export interface IntrospectionParts {
  readonly authentication: ClientAuthentication;
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly baseUrl: string;
  /** `signin.introspectionLegacy401`. */
  readonly refusesInactive: boolean;
}

/** Result of introspection for a client, with members named as they are sent. */
export interface Introspection {
  readonly clientId: string;
  readonly response: Readonly<Record<string, string | number | boolean>>;
}

/** Parameters of /introspect and /revoke. */
export const TOKEN_CALL_PARAMETERS = ['client_id', 'client_secret', 'token', 'token_type_hint'] as const;

/** The response of RFC 7662 section 2.2, and the members of an error body (spec/sign-in.md#introspection). */
const INACTIVE = {
  active: false,
  code: 'invalid_token',
  detail: 'Token is invalid or expired.',
  attribute: 'token',
} as const;

/**
 * Creates introspection (spec/sign-in.md#introspection), which begins with the check for repeated parameters.
 * A valid access token of the caller is active; anything else gets one and the same response.
 *
 * @returns A function that throws ServiceError `signin.repeated_parameter`, those of client authentication,
 *   `signin.parameter_required`, `token.not_active` if `refusesInactive`, `store.unreachable`
 */
export function createIntrospection(parts: IntrospectionParts): (call: ClientCall) => Promise<Introspection> {
  return async (call) => {
    refuseRepeated(call.parameters, TOKEN_CALL_PARAMETERS);
    const { appId: clientId } = await parts.authentication.authenticate(call, 'confidential_clients');
    const response = await onBehalfOf(clientId, () => introspect(clientId, call, parts));
    return { clientId, response };
  };
}

async function introspect(
  clientId: string,
  { parameters }: ClientCall,
  { accessTokens, baseUrl, refusesInactive }: IntrospectionParts,
): Promise<Introspection['response']> {
  const claims = await accessTokens.validate(required(parameters, 'token'));
  if (claims === undefined || claims.clientId !== clientId) {
    if (!refusesInactive) return INACTIVE;
    const challenge = basicChallenge(baseUrl);
    throw new ServiceError('token.not_active', undefined, { path: 'token', challenge });
  }
  const { exp, sub, scope, iat, jti } = claims;
  return {
    active: true,
    client_id: clientId,
    exp,
    sub,
    scope: scope.join(' '),
    token_type: 'Bearer',
    iat,
    iss: baseUrl,
    aud: baseUrl,
    jti,
  };
}
