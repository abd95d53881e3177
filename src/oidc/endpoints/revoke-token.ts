import { ServiceError } from '../../errors/service-error.ts';
import type { GrantStore } from '../../storage/signin/grants.ts';
import type { RefreshTokenStore } from '../../storage/signin/refresh-families.ts';
import type { AccessTokens } from '../access-tokens.ts';
import { refuseRepeated, required } from '../parameters.ts';
import { parseRefreshToken, type RefreshToken } from '../refresh-tokens.ts';
import type { ClientAuthentication, ClientCall } from './authenticate-client.ts';
import { TOKEN_CALL_PARAMETERS } from './introspect-token.ts';

/** Dependencies of `createRevocation`. */
export interface RevocationParts {
  readonly authentication: ClientAuthentication;
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly grants: Pick<GrantStore, 'revoke'>;
  readonly refreshTokens: Pick<RefreshTokenStore, 'find' | 'end'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Creates revocation (spec/sign-in.md#revocation, RFC 7009): a valid access token of the caller is revoked
 * until it expires, and a refresh token with its family, durably once the call resolves. A token that is foreign or
 * has expired needs no action.
 *
 * @returns A function that throws ServiceError `signin.repeated_parameter`,
 *   those of client authentication, `signin.parameter_required`, `token.of_another_client`,
 *   `store.unreachable`
 */
export function createRevocation(parts: RevocationParts): (call: ClientCall) => Promise<void> {
  return async (call) => {
    refuseRepeated(call.parameters, TOKEN_CALL_PARAMETERS);
    const { appId } = await parts.authentication.authenticate(call, 'any_client');
    call.facts.client = appId;
    await revoke(appId, call, parts);
  };
}

async function revoke(clientId: string, { parameters }: ClientCall, parts: RevocationParts): Promise<void> {
  const token = required(parameters, 'token');
  const refresh = parseRefreshToken(token);
  if (refresh !== undefined) return endFamily(clientId, refresh, parts);
  const claims = await parts.accessTokens.validate(token);
  if (claims === undefined) return;
  if (claims.clientId !== clientId) throw ofAnotherClient();
  await parts.grants.revoke(claims.jti, claims.exp * 1000);
}

/** Ends the family of a refresh token, also of a replaced one. */
async function endFamily(
  clientId: string,
  { lookupHash }: RefreshToken,
  { refreshTokens, now }: RevocationParts,
): Promise<void> {
  const family = await refreshTokens.find(lookupHash, now());
  if (family === undefined) return;
  if (family.clientId !== clientId) throw ofAnotherClient();
  await refreshTokens.end(lookupHash);
}

function ofAnotherClient(): ServiceError {
  return new ServiceError('token.of_another_client', undefined, { path: 'token' });
}
