import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/index.ts';
import { type AccessTokens, userClaims } from '../issuing/index.ts';
import { bearerChallenge, invalidTokenChallenge } from './authenticate-client.ts';
import { bearerToken } from './read-credentials.ts';

/** Dependencies of `createUserInfo`. */
export interface UserInfoParts {
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly config: Pick<Config, 'baseUrl' | 'claims'>;
}

/** Claims about the person, for a relying party. */
export interface UserInfo {
  readonly clientId: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Creates the lookup of user information (spec/sign-in.md#user-information): the claims for the access token
 * in the Authorization header.
 *
 * @returns A function of that header; it throws ServiceError `token.bearer_missing`, `token.not_active`,
 *   `store.unreachable`
 */
export function createUserInfo(
  parts: UserInfoParts,
): (authorization: string | undefined) => Promise<UserInfo> {
  const { accessTokens, config } = parts;
  return async (authorization = '') => {
    const token = bearerToken(authorization);
    if (token === '') {
      const challenge = bearerChallenge(config.baseUrl);
      throw new ServiceError('token.bearer_missing', undefined, { challenge });
    }
    const valid = await accessTokens.validate(token);
    if (valid === undefined) {
      const challenge = invalidTokenChallenge(config.baseUrl);
      throw new ServiceError('token.not_active', undefined, { path: 'token', challenge });
    }
    return { clientId: valid.clientId, claims: userClaims(valid, config) };
  };
}
