import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { AppStore } from '../../storage/apps/apps.ts';
import type { ClientSecretRow } from '../../storage/apps/client-secrets.ts';
import {
  findMasterKey,
  type KeyConfig,
  keyFromText,
  masterKeyOf,
  previousMasterKeyOf,
} from './master-key.ts';

const SECRET_BYTES = 24;
const SECRET_ID_BYTES = 8;
const KEY_ID_INFO = 'proofgate client secret key id v1';
const KEY_ID_DIGITS = 16;

/** A secret in plain text, which is shown once, and its stored row. */
export interface NewSecret {
  /** `sk_` and 48 hex digits. */
  readonly value: string;
  readonly row: ClientSecretRow;
}

/** The app of a new secret. */
export interface SecretOwner {
  readonly appId: string;
  /** Whether the secret is created outside the production profile, which refuses to start with it. */
  readonly isDevelopment: boolean;
  /** 32 bytes, `secretKeyOf`. */
  readonly secretKey: Uint8Array;
}

/**
 * Makes a secret for a client, or wraps one that the client already has.
 *
 * @param now - Milliseconds since the epoch.
 * @param value - `sk_` and 48 hex digits; from 24 random bytes if absent.
 */
export function makeSecret(
  { appId, isDevelopment, secretKey }: SecretOwner,
  now: number,
  value: string = `sk_${randomBytes(SECRET_BYTES).toString('hex')}`,
): NewSecret {
  const row: ClientSecretRow = {
    secretId: `cs_${randomBytes(SECRET_ID_BYTES).toString('hex')}`,
    appId,
    hash: secretHash(secretKey, appId, value),
    isDevelopment,
    createdAt: now,
    expiresAt: null,
    keyId: secretKeyId(secretKey),
  };
  return { value, row };
}

/**
 * Returns the id of a key of client secrets. It is stored with each secret to identify the key of its hash.
 *
 * @returns 16 hex digits of an HMAC under the key, which reveal nothing about it.
 */
export function secretKeyId(secretKey: Uint8Array): string {
  return createHmac('sha256', secretKey).update(KEY_ID_INFO).digest('hex').slice(0, KEY_ID_DIGITS);
}

/**
 * Returns the stored form of a secret: HMAC-SHA256(key, client_id "." secret). A secret is 192 random bits and cannot
 * be guessed, so a slow derivation would only slow down the token endpoint (spec/sign-in.md#client-secrets).
 */
export function secretHash(secretKey: Uint8Array, clientId: string, secret: string): Uint8Array {
  return createHmac('sha256', secretKey).update(`${clientId}.${secret}`).digest();
}

const INFO = 'proofgate client secret v1';

/** Keys of client secrets: new secrets are hashed under `current`; secrets under any of them are accepted. */
export interface SecretKeys {
  /** 32 bytes. */
  readonly current: Uint8Array;
  /** Earlier keys, the most likely first; without the current one and without duplicates. */
  readonly former: readonly Uint8Array[];
}

/**
 * Returns the key of the HMAC under which client secrets are stored (spec/sign-in.md#client-secrets):
 * `apps.secretHmacKey`, or derived from the master key by HKDF-SHA256 without salt.
 *
 * @returns 32 bytes.
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function secretKeyOf(config: KeyConfig): Uint8Array {
  return configuredKey(config) ?? derived(masterKeyOf(config));
}

/**
 * Returns every key under which a secret may have been stored with these settings: the current one, the former values
 * of the settings and, if `apps.secretHmacKey` is set, the key that would be derived without it.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function secretKeysOf(config: KeyConfig): SecretKeys {
  return withFormer(secretKeyOf(config), config, masterKeyOf(config));
}

/**
 * Returns the keys without generating a master key; undefined if the current key would need one (development only).
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function findSecretKeys(config: KeyConfig): SecretKeys | undefined {
  const masterKey = findMasterKey(config);
  const current = configuredKey(config) ?? (masterKey === undefined ? undefined : derived(masterKey));
  return current === undefined ? undefined : withFormer(current, config, masterKey);
}

/** Returns the key of `apps.secretHmacKeyPrevious`; undefined if it is not set. */
export function previousSecretKeyOf({ apps }: KeyConfig): Uint8Array | undefined {
  return apps.secretHmacKeyPrevious === undefined ? undefined : keyFromText(apps.secretHmacKeyPrevious);
}

/** Returns the key derived from `keys.masterKeyPrevious`; undefined if it is not set. */
export function previousDerivedKeyOf(config: KeyConfig): Uint8Array | undefined {
  const previous = previousMasterKeyOf(config);
  return previous === undefined ? undefined : derived(previous);
}

function withFormer(current: Uint8Array, config: KeyConfig, masterKey: Uint8Array | undefined): SecretKeys {
  const keys = new Map([[secretKeyId(current), current]]);
  const candidates = [
    previousSecretKeyOf(config),
    previousDerivedKeyOf(config),
    masterKey === undefined ? undefined : derived(masterKey),
  ];
  for (const key of candidates) if (key !== undefined) keys.set(secretKeyId(key), key);
  keys.delete(secretKeyId(current));
  return { current, former: [...keys.values()] };
}

function configuredKey({ apps }: KeyConfig): Uint8Array | undefined {
  return apps.secretHmacKey === undefined ? undefined : keyFromText(apps.secretHmacKey);
}

function derived(masterKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', masterKey, '', INFO, 32));
}

/** Counts of live secrets in the registry, by the key under which each is hashed. */
export interface SecretCensus {
  /** Under the current key. */
  readonly current: number;
  /** Under a former key in the settings: accepted, and rehashed at the next use. */
  readonly former: number;
  /** Of an earlier release, which did not record the key: the next use either rehashes it or refuses the client. */
  readonly unknown: number;
  /** Under a key that is not in the settings: refused. */
  readonly lost: number;
  /** Number of secrets by key id; the id is empty where the key is not recorded. */
  readonly byKeyId: ReadonlyMap<string, number>;
  /** Ids of the first clients with a secret that is not known to be under the current key. */
  readonly clients: readonly string[];
}

const MAX_CLIENTS = 20;

/**
 * Counts the secrets of the registry. Secrets of the configuration are not counted: each start hashes them under the
 * current key.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `store.unreachable`
 */
export async function secretCensus(
  apps: Pick<AppStore, 'countSecrets' | 'clientsWithOtherKey'>,
  { current, former }: SecretKeys,
  now: number,
): Promise<SecretCensus> {
  const currentId = secretKeyId(current);
  const byKeyId = new Map<string, number>();
  for (const { keyId, count } of await apps.countSecrets(now)) byKeyId.set(keyId ?? '', count);
  const total = [...byKeyId.values()].reduce((sum, count) => sum + count, 0);
  const countOf = (keyId: string): number => byKeyId.get(keyId) ?? 0;
  const counts = {
    current: countOf(currentId),
    former: former.reduce((sum, key) => sum + countOf(secretKeyId(key)), 0),
    unknown: countOf(''),
  };
  const lost = total - counts.current - counts.former - counts.unknown;
  const clients = total === counts.current ? [] : await apps.clientsWithOtherKey(currentId, now, MAX_CLIENTS);
  return { ...counts, lost, byKeyId, clients };
}

/** Describes the nonzero counts in one line, with the affected clients. */
export function describeSecrets({ current, former, unknown, lost, clients }: SecretCensus): string {
  const parts = [
    `${current} under the key in force`,
    ...(former === 0 ? [] : [`${former} under a former key, until their next use`]),
    ...(unknown === 0
      ? []
      : [`${unknown} of an earlier release, whose key is not recorded, until their next use`]),
    ...(lost === 0 ? [] : [`${lost} refused, under a key that the settings do not have`]),
  ];
  const others = former + unknown + lost;
  if (others === 0) return parts.join('; ');
  return `${parts.join('; ')} (${clients.join(', ')}${clients.length < MAX_CLIENTS ? '' : ' and perhaps more'})`;
}
