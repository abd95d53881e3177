import { renderSigninError } from '../../errors/signin.ts';
import type { Route } from '../../exchange/exchange-types.ts';

/**
 * Builds `GET /healthz`: readiness for load balancers, without detail. Served at the root, for calls of a balancer to
 * the node itself, and below the path of `baseUrl`, for calls of a monitor through the balancer.
 *
 * @param basePath - Path of `baseUrl`.
 */
export function healthzRoutes(basePath: string, isReady: () => boolean): Route[] {
  const paths = new Set(['/healthz', `${basePath}/healthz`]);
  return [...paths].map((path) => healthzRoute(path, isReady));
}

function healthzRoute(path: string, isReady: () => boolean): Route {
  return {
    method: 'GET',
    path,
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
