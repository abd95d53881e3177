import type { Clients } from '../../../../../apps/index.ts';
import type { Config } from '../../../../../config/settings/types.ts';
import { basePathOf } from '../../../../../config/values/public-address.ts';
import type { Log, Metrics } from '../../../../../observability/index.ts';
import {
  type ClientAuthentication,
  createClientAuthentication,
} from '../../../../../oidc/endpoints/index.ts';
import type { AccessTokens, TokenIssuer } from '../../../../../oidc/issuing/index.ts';
import type { GrantStore } from '../../../../../storage/index.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import type { CorsPolicy } from '../../../../headers/cors.ts';
import { perMinuteGuard } from '../../../../limits/rate-limit.ts';
import { clientCors } from '../cors.ts';
import { introspectRoute } from './introspect.ts';
import { revokeRoute } from './revoke.ts';
import { tokenRoute } from './token.ts';
import { userInfoRoutes } from './userinfo.ts';

/** What the endpoints for clients need of the rest of the service. */
export interface TokenRoutesParts {
  readonly config: Pick<Config, 'baseUrl' | 'claims' | 'signin' | 'rateLimits' | 'http'>;
  readonly clients: Clients;
  readonly grants: Pick<GrantStore, 'useCode' | 'revoke'>;
  readonly tokens: TokenIssuer;
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly metrics: Pick<Metrics, 'clientAuthFailuresTotal' | 'codeReplayTotal' | 'tokenIssuedTotal'>;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Refuses while the store is down; throws. */
  readonly admit?: NonNullable<Route['admit']>;
}

/** The same with what the endpoints share. */
export interface ClientEndpointParts extends TokenRoutesParts {
  readonly authentication: ClientAuthentication;
  /** Path of `baseUrl`. */
  readonly basePath: string;
  readonly corsOf: (methods: readonly string[]) => CorsPolicy;
}

/**
 * /token, /userinfo, /introspect and /revoke (spec/sign-in.md#token-endpoint to spec/sign-in.md#revocation).
 */
export function tokenRoutes(parts: TokenRoutesParts): Route[] {
  const { config, clients, metrics, log } = parts;
  const failures = perMinuteGuard(config.rateLimits.clientAuthFailures);
  const authentication = createClientAuthentication({
    clients,
    baseUrl: config.baseUrl,
    metrics,
    log,
    ...(failures === undefined ? {} : { countFailure: failures.consume }),
  });
  const shared: ClientEndpointParts = {
    ...parts,
    authentication,
    basePath: basePathOf(config.baseUrl),
    corsOf: (methods) => clientCors(clients, methods),
  };
  return [tokenRoute(shared), ...userInfoRoutes(shared), introspectRoute(shared), revokeRoute(shared)];
}
