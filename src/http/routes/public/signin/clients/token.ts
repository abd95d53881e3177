import { createTokenEndpoint } from '../../../../../oidc/endpoints/token-endpoint.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import { answerTo, type ClientEndpointParts, clientRoute } from './client-route.ts';

/** Builds `POST /token` (spec/sign-in.md#token-endpoint). */
export function tokenRoute(parts: ClientEndpointParts): Route {
  const issue = createTokenEndpoint(parts);
  return clientRoute({
    ...(parts.admit === undefined ? {} : { admit: parts.admit }),
    path: `${parts.basePath}/token`,
    perMinute: parts.config.rateLimits.token,
    cors: parts.corsOf(['POST']),
    answer: async (call) => answerTo(call.facts, await issue(call)),
  });
}
