import { createHash, randomBytes } from 'node:crypto';
import {
  type ByteSealer,
  createByteSealer,
  masterKeyOf,
  previousMasterKeyOf,
} from '../../apps/secrets/master-key.ts';
import { isEqual } from '../../bytes.ts';
import type { Config } from '../../config/settings/types.ts';
import { generateDevelopmentKey } from '../../config/sources/development-key.ts';
import type { Engine } from '../../engine/engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { writeHex } from '../../semaphore/hex.ts';
import type { IssuerKeyRow, IssuerKeyStore } from '../../storage/refresh/issuer-keys.ts';
import type { Bytes32 } from '../../storage/values.ts';

/** Bytes of a seed (spec/credential.md#eddsa-poseidon2, key-expansion). */
const SEED_BYTES = 32;

const COORDINATE_BYTES = 32;

/** A credential key that is registered with the engine. */
export interface RegisteredKey {
  /** Id of the key in the engine. */
  readonly engineId: string;
  /** The compressed public key as 64 lower-case hex digits. */
  readonly keyId: string;
  /** Affine coordinates of the public key. */
  readonly x: Bytes32;
  readonly y: Bytes32;
  /** The compressed public key. */
  readonly publicKey: Bytes32;
}

/** The part of the engine that credential keys need. */
export type KeyEngine = Pick<Engine, 'registerSigningKey' | 'signCredentialHash' | 'verifySignature'>;

/**
 * Registers a seed with the engine, which derives the signing key (spec/credential.md#eddsa-poseidon2).
 *
 * @param seed - 32 bytes, wiped before this resolves or rejects.
 * @throws ServiceError `engine.busy`, `engine.draining`, `engine.worker_failed`
 */
async function registerSeed(
  engine: Pick<Engine, 'registerSigningKey'>,
  seed: Uint8Array,
): Promise<RegisteredKey> {
  // The public key is known only afterwards. An id derived from the seed makes repeated registrations the same key in
  // the engine, and a stored key with a replaced seed cannot take the id of the right one.
  const engineId = `credential-${createHash('sha256').update('engine key\0').update(seed).digest('hex')}`;
  const bytes = await engine.registerSigningKey(engineId, seed);
  const publicKey = bytes.slice(2 * COORDINATE_BYTES);
  return {
    engineId,
    keyId: Buffer.from(publicKey).toString('hex'),
    x: bytes.slice(0, COORDINATE_BYTES),
    y: bytes.slice(COORDINATE_BYTES, 2 * COORDINATE_BYTES),
    publicKey,
  };
}

/**
 * Registers the seed of `refresh.signingSeed` with the engine. Its bytes are wiped; the string of the setting
 * stays in the configuration, since a string cannot be wiped.
 *
 * @param signingSeed - 64 hex digits.
 * @throws ServiceError as `registerSeed`
 */
export async function registerConfigured(
  engine: Pick<Engine, 'registerSigningKey'>,
  signingSeed: string,
): Promise<RegisteredKey> {
  const seed = new Uint8Array(SEED_BYTES);
  if (!writeHex(signingSeed, 0, signingSeed.length, seed))
    throw new TypeError('expected a seed of 64 hex digits');
  return await registerSeed(engine, seed);
}

/** The settings for credential keys. */
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

/**
 * Generates a credential key and seals its seed; the key is registered with the engine, but not yet stored. A seed of
 * the development profile carries the mark of generated keys, by which production recognizes copies of it.
 *
 * @throws ServiceError as `registerSeed`
 */
export async function makeKey(operator: CredentialKeyOperator): Promise<IssuerKeyRow> {
  const { engine, sealer, issuerSchemaId, isDevelopment, now } = operator;
  const seed = isDevelopment ? Buffer.from(generateDevelopmentKey(), 'base64url') : randomBytes(SEED_BYTES);
  try {
    const sealedSeed = await sealer.seal(seed);
    const { keyId, x, y } = await registerSeed(engine, seed);
    const origin = isDevelopment ? 'development' : 'generated';
    const registeredAt = now();
    return {
      keyId,
      issuerSchemaId,
      x,
      y,
      status: 'active',
      origin,
      sealedSeed,
      registeredAt,
      retiredAt: null,
    };
  } finally {
    seed.fill(0);
  }
}

/** Row of a key whose seed is in the store. */
export type SealedKeyRow = IssuerKeyRow & { readonly sealedSeed: string };

/** Whether the store has the seed of a key; false for configured and revoked keys. */
export function isSealed(row: IssuerKeyRow | undefined): row is SealedKeyRow {
  return row !== undefined && row.sealedSeed !== null;
}

/**
 * Opens the seed of a key and registers it with the engine.
 *
 * @throws ServiceError `issuer_key.cannot_open`, and as `registerSeed`
 */
export async function openKey(
  row: SealedKeyRow,
  { sealer, engine }: Pick<CredentialKeyOperator, 'sealer' | 'engine'>,
): Promise<RegisteredKey> {
  const opened = await sealer.open(row.sealedSeed);
  if (opened === undefined) throw cannotOpen(row, 'its seed is sealed under another master key');
  try {
    if (opened.bytes.length !== SEED_BYTES) throw cannotOpen(row, 'its sealed content is not a seed');
    const key = await registerSeed(engine, opened.bytes);
    checkRow(row, key);
    return key;
  } finally {
    opened.bytes.fill(0);
  }
}

/**
 * Refuses a row whose public key does not belong to its seed: credentials would contain a key that did not sign them.
 *
 * @throws ServiceError `issuer_key.cannot_open`
 */
export function checkRow(row: IssuerKeyRow, key: RegisteredKey): void {
  const isSame = key.keyId === row.keyId && isEqual(key.x, row.x) && isEqual(key.y, row.y);
  if (!isSame) throw cannotOpen(row, 'its public key is not that of its seed');
}

function cannotOpen({ keyId }: IssuerKeyRow, reason: string): ServiceError {
  return new ServiceError('issuer_key.cannot_open', `credential key ${keyId}: ${reason}`);
}
