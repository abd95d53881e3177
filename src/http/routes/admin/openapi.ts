import { renderAdminError } from '../../errors/admin.ts';
import type { Route } from '../../exchange/exchange-types.ts';

/** Builds `GET /openapi.json`, the description of a listener, which holds nothing secret. */
export function openApiRoute(document: unknown): Route {
  const body = JSON.stringify(document);
  return {
    method: 'GET',
    path: '/openapi.json',
    bodyLimitBytes: 0,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' },
    renderError: renderAdminError,
    handler: () => ({ status: 200, body }),
  };
}
