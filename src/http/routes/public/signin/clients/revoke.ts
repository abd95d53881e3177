import { createRevocation } from '../../../../../oidc/endpoints/revoke-token.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import { type ClientEndpointParts, clientRoute } from './client-route.ts';

/** Builds `POST /revoke` (spec/sign-in.md#revocation). */
export function revokeRoute(parts: ClientEndpointParts): Route {
  const revoke = createRevocation(parts);
  return clientRoute({
    ...(parts.admit === undefined ? {} : { admit: parts.admit }),
    path: `${parts.basePath}/revoke`,
    perMinute: parts.config.rateLimits.revoke,
    cors: parts.corsOf(['POST']),
    async answer(call) {
      await revoke(call);
      const { client } = call.facts;
      return { status: 200, ...(client === undefined ? {} : { clientId: client }) };
    },
  });
}
