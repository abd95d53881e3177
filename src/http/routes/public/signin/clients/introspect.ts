import { createIntrospection } from '../../../../../oidc/endpoints/introspect-token.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import { answerTo, type ClientEndpointParts, clientRoute } from './client-route.ts';

/** Builds `POST /introspect` (spec/sign-in.md#introspection). */
export function introspectRoute(parts: ClientEndpointParts): Route {
  const { config } = parts;
  const introspect = createIntrospection({
    ...parts,
    baseUrl: config.baseUrl,
    refusesInactive: config.signin.introspectionLegacy401,
  });
  return clientRoute({
    ...(parts.admit === undefined ? {} : { admit: parts.admit }),
    path: `${parts.basePath}/introspect`,
    perMinute: config.rateLimits.introspect,
    answer: async (call) => answerTo(call.facts, await introspect(call)),
  });
}
