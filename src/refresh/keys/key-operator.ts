import { type ByteSealer, createByteSealer, masterKeyOf, previousMasterKeyOf } from '../../apps/index.ts';
import type { Config } from '../../config/settings/types.ts';
import type { IssuerKeyStore } from '../../storage/index.ts';
import type { KeyEngine } from './register-seed.ts';

/** The settings that credential keys depend on. */
export type CredentialKeyConfig = Pick<Config, 'profile' | 'dataDir' | 'keys' | 'apps' | 'refresh'>;

/** Dependencies of changes of credential keys, by the service and by the commands. */
export interface CredentialKeyOperator {
  readonly store: IssuerKeyStore;
  readonly engine: KeyEngine;
  readonly sealer: ByteSealer;
  /** A u64 in decimal. */
  readonly issuerSchemaId: string;
  /** Whether the profile is not production; production refuses keys that were generated in this profile. */
  readonly isDevelopment: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Dependencies of `createCredentialKeyOperator`. */
export interface CredentialKeyOperatorParts {
  readonly store: IssuerKeyStore;
  readonly engine: KeyEngine;
  readonly config: CredentialKeyConfig;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Creates the dependencies of changes of credential keys.
 *
 * @throws ServiceError `config.invalid` in production without a master key
 */
export function createCredentialKeyOperator(parts: CredentialKeyOperatorParts): CredentialKeyOperator {
  const { store, engine, config, now } = parts;
  return {
    store,
    engine,
    sealer: createByteSealer(masterKeyOf(config), previousMasterKeyOf(config)),
    issuerSchemaId: config.refresh.issuerSchemaId,
    isDevelopment: config.profile !== 'production',
    now,
  };
}
