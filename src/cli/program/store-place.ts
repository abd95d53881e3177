import { envName, type LoadedConfig, type Origin, throwFaults } from '../../config/index.ts';
import { isServiceError, ServiceError } from '../../errors/index.ts';

const ORIGINS: Readonly<Record<Origin, string>> = {
  default: 'its default',
  file: 'from the configuration file',
  env: 'from the environment',
  'env-file': 'from the file that the environment names',
  flag: 'from the command line',
};

/** Which setting decides where the store is, its value unless it is a secret, and what a relative path counts from. */
export function placeOfStore({ config, origins }: Pick<LoadedConfig, 'config' | 'origins'>): string {
  const place = `in the working directory ${process.cwd()}`;
  const origin = origins['storage.url'] ?? 'default';
  if (origin !== 'default') {
    return `storage.url (${envName('storage.url')}) decides, ${ORIGINS[origin]}, ${place}`;
  }
  const folder = `dataDir (${envName('dataDir')}) decides, ${JSON.stringify(config.dataDir)}`;
  return `storage.url is not set, so that ${folder}, ${ORIGINS[origins.dataDir ?? 'default']}, ${place}`;
}

/**
 * Refuses to guess the store in production.
 *
 * @throws ServiceError `config.invalid`
 */
export function refuseUnnamedStore({ config, origins }: LoadedConfig): void {
  if (config.profile !== 'production' || origins['storage.url'] !== 'default') return;
  throwFaults([`storage.url (${envName('storage.url')}): required when profile is "production"`]);
}

/**
 * Runs work that needs a store.
 *
 * @throws ServiceError what the work throws; `store.absent` says why it was looked for there
 */
export async function sayingWhere<T>(loaded: LoadedConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error, 'store.absent')) throw error;
    throw new ServiceError('store.absent', `${error.message}: ${placeOfStore(loaded)}`, {}, { cause: error });
  }
}
