import { renderSigninError } from '../../errors-signin.ts';
import type { Route } from '../../exchange-types.ts';

/** `GET /healthz`: readiness for load balancers, without detail. */
export function healthzRoute(isReady: () => boolean): Route {
  return {
    method: 'GET',
    path: '/healthz',
    bodyLimitBytes: 0,
    isAlwaysServed: true,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    renderError: renderSigninError,
    handler: () =>
      isReady()
        ? { status: 200, body: '{"status":"ok"}' }
        : { status: 503, headers: { 'Retry-After': '1' }, body: '{"status":"unavailable"}' },
  };
}
