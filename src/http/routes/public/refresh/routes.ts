import { issuerKeysDocument } from '../../../../refresh/keys/credential-keys.ts';
import { REFRESH_HEADERS, renderRefreshError } from '../../../errors/refresh.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import { anyOrigin } from '../../../headers/cors.ts';
import { type RefreshRoutesParts, refreshRoute } from './refresh.ts';

/** Builds the endpoints of credential refresh (spec/refresh.md#endpoints). */
export function refreshRoutes(parts: RefreshRoutesParts): Route[] {
  return [refreshRoute(parts), issuerKeysRoute(parts), challengeRoute(parts)];
}

/**
 * Builds `GET /api/v1/challenge` (spec/refresh.md#freshness-mode). HEAD also creates a challenge, but does
 * not send it.
 */
function challengeRoute({ basePath, refresh, admit }: RefreshRoutesParts): Route {
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

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' } as const;

/**
 * Builds `GET /api/v1/issuer-keys` (spec/refresh.md#issuer-key-list), which also answers while refresh is
 * disabled.
 */
function issuerKeysRoute({ basePath, refresh, admit }: RefreshRoutesParts): Route {
  return {
    method: 'GET',
    head: true,
    path: `${basePath}/api/v1/issuer-keys`,
    bodyLimitBytes: 0,
    refusesOptions: true,
    cors: anyOrigin({ methods: ['GET', 'HEAD'], requestHeaders: 'Content-Type' }),
    ...(admit === undefined ? {} : { admit }),
    renderError: renderRefreshError,
    handler: async () => ({
      status: 200,
      headers: HEADERS,
      body: issuerKeysDocument(await refresh.issuerKeys()),
    }),
  };
}
