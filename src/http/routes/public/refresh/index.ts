import type { Config } from '../../../../config/settings/types.ts';
import type { Metrics } from '../../../../observability/index.ts';
import type { Refresh } from '../../../../refresh/index.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import { challengeRoute } from './challenge.ts';
import { issuerKeysRoute } from './issuer-keys.ts';
import { refreshRoute } from './refresh.ts';

/** What the routes need of the rest of the service. */
export interface RefreshRoutesParts {
  readonly config: { readonly refresh: Pick<Config['refresh'], 'bodyLimitBytes'> };
  /** Path of `issuerUrl`; the endpoints are below it. */
  readonly basePath: string;
  readonly refresh: Refresh;
  readonly metrics: Pick<Metrics, 'credentialsIssuedTotal' | 'refreshRefusalsTotal'>;
  /** Refuses while the store is down; throws. */
  readonly admit?: NonNullable<Route['admit']>;
}

/** The endpoints of credential refresh. */
export function refreshRoutes(parts: RefreshRoutesParts): Route[] {
  return [refreshRoute(parts), issuerKeysRoute(parts), challengeRoute(parts)];
}
