import { envName, type Origin } from '../../config/settings/setting.ts';
import { throwFaults } from '../../config/sources/faults.ts';
import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';

const ORIGINS: Readonly<Record<Origin, string>> = {
  default: 'its default',
  file: 'from the configuration file',
  env: 'from the environment',
  'env-file': 'from the file that the environment names',
  flag: 'from the command line',
};

/** Describes which setting decides where the store is, its origin, and the base of relative paths. */
export function placeOfStore({ config, origins }: Pick<LoadedConfig, 'config' | 'origins'>): string {
  const place = `in the working directory ${process.cwd()}`;
  const origin = origins['storage.url'] ?? 'default';
  if (origin !== 'default') {
    return `storage.url (${envName('storage.url')}) decides, ${ORIGINS[origin]}, ${place}`;
  }
  const folder = `dataDir (${envName('dataDir')}) decides, ${JSON.stringify(config.dataDir)}`;
  return `storage.url is not set, so ${folder}, ${ORIGINS[origins.dataDir ?? 'default']}, ${place}`;
}

/**
 * Refuses to use the default store in production.
 *
 * @throws ServiceError `config.invalid`
 */
export function refuseUnnamedStore({ config, origins }: LoadedConfig): void {
  if (config.profile !== 'production' || origins['storage.url'] !== 'default') return;
  throwFaults([`storage.url (${envName('storage.url')}): required when profile is "production"`]);
}

/**
 * Runs work that needs a store. If the store is absent, adds to the error why it was expected at that place.
 *
 * @throws ServiceError what the work throws
 */
export async function explainAbsentStore<T>(loaded: LoadedConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error, 'store.absent')) throw error;
    throw new ServiceError('store.absent', `${error.message}: ${placeOfStore(loaded)}`, {}, { cause: error });
  }
}
