import { DEFAULT_CLIENT, namesResponseTypes, PRODUCTION_CLIENT } from '../config/apps/client-of.ts';
import { keepAliveWarning } from '../config/settings/consistency.ts';
import type { Config, LibraryFacts } from '../config/settings/types.ts';
import type { LoadedConfig } from '../config/sources/loaded-config.ts';
import type { HttpServer } from '../http/server.ts';
import type { Log } from '../observability/log/log.ts';

/** Logs the addresses of the listeners, the defaults of apps, and warnings about the start. */
export function announceStart(
  config: Config,
  origins: LoadedConfig['origins'],
  { publicUrl, adminUrl }: { readonly publicUrl: string; readonly adminUrl: string },
  { keepsHeaderBytes, library }: Pick<HttpServer, 'keepsHeaderBytes' | 'library'>,
  log: Log,
): void {
  const { profile, signin, apps } = config;
  log.info('public listener', { url: publicUrl, profile });
  log.info('admin listener', { url: adminUrl });
  announceLibrary(library, log);
  const warning = keepAliveWarning(origins, library);
  if (warning !== undefined) log.warn(warning, { event: 'config.warning' });
  if (signin.enabled) announceDefaults(profile, apps.list, log);
  if (profile !== 'production') announceDevelopment(profile, origins, log);
  if (signin.enabled && !keepsHeaderBytes) warnOfHeaderBytes(log);
}

/** Names the library that serves HTTP and, if it is that of Node, what ruled out the others. */
function announceLibrary({ kind, package: name, version, passedOver }: LibraryFacts, log: Log): void {
  const reason = passedOver.length === 0 ? 'http.library is node' : passedOver.join('; ');
  log.info(kind === 'uws' ? `HTTP by uWebSockets.js (${name} ${version})` : 'HTTP by node:http', {
    event: 'http.library',
    library: kind,
    package: name,
    version,
    ...(kind === 'node' && { reason }),
  });
}

function announceDevelopment(profile: Config['profile'], origins: LoadedConfig['origins'], log: Log): void {
  log.warn(`profile ${profile}: example app, example root and generated values are in use`, {
    event: 'config.development',
  });
  for (const setting of ['baseUrl', 'storage.url', 'dataDir', 'admin.token']) {
    if (origins[setting] === 'default')
      log.info(`default in use: ${setting}`, { event: 'config.default', setting });
  }
}

/**
 * Logs that the first cookie of a header may have had other bytes before its name (spec/operations.md#dependencies).
 */
function warnOfHeaderBytes(log: Log): void {
  log.warn(
    'the HTTP library is used as it is, and strips bytes from 0x80 off header values: a host of the same domain could plant the first cookie of a header; on Linux for x86-64, let TMPDIR or dataDir name a folder that can be written and allows programs',
    { event: 'http.header_bytes' },
  );
}

/** Logs the registration defaults of new apps, and the apps of the configuration that rely on wider ones. */
function announceDefaults(profile: Config['profile'], listed: Config['apps']['list'], log: Log): void {
  const isProduction = profile === 'production';
  const { responseTypes, requirePkce } = isProduction ? PRODUCTION_CLIENT : DEFAULT_CLIENT;
  log.info(
    isProduction
      ? 'new apps are registered for the response type code alone and with PKCE required, unless their options say otherwise'
      : 'new apps are registered for all response types and without PKCE required, unless their options say otherwise',
    { event: 'app.defaults', profile, responseTypes, requirePkce },
  );
  if (!isProduction) return;
  const wide = listed.filter(({ client }) => client.redirectUris.length > 0 && !namesResponseTypes(client));
  if (wide.length === 0) return;
  const ids = wide.map(({ clientId }) => clientId).join(', ');
  log.warn(
    `apps.list: ${ids}: all six response types, since the entry names none; name response_types, such as ["code"], and require_pkce`,
    { event: 'config.warning' },
  );
}
