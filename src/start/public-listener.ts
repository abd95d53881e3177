import { createBridge } from '../bridge/index.ts';
import { createDevelopmentTrees } from '../development/index.ts';
import {
  bridgeFallback,
  bridgeRoutes,
  createHttpServer,
  createRateGuard,
  type HttpServer,
  healthzRoute,
  type PrefixFallback,
  PUBLIC_FALLBACKS,
  type Route,
  renderSigninError,
  walletRoutes,
} from '../http/index.ts';
import { demoRoutes } from '../http/routes/public/demo/index.ts';
import { verifyRoute } from '../http/routes/public/verify.ts';
import { observeRequest } from '../observability/index.ts';
import type { Verification } from '../verification/index.ts';
import type { ListenerParts } from './listener-parts.ts';
import { type RefreshService, refreshRoutesOf } from './refresh.ts';
import type { Signin, SigninParts } from './signin.ts';
import { signinRoutes } from './signin-routes.ts';
import { storeGuard } from './store-guard.ts';

/** What the public listener needs beside that. */
export interface PublicListenerParts extends ListenerParts, SigninParts {
  readonly verification: Verification;
  /** Absent where `signin.enabled` is false. */
  readonly signin: Signin | undefined;
  readonly refresh: RefreshService;
}

/**
 * Opens the listener of the interfaces.
 *
 * @throws ServiceError `server.port_in_use`, `page.not_built`
 */
export async function openPublicListener(parts: PublicListenerParts): Promise<HttpServer> {
  const { config, health, log, metrics } = parts;
  const routes: Route[] = [healthzRoute(() => health.isReady)];
  if (config.verify.enabled) routes.push(verifyRouteOf(parts));
  const fallbacks: PrefixFallback[] = [...PUBLIC_FALLBACKS];
  if (parts.signin !== undefined) {
    const signin = await signinRoutes(parts.signin, parts);
    routes.push(...signin.routes);
    fallbacks.push(...signin.fallbacks);
  }
  routes.push(...refreshRoutesOf(parts.refresh, parts));
  if (config.bridge.enabled) {
    routes.push(...bridgeRoutesOf(parts));
    fallbacks.push(bridgeFallback(config.baseUrl));
  }
  if (config.profile !== 'production') {
    routes.push(...(await walletRoutesOf(parts)));
    if (parts.signin !== undefined) routes.push(...(await demoRoutes({ config })));
  }
  return createHttpServer({
    listener: 'public',
    ...config.server,
    routes,
    fallbacks,
    renderUnknown: renderSigninError,
    baseUrl: config.baseUrl,
    limits: config.http,
    tls: config.tls,
    proxy: config.proxy,
    onEnd: observeRequest(log, metrics),
  });
}

function verifyRouteOf({ config, verification, store, metrics }: PublicListenerParts): Route {
  const { bodyLimitBytes, rateLimitPerSecond, rateLimitBurst } = config.verify;
  const rateGuard = createRateGuard({ perSecond: rateLimitPerSecond, burst: rateLimitBurst });
  return verifyRoute({
    verifyRequest: verification.verifyRequest,
    bodyLimitBytes,
    metrics,
    admit: storeGuard(store, 'http.unavailable'),
    ...(rateGuard ? { rateGuard } : {}),
  });
}

function bridgeRoutesOf({ config, store, metrics, now }: PublicListenerParts): Route[] {
  const { rootAlias, bodyLimitBytes } = config.bridge;
  const perMinute = config.rateLimits.bridge;
  const rateGuard = createRateGuard({ perSecond: perMinute / 60, burst: perMinute });
  return bridgeRoutes({
    bridge: createBridge({ store: store.bridge, limits: config.bridge, now }),
    baseUrl: config.baseUrl,
    hasRootAlias: rootAlias,
    canOverwrite: config.profile !== 'production',
    bodyLimitBytes,
    metrics,
    admit: storeGuard(store),
    ...(rateGuard ? { rateGuard } : {}),
  });
}

/** The wallet page with its calls, over the development trees. */
function walletRoutesOf({ config, store, apps, engine, now }: PublicListenerParts): Promise<Route[]> {
  const trees = createDevelopmentTrees({ store, poseidon: (inputs) => engine.poseidon(inputs), now });
  return walletRoutes({ config, trees, apps });
}
