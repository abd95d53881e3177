import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/index.ts';
import { type AccessTokens, userClaims } from '../issuing/index.ts';
import { bearerChallenge, invalidTokenChallenge } from './authenticate-client.ts';

/** What /userinfo needs. */
export interface UserInfoParts {
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly config: Pick<Config, 'baseUrl' | 'claims'>;
}

/** What a relying party is told of the person. */
export interface UserInfo {
  readonly clientId: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

const SCHEME = 'bearer ';

/**
 * Makes the reading of user information (spec/sign-in.md#user-information): the claims of an access token in
 * the Authorization header.
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

/** The token of a header of scheme Bearer in any case; empty where there is none. */
function bearerToken(authorization: string): string {
  const hasScheme = authorization.slice(0, SCHEME.length).toLowerCase() === SCHEME;
  return hasScheme ? authorization.slice(SCHEME.length).trim() : '';
}
