import type { Route } from '../../../exchange/exchange-types.ts';
import { challengeRoute } from './challenge.ts';
import { issuerKeysRoute } from './issuer-keys.ts';
import { type RefreshRoutesParts, refreshRoute } from './refresh.ts';

/** Builds the endpoints of credential refresh (spec/refresh.md#endpoints). */
export function refreshRoutes(parts: RefreshRoutesParts): Route[] {
  return [refreshRoute(parts), issuerKeysRoute(parts), challengeRoute(parts)];
}
