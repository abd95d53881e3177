import { hkdfSync } from 'node:crypto';
import {
  findMasterKey,
  type KeyConfig,
  keyFromText,
  masterKeyOf,
  previousMasterKeyOf,
} from './master-key.ts';
import { secretKeyId } from './secrets.ts';

const INFO = 'proofgate client secret v1';

/** Keys of client secrets: new secrets are hashed under `current`; secrets under any of them are accepted. */
export interface SecretKeys {
  /** 32 bytes. */
  readonly current: Uint8Array;
  /** Earlier keys, the likeliest first; without the current one and without repeats. */
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
 * of the settings and, if `apps.secretHmacKey` is set, the key that is derived where it is not.
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
