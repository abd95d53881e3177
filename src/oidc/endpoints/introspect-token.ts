import { timingSafeEqual } from 'node:crypto';
import type { Clients } from '../../apps/clients.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { RefreshTokenStore } from '../../storage/signin/refresh-families.ts';
import type { AccessTokens } from '../access-tokens.ts';
import { refuseRepeated, required } from '../parameters.ts';
import { parseRefreshToken, type RefreshToken } from '../refresh-tokens.ts';
import { subjectOf } from '../token-issuer.ts';
import { basicChallenge, type ClientAuthentication, type ClientCall } from './authenticate-client.ts';

/** Dependencies of `createIntrospection`. */
export interface IntrospectionParts {
  readonly authentication: ClientAuthentication;
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly refreshTokens: Pick<RefreshTokenStore, 'find'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** `signin.introspectionLegacy401`. */
  readonly refusesInactive: boolean;
}

/** Result of introspection, with members named as they are sent. */
export type Introspection = Readonly<Record<string, string | number | boolean | { readonly jkt: string }>>;

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
 * Creates introspection (spec/sign-in.md#introspection), which begins with the check for repeated parameters. A valid
 * access token or refresh token of the caller, or of a client that it introspects, is active; anything else gets the
 * same inactive response.
 *
 * @returns A function that throws ServiceError `signin.repeated_parameter`, those of client authentication,
 *   `signin.parameter_required`, `token.not_active` if `refusesInactive`, `store.unreachable`
 */
export function createIntrospection(parts: IntrospectionParts): (call: ClientCall) => Promise<Introspection> {
  return async (call) => {
    refuseRepeated(call.parameters, TOKEN_CALL_PARAMETERS);
    const client = await parts.authentication.authenticate(call, 'confidential_clients');
    call.facts.client = client.appId;
    return await introspect(client, call, parts);
  };
}

async function introspect(
  client: AppRow,
  { parameters }: ClientCall,
  parts: IntrospectionParts,
): Promise<Introspection> {
  const token = required(parameters, 'token');
  const refresh = parseRefreshToken(token);
  const active =
    refresh === undefined
      ? await accessTokenMembers(client, token, parts)
      : await refreshTokenMembers(client, refresh, parts);
  if (active !== undefined) return active;
  if (!parts.refusesInactive) return INACTIVE;
  const challenge = basicChallenge(parts.baseUrl);
  throw new ServiceError('token.not_active', undefined, { path: 'token', challenge });
}

/**
 * Returns the members for the current refresh token of a family that the caller may ask about; undefined for any other
 * token, such as a replaced one.
 */
async function refreshTokenMembers(
  caller: AppRow,
  { lookupHash, tokenHash }: RefreshToken,
  { refreshTokens, clients, baseUrl, now }: IntrospectionParts,
): Promise<Introspection | undefined> {
  const family = await refreshTokens.find(lookupHash, now());
  if (family === undefined || !mayAsk(caller, family.clientId)) return undefined;
  if (!timingSafeEqual(family.tokenHash, tokenHash)) return undefined;
  const owner = await clients.find(family.clientId);
  if (owner?.status !== 'active' || !owner.client.refreshTokens) return undefined;
  return {
    active: true,
    client_id: owner.appId,
    exp: Math.floor(family.expiresAt / 1000),
    sub: subjectOf(family.accepted).sub,
    scope: family.scope,
    iat: Math.floor(family.lastUsedAt / 1000),
    iss: baseUrl,
  };
}

/** Whether a client may ask about the tokens of another one, or of itself. */
function mayAsk({ appId, client }: AppRow, ownerId: string): boolean {
  return appId === ownerId || client.introspects.includes(ownerId);
}

async function accessTokenMembers(
  caller: AppRow,
  token: string,
  { accessTokens, baseUrl }: IntrospectionParts,
): Promise<Introspection | undefined> {
  const claims = await accessTokens.validate(token);
  if (claims === undefined || !mayAsk(caller, claims.clientId)) return undefined;
  const { clientId, exp, sub, scope, iat, jti, jkt } = claims;
  return {
    active: true,
    client_id: clientId,
    exp,
    sub,
    scope: scope.join(' '),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    iat,
    iss: baseUrl,
    aud: baseUrl,
    jti,
    ...(jkt === undefined ? {} : { cnf: { jkt } }),
  };
}
