import { issuerKeysDocument } from '../../../../refresh/keys/credential-keys.ts';
import { renderRefreshError } from '../../../errors/refresh.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import { anyOrigin } from '../../../headers/cors.ts';
import type { RefreshRoutesParts } from './refresh.ts';

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' } as const;

/**
 * Builds `GET /api/v1/issuer-keys` (spec/refresh.md#issuer-key-list), which also answers while refresh is
 * disabled.
 */
export function issuerKeysRoute({ basePath, refresh, admit }: RefreshRoutesParts): Route {
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
