import { createBridge } from '../../bridge/bridge.ts';
import { envName } from '../../config/settings/setting.ts';
import { throwFaults } from '../../config/sources/faults.ts';
import { basePathOf } from '../../config/values/public-address.ts';
import type { CircuitMaker } from '../../development/circuit-maker.ts';
import { createDevelopmentTrees } from '../../development/trees.ts';
import { renderSigninError } from '../../http/errors/signin.ts';
import type { Route } from '../../http/exchange/exchange-types.ts';
import type { Limits } from '../../http/limits/limits.ts';
import type { Overload } from '../../http/limits/overload.ts';
import { loadSite } from '../../http/pages/site.ts';
import { docsRoutes, openApiRoute } from '../../http/routes/docs.ts';
import { bridgeFallback, bridgeRoutes } from '../../http/routes/public/bridge.ts';
import { createBridgeGuard } from '../../http/routes/public/bridge-guard.ts';
import { demoRoutes } from '../../http/routes/public/demo.ts';
import { faviconRoutes } from '../../http/routes/public/favicon.ts';
import { groth16Route } from '../../http/routes/public/groth16.ts';
import { healthzRoutes } from '../../http/routes/public/healthz.ts';
import { landingRoutes } from '../../http/routes/public/landing.ts';
import { verifyRoute } from '../../http/routes/public/verify.ts';
import { walletRoutes } from '../../http/routes/public/wallet/routes.ts';
import { type RouteGroup, routeCollisions } from '../../http/routing/route-collisions.ts';
import { apiFallbacks, interfaceFallbacks, renderUnknownPath } from '../../http/routing/unknown-path.ts';
import {
  createHttpServer,
  type FrontEndSeat,
  type HttpServer,
  type PrefixFallback,
} from '../../http/server.ts';
import { observeRequest } from '../../observability/log/observe-request.ts';
import type { Tracing } from '../../observability/tracing/tracing.ts';
import { createClientAuthentication, type TokenCall } from '../../oidc/endpoints/authenticate-client.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { Groth16Verifier } from '../../verification/groth16.ts';
import { VERSION } from '../../version.ts';
import { storeGuard } from '../parts/health.ts';
import { refreshRoutesOf } from '../parts/refresh.ts';
import { createAppClients } from '../parts/signin.ts';
import type { Service } from '../service.ts';
import { type ListenerParts, observeListener } from './observe-listener.ts';
import { signinRoutes } from './signin-routes.ts';

/** Dependencies of the public listener. */
export interface PublicListenerParts extends ListenerParts, Service {
  readonly limits: Limits;
  /** Notified when requests are refused because of overload. */
  readonly overload: Overload;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
  /** Progress of the development circuit; undefined in production. */
  readonly circuit: CircuitMaker['state'] | undefined;
  /** Undefined if there is one front end, in the main thread. */
  readonly frontEnd?: FrontEndSeat;
}

/**
 * Opens the listener for the public interfaces.
 *
 * @throws ServiceError `server.port_in_use`, `page.not_built`, `config.invalid` for addresses with colliding paths
 */
export async function openPublicListener(parts: PublicListenerParts): Promise<HttpServer> {
  const { config, health, log, metrics } = parts;
  const site = await loadSite(config);
  const routes: Route[] = [
    ...healthzRoutes(basePathOf(config.baseUrl), () => health.isReady),
    ...landingRoutes({ config, site }),
    ...(await faviconRoutes(site.basePath)),
    site.assets.route,
  ];
  if (config.docs.enabled) {
    const { basePath } = site;
    routes.push(...(await docsRoutes({ basePath, title: 'Proofgate API', renderError: renderSigninError })));
  }
  const fallbacks: PrefixFallback[] = interfaceFallbacks(config);
  if (parts.signin !== undefined) {
    const signin = signinRoutes(parts.signin, parts, site);
    routes.push(...signin.routes);
    fallbacks.push(...signin.fallbacks);
  }
  if (config.bridge.enabled) {
    routes.push(...bridgeRoutesOf(parts));
    fallbacks.push(bridgeFallback(config.baseUrl));
  }
  if (parts.circuit !== undefined) {
    const { circuit } = parts;
    routes.push(...(await walletRoutesOf(parts, circuit)));
    if (parts.signin !== undefined) routes.push(...(await demoRoutes({ config, circuit })));
  }
  const verifyRoutes = [
    ...(config.verify.enabled ? [verifyRouteOf(parts)] : []),
    ...(parts.groth16 === undefined ? [] : [groth16RouteOf(parts.groth16, parts)]),
  ];
  const refreshRoutes = refreshRoutesOf(parts.refresh, parts);
  const openApiPath = `${site.basePath}/openapi.json`;
  const described = [
    ...verifyRoutes,
    ...refreshRoutes,
    ...routes,
    { method: 'GET', path: openApiPath },
  ] as const;
  const document = async (): Promise<unknown> => {
    const { publicOpenApi } = await import('../../openapi/public-openapi.ts');
    return publicOpenApi(VERSION, config, described);
  };
  routes.push(openApiRoute(openApiPath, document, renderSigninError));
  refuseCollisions([
    { setting: 'verifyUrl', routes: verifyRoutes },
    { setting: 'issuerUrl', routes: refreshRoutes },
    { setting: 'baseUrl', routes },
  ]);
  return createHttpServer({
    dataDir: config.dataDir,
    listener: 'public',
    ...config.server,
    routes: [...verifyRoutes, ...refreshRoutes, ...routes],
    // the longest prefix first, since an interface may be served below the path of another one
    fallbacks: [
      ...fallbacks.sort((one, other) => other.prefix.length - one.prefix.length),
      ...apiFallbacks(site.basePath),
    ],
    renderUnknown: renderUnknownPath(site),
    baseUrl: config.baseUrl,
    limits: config.http,
    tls: config.tls,
    proxy: config.proxy,
    overload: parts.overload,
    observer: observeListener('public', log, metrics),
    onEnd: observeRequest(log, metrics, parts.usage),
    tracing: parts.tracing,
    frontEnd: parts.frontEnd,
  });
}

function verifyRouteOf({ config, verification, limits, store, metrics }: PublicListenerParts): Route {
  const { bodyLimitBytes, rateLimitPerSecond, rateLimitBurst } = config.verify;
  const rateGuard = limits.rateGuard('verify', { perSecond: rateLimitPerSecond, burst: rateLimitBurst });
  return verifyRoute({
    basePath: basePathOf(config.verifyUrl),
    verifyRequest: verification.verifyRequest,
    bodyLimitBytes,
    metrics,
    admit: storeGuard(store, 'http.unavailable'),
    ...(rateGuard ? { rateGuard } : {}),
  });
}

function groth16RouteOf(verify: Groth16Verifier, parts: PublicListenerParts): Route {
  const { config, limits, store, metrics } = parts;
  const { maxProofs, bodyLimitBytes, requireToken } = config.groth16;
  const { rateLimitPerSecond, rateLimitBurst } = config.verify;
  // Proofs are counted, so a window must admit those of one request.
  const burst = Math.max(rateLimitBurst, maxProofs);
  const rateGuard = limits.rateGuard('groth16', { perSecond: rateLimitPerSecond, burst });
  return groth16Route({
    basePath: basePathOf(config.verifyUrl),
    verify,
    bodyLimitBytes,
    metrics,
    authenticate: requireToken ? tokenCheckOf(parts) : undefined,
    admit: storeGuard(store, 'http.unavailable'),
    ...(rateGuard ? { rateGuard } : {}),
  });
}

/** Returns the check of the bearer tokens of apps, with a failure count separate from that of sign-in. */
function tokenCheckOf(parts: PublicListenerParts): (call: TokenCall) => Promise<AppRow> {
  const { config, limits, metrics, log, signin } = parts;
  const failures = limits.perMinute('groth16 clientAuthFailures', config.rateLimits.clientAuthFailures);
  return createClientAuthentication({
    clients: signin?.clients ?? createAppClients(parts),
    baseUrl: config.verifyUrl,
    metrics,
    log,
    ...(failures === undefined ? {} : { countFailure: failures.consume }),
  }).authenticateToken;
}

function bridgeRoutesOf(parts: PublicListenerParts): Route[] {
  const { config, limits, store, metrics, addressKeys, bridgeIds, now } = parts;
  const { rootAlias, bodyLimitBytes } = config.bridge;
  const { bridge, bridgePolls, bridgePerAddress, bridgeFailures } = config.rateLimits;
  const newId = bridgeIds.create;
  return bridgeRoutes({
    bridge: createBridge({ store: store.bridge, limits: config.bridge, addressKeys, newId, now }),
    baseUrl: config.baseUrl,
    hasRootAlias: rootAlias,
    canOverwrite: config.profile !== 'production',
    bodyLimitBytes,
    metrics,
    admit: storeGuard(store),
    addressGuard: limits.perMinute('rateLimits.bridgePerAddress', bridgePerAddress),
    guard: createBridgeGuard(
      {
        polls: limits.perMinute('rateLimits.bridgePolls', bridgePolls),
        calls: limits.failuresPerMinute('rateLimits.bridge', bridge),
        failures: limits.failuresPerMinute('rateLimits.bridgeFailures', bridgeFailures),
      },
      limits.known('bridgeIds'),
      bridgeIds.isOwn,
    ),
  });
}

/** Builds the routes of the wallet page and of its calls, on the development trees. */
function walletRoutesOf(
  { config, limits, store, apps, engine, keys, now }: PublicListenerParts,
  circuit: CircuitMaker['state'],
): Promise<Route[]> {
  const trees = createDevelopmentTrees({ store, poseidon: (inputs) => engine.poseidon(inputs), now });
  const worldId4 = config.verify.worldid4.enabled
    ? { config, apps, tables: store, engine, keys, limits, now }
    : undefined;
  return walletRoutes({ config, trees, apps, circuit, worldId4 });
}

/**
 * Refuses public addresses whose paths collide, so that two interfaces would answer the same requests.
 *
 * @throws ServiceError `config.invalid`
 */
export function refuseCollisions(groups: readonly RouteGroup[]): void {
  throwFaults(
    routeCollisions(groups).map(({ settings: [one, other], patterns }) => {
      const names = `${one} (${envName(one)}) and ${other} (${envName(other)})`;
      return `${names}: expected paths that keep the interfaces apart, but ${patterns.join(' and ')} match the same requests`;
    }),
  );
}
