import { type KeyConfig, masterKeyOf, previousMasterKeyOf } from '../../apps/index.ts';
import type { SigningKeyStore } from '../../storage/index.ts';
import type { KeyOperator } from './rotation.ts';
import { createSealer } from './seal.ts';

/**
 * Creates the dependencies of key changes, for the service and the commands.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `config.invalid` in production without a master key
 */
export function createKeyOperator(store: SigningKeyStore, config: KeyConfig, now: () => number): KeyOperator {
  return {
    store,
    config: config.keys,
    sealer: createSealer(masterKeyOf(config), previousMasterKeyOf(config)),
    isDevelopment: config.profile !== 'production',
    now,
  };
}
