import type { Config } from '../../config/settings/types.ts';
import type { Store } from '../../storage/index.ts';
import { createKeySet } from '../keys/index.ts';
import { createAccessTokens, type TokenVerdict } from './access-tokens.ts';

/** Longest lifetime of an access token, the upper bound of `signin.accessTokenTtlSeconds`. */
export const MAX_ACCESS_TOKEN_LIFETIME_MS = 86_400_000;

/** Checks a token as /userinfo does; the verdict has the reason. */
export function examineToken(
  token: string,
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { apps, grants, signingKeys }: Pick<Store, 'apps' | 'grants' | 'signingKeys'>,
  now: () => number,
): Promise<TokenVerdict> {
  const keys = createKeySet({ store: signingKeys, use: 'signin', cacheMs: 0, now });
  const clients = { find: (clientId: string) => apps.findByAppId(clientId) };
  return createAccessTokens({ keys, clients, grants, baseUrl, now }).examine(token);
}
