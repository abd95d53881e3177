import type { HealthReport } from '../../../observability/health.ts';
import { renderAdminError } from '../../errors/admin.ts';
import type { Route } from '../../exchange/exchange-types.ts';

/** Builds `GET /health/ready`: the last result and age of each background check. It runs no check itself. */
export function readyRoute(report: () => HealthReport): Route {
  return {
    method: 'GET',
    path: '/health/ready',
    bodyLimitBytes: 0,
    isAlwaysServed: true,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    renderError: renderAdminError,
    handler() {
      const current = report();
      const isReady = current.status === 'ok';
      return {
        status: isReady ? 200 : 503,
        ...(isReady ? {} : { headers: { 'Retry-After': '1' } }),
        body: JSON.stringify(current),
      };
    },
  };
}

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
