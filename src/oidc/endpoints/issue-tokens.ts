import type { Config } from '../../config/settings/types.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { GrantStore } from '../../storage/signin/grants.ts';
import type { RefreshTokenStore } from '../../storage/signin/refresh-families.ts';
import type { Dpop } from '../dpop/check-proof.ts';
import type { RefreshToken } from '../refresh-tokens.ts';
import type { TokenIssuer, TokenType } from '../token-issuer.ts';
import type { Grant } from '../types.ts';

/** Dependencies of the grants of /token. */
export interface TokenEndpointParts {
  readonly grants: Pick<GrantStore, 'useCode'>;
  readonly refreshTokens: Pick<RefreshTokenStore, 'find' | 'rotate' | 'end'>;
  readonly tokens: TokenIssuer;
  readonly dpop: Dpop;
  readonly config: Pick<Config, 'baseUrl'> & {
    readonly signin: Pick<
      Config['signin'],
      'accessTokenTtlSeconds' | 'idTokenTtlSeconds' | 'refreshTokenSeconds'
    >;
    readonly http: Pick<Config['http'], 'handlerTimeoutMs'>;
  };
  readonly metrics: Pick<Metrics, 'codeReplayTotal' | 'refreshTokenReplayTotal' | 'tokenIssuedTotal'>;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Body of a successful response, with members named as they are sent. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: TokenType;
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly id_token: string;
}

/**
 * Returns the latest expiry of the tokens for a request that arrived at `at`, in milliseconds since the epoch. They are
 * signed at most `handlerTimeoutMs` after `at`: a slower request gets no response.
 */
export function tokensEndAt(
  at: number,
  { signin, http }: Pick<TokenEndpointParts['config'], 'signin' | 'http'>,
): number {
  const lifeMs = Math.max(signin.accessTokenTtlSeconds, signin.idTokenTtlSeconds) * 1000;
  return at + http.handlerTimeoutMs + lifeMs;
}

/**
 * Signs the tokens of a response.
 *
 * @param jti - Identifier of the access token.
 * @param refresh - The refresh token of the response, if it has one.
 */
export async function issueTokens(
  grant: Grant,
  jti: string,
  refresh: RefreshToken | undefined,
  { tokens }: Pick<TokenEndpointParts, 'tokens'>,
): Promise<TokenResponse> {
  const { token, expiresInSeconds, tokenType } = await tokens.accessToken(grant, jti);
  const idToken = await tokens.idToken(grant, { accessToken: token });
  return {
    access_token: token,
    token_type: tokenType,
    expires_in: expiresInSeconds,
    scope: grant.scope.join(' '),
    ...(refresh === undefined ? {} : { refresh_token: refresh.text }),
    id_token: idToken,
  };
}
