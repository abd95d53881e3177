import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createAuthenticate } from '../../admin/admin-tokens.ts';
import { createByteSealer, masterKeyOf, previousMasterKeyOf } from '../../apps/secrets/master-key.ts';
import { isLoopback } from '../../config/settings/schema.ts';
import type { Config } from '../../config/settings/types.ts';
import { generateDevelopmentKey } from '../../config/sources/development-key.ts';
import { renderAdminError } from '../../http/errors/admin.ts';
import type { Route } from '../../http/exchange/exchange-types.ts';
import type { Limits } from '../../http/limits/limits.ts';
import { dashboardRoutes } from '../../http/routes/admin/dashboard.ts';
import { metricsRoute } from '../../http/routes/admin/metrics.ts';
import { operationRoutes } from '../../http/routes/admin/operation-route.ts';
import { liveRoute, readyRoute } from '../../http/routes/admin/ready.ts';
import { createRequireCaller, type RequireCaller } from '../../http/routes/admin/require-caller.ts';
import { docsRoutes, openApiRoute } from '../../http/routes/docs.ts';
import { createHttpServer, type HttpServer } from '../../http/server.ts';
import type { Health } from '../../observability/health.ts';
import { observeRequest } from '../../observability/log/observe-request.ts';
import type { UsageTally } from '../../observability/usage.ts';
import { adminOpenApi } from '../../operations/openapi.ts';
import type { AdminServices } from '../../operations/operation.ts';
import { VERSION } from '../../version.ts';
import { type ListenerParts, observeListener } from './observe-listener.ts';

/** Dependencies of the admin listener. */
export interface AdminListenerParts extends ListenerParts {
  readonly health: Health;
  readonly limits: Limits;
  /** Returns the metrics of all threads. */
  readonly exposition: () => Promise<string>;
  readonly services: AdminServices;
  readonly usage: UsageTally;
}

/**
 * Opens the listener for the admin API, the dashboard, health and metrics.
 *
 * @throws ServiceError `server.port_in_use`, `page.not_built`
 */
export async function openAdminListener({
  config,
  health,
  limits,
  log,
  metrics,
  exposition,
  services,
  usage,
}: AdminListenerParts): Promise<HttpServer> {
  const { store, now } = services;
  const failures = limits.failuresPerMinute('rateLimits.adminFailures', config.rateLimits.adminFailures);
  const generated = config.admin.token === undefined ? generatedToken(config) : '';
  const token = (): string => services.config.admin.token ?? generated;
  const callersWith = (scrapers?: () => string | undefined): RequireCaller =>
    createRequireCaller(createAuthenticate(token, store.adminTokens, now, scrapers), failures);
  const requireCaller = callersWith();
  const sealer = createByteSealer(masterKeyOf(config), previousMasterKeyOf(config));
  const routes: Route[] = [
    liveRoute(),
    readyRoute(() => health.report()),
    openApiRoute('/openapi.json', () => adminOpenApi(VERSION), renderAdminError),
    ...operationRoutes({ services, requireCaller, limits, sealer }),
    ...(await dashboardRoutes()),
    ...(await docsRoutes({ basePath: '', title: 'Proofgate admin API', renderError: renderAdminError })),
  ];
  if (config.metrics.enabled) {
    routes.push(
      metricsRoute({
        contentType: metrics.contentType,
        exposition,
        requireCaller: config.metrics.requireToken
          ? callersWith(() => services.config.metrics.token)
          : undefined,
      }),
    );
  }
  return createHttpServer({
    dataDir: config.dataDir,
    listener: 'admin',
    ...config.admin,
    hostNames: [
      config.admin.host,
      new URL(config.baseUrl).hostname,
      hostname(),
      ...config.admin.allowedHosts,
    ],
    routes,
    fallbacks: [],
    renderUnknown: renderAdminError,
    baseUrl: config.baseUrl,
    // Probes and scrapers on this machine need no certificate.
    ...(isLoopback(config.admin.host) ? {} : { tls: config.tls }),
    proxy: config.proxy,
    limits: config.http,
    usesReserve: true,
    observer: observeListener('admin', log, metrics),
    onEnd: observeRequest(log, metrics, usage),
  });
}

/** Returns the admin token that the development profile generates and stores in the data folder. */
function generatedToken(config: Config): string {
  const file = join(config.dataDir, 'admin-token');
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, generateDevelopmentKey(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8');
}
