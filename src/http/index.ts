/**
 * HTTP over uWebSockets.js, which no other folder imports. Only `exchange/exchange.ts` and, for the end of an
 * answer, `exchange/last-answer.ts` touch its request and response objects; `exchange/serve-exchange.ts` has
 * the order of work of a request; `routes/` has one file per endpoint. Rules: spec/operations.md#http,
 * spec/operations.md#rate-limits, spec/operations.md#client-address and spec/sign-in.md#http-rules.
 */

export { basePathOf } from '../config/values/public-address.ts';
export { renderAdminError } from './errors/admin.ts';
export { renderRefreshError } from './errors/refresh.ts';
export { renderSigninError } from './errors/signin.ts';
export {
  renderVerifyError,
  VERIFY_HEADERS,
  type VerifyErrorExtra,
  verifyErrorResponse,
} from './errors/verify.ts';
export type {
  ErrorContext,
  ErrorRenderer,
  HttpRequest,
  HttpResponse,
  RateDecision,
  RateGuard,
  Route,
} from './exchange/exchange-types.ts';
export type { ListenerObserver } from './limits/connection-gate.ts';
export { Overload, type OverloadCause } from './limits/overload.ts';
export {
  createRateGuard,
  type FailureGuard,
  failuresPerMinuteGuard,
  perMinuteGuard,
  type RateLimitSettings,
} from './limits/rate-limit.ts';
export { dashboardRoutes } from './routes/admin/dashboard.ts';
export { liveRoute } from './routes/admin/live.ts';
export { type MetricsRouteSettings, metricsRoute } from './routes/admin/metrics.ts';
export { type OperationRouteParts, operationRoutes } from './routes/admin/operation-route.ts';
export { readyRoute } from './routes/admin/ready.ts';
export { createRequireCaller, type RequireCaller } from './routes/admin/require-caller.ts';
export { type DocsParts, docsRoutes } from './routes/docs.ts';
export { openApiRoute } from './routes/openapi.ts';
export { type BridgeRouteParts, bridgeFallback, bridgeRoutes } from './routes/public/bridge.ts';
export { type BridgeCallLimits, type BridgeGuard, createBridgeGuard } from './routes/public/bridge-guard.ts';
export { healthzRoutes } from './routes/public/healthz.ts';
export type { TokenRoutesParts } from './routes/public/signin/clients/client-route.ts';
export { type DiscoveryRoutesParts, discoveryRoutes } from './routes/public/signin/clients/discovery.ts';
export { tokenRoutes } from './routes/public/signin/clients/token-routes.ts';
export { type WalletParts, walletRoutes } from './routes/public/wallet/index.ts';
export { type RouteCollision, type RouteGroup, routeCollisions } from './routing/route-collisions.ts';
export { interfaceFallbacks } from './routing/unknown-path.ts';
export { createHttpServer, type HttpServer, type HttpServerSettings, type PrefixFallback } from './server.ts';
