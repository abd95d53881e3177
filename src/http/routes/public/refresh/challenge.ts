import { REFRESH_HEADERS, renderRefreshError } from '../../../errors/refresh.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import type { RefreshRoutesParts } from './refresh.ts';

/**
 * Builds `GET /api/v1/challenge` (spec/refresh.md#freshness-mode). HEAD also creates a challenge, but does
 * not send it.
 */
export function challengeRoute({ basePath, refresh, admit }: RefreshRoutesParts): Route {
  return {
    method: 'GET',
    head: true,
    path: `${basePath}/api/v1/challenge`,
    bodyLimitBytes: 0,
    refusesOptions: true,
    ...(admit === undefined ? {} : { admit }),
    renderError: renderRefreshError,
    async handler({ addressKey }) {
      const { challenge, expiresAt } = await refresh.challenge(addressKey);
      return {
        status: 200,
        headers: REFRESH_HEADERS,
        body: JSON.stringify({ challenge, expires_at: expiresAt }),
      };
    },
  };
}
