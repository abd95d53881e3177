import { processors, workersBeside } from '../../config/settings/shape.ts';
import type { Config } from '../../config/settings/types.ts';
import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { loadHttpLibrary } from '../../http/library/load-http-library.ts';

/**
 * Returns the settings with a number of front ends that the HTTP library can serve: with `node:http`, `auto` is one.
 *
 * @param given - The settings as they were given, and where each comes from.
 * @throws ServiceError `http.library_unavailable` if more were asked for
 */
export function usableFrontEnds(
  config: Config,
  { values, origins }: Pick<LoadedConfig, 'values' | 'origins'>,
): { readonly config: Config; readonly warnings: readonly string[] } {
  const { server, http, dataDir } = config;
  if (server.frontEnds === 1) return { config, warnings: [] };
  const { library, facts } = loadHttpLibrary(http.library, dataDir);
  if (library.createAcceptor !== undefined) return { config, warnings: [] };
  const reason = `more than one front end needs uWebSockets.js, and HTTP is served by ${facts.package}`;
  if (values['server.frontEnds'] !== 'auto') {
    throw new ServiceError('http.library_unavailable', `server.frontEnds is ${server.frontEnds}: ${reason}`, {
      cure: 'Set server.frontEnds to 1 or auto, or install a package with a binary of uWebSockets.js.',
    });
  }
  const { engine } = config;
  const workers = origins['engine.workers'] === 'default' ? workersBeside(1, processors()) : engine.workers;
  return {
    config: { ...config, server: { ...server, frontEnds: 1 }, engine: { ...engine, workers } },
    warnings: [`server.frontEnds is auto: ${reason}, so there is one`],
  };
}
