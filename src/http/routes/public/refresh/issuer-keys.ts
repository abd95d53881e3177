import type { ListedIssuerKey } from '../../../../refresh/index.ts';
import { anyOrigin } from '../../../cors.ts';
import { renderRefreshError } from '../../../errors-refresh.ts';
import type { Route } from '../../../exchange-types.ts';
import type { RefreshRoutesParts } from './index.ts';

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' } as const;

/** `GET /api/v1/issuer-keys` (refresh.md section 11); it answers while refresh is disabled too. */
export function issuerKeysRoute({ refresh, admit }: RefreshRoutesParts): Route {
  return {
    method: 'GET',
    head: true,
    path: '/api/v1/issuer-keys',
    bodyLimitBytes: 0,
    refusesOptions: true,
    cors: anyOrigin({ methods: ['GET', 'HEAD'], requestHeaders: 'Content-Type' }),
    ...(admit === undefined ? {} : { admit }),
    renderError: renderRefreshError,
    handler: async () => ({
      status: 200,
      headers: HEADERS,
      body: `{"keys":[${(await refresh.issuerKeys()).map(keyJson).join()}]}`,
    }),
  };
}

// By hand: a u64 does not survive a double.
function keyJson({ issuerSchemaId, pk, status }: ListedIssuerKey): string {
  const id = BigInt(issuerSchemaId);
  return `{"issuer_schema_id":${id},"pk":${JSON.stringify(pk)},"status":${JSON.stringify(status)}}`;
}
