import { ServiceError } from '../../errors/index.ts';
import type { GrantStore } from '../../storage/index.ts';
import type { AccessTokens } from '../issuing/index.ts';
import { refuseRepeated, required } from '../parameters.ts';
import { type ClientAuthentication, type ClientCall, onBehalfOf } from './authenticate-client.ts';
import { TOKEN_CALL_PARAMETERS } from './introspect-token.ts';

/** Dependencies of `createRevocation`. */
export interface RevocationParts {
  readonly authentication: ClientAuthentication;
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly grants: Pick<GrantStore, 'revoke'>;
}

/**
 * Creates revocation (spec/sign-in.md#revocation, RFC 7009): a valid access token of the caller is revoked
 * until it expires, durably once the call resolves. A token that is foreign or has expired needs no action.
 *
 * @returns A function that returns the id of the client, and throws ServiceError `signin.repeated_parameter`,
 *   those of client authentication, `signin.parameter_required`, `token.of_another_client`,
 *   `store.unreachable`
 */
export function createRevocation(parts: RevocationParts): (call: ClientCall) => Promise<string> {
  return async (call) => {
    refuseRepeated(call.parameters, TOKEN_CALL_PARAMETERS);
    const { appId } = await parts.authentication.authenticate(call, 'any_client');
    await onBehalfOf(appId, () => revoke(appId, call, parts));
    return appId;
  };
}

async function revoke(
  clientId: string,
  { parameters }: ClientCall,
  { accessTokens, grants }: RevocationParts,
): Promise<void> {
  const claims = await accessTokens.validate(required(parameters, 'token'));
  if (claims === undefined) return;
  if (claims.clientId !== clientId) {
    throw new ServiceError('token.of_another_client', undefined, { path: 'token' });
  }
  await grants.revoke(claims.jti, claims.exp * 1000);
}
