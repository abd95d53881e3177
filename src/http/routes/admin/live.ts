import { renderAdminError } from '../../errors/admin.ts';
import type { Route } from '../../exchange/exchange-types.ts';

/** Builds `GET /health/live`, which answers as long as the event loop runs. */
export function liveRoute(): Route {
  return {
    method: 'GET',
    path: '/health/live',
    bodyLimitBytes: 0,
    isAlwaysServed: true,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    renderError: renderAdminError,
    handler: () => ({ status: 200, body: '{"status":"ok"}' }),
  };
}
