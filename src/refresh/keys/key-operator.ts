import { type ByteSealer, createByteSealer, masterKeyOf, previousMasterKeyOf } from '../../apps/index.ts';
import type { Config } from '../../config/settings/types.ts';
import type { IssuerKeyStore } from '../../storage/index.ts';
import type { KeyEngine } from './register-seed.ts';

/** The settings that credential keys depend on. */
export type CredentialKeyConfig = Pick<Config, 'profile' | 'dataDir' | 'keys' | 'apps' | 'refresh'>;

/** What credential keys are changed with, by the service and by the commands. */
export interface CredentialKeyOperator {
  readonly store: IssuerKeyStore;
  readonly engine: KeyEngine;
  readonly sealer: ByteSealer;
  /** A u64 in decimal. */
  readonly issuerSchemaId: string;
  /** Whether the profile is another than production; production refuses the keys that are made then. */
  readonly isDevelopment: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Where an operator gets its parts from. */
export interface CredentialKeyOperatorParts {
  readonly store: IssuerKeyStore;
  readonly engine: KeyEngine;
  readonly config: CredentialKeyConfig;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * What credential keys are changed with.
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
