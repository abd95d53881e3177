import { renderAdminError } from '../../errors/admin.ts';
import type { Route } from '../../exchange/exchange-types.ts';

/** `GET /health/live`: answers while the event loop does. */
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
