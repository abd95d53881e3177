import { basePathOf } from '../../../../../config/values/public-address.ts';
import { createClientAuthentication } from '../../../../../oidc/endpoints/authenticate-client.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import { perMinuteGuard } from '../../../../limits/rate-limit.ts';
import { clientCors } from '../cors.ts';
import type { ClientEndpointParts, TokenRoutesParts } from './client-route.ts';
import { introspectRoute } from './introspect.ts';
import { pushedRequestRoute } from './par.ts';
import { revokeRoute } from './revoke.ts';
import { tokenRoute } from './token.ts';
import { userInfoRoutes } from './userinfo.ts';

/**
 * Builds /par, /token, /userinfo, /introspect and /revoke (spec/sign-in.md#pushed-requests and
 * spec/sign-in.md#token-endpoint to spec/sign-in.md#revocation).
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
  return [
    pushedRequestRoute(shared),
    tokenRoute(shared),
    ...userInfoRoutes(shared),
    introspectRoute(shared),
    revokeRoute(shared),
  ];
}
