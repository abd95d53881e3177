import type { Profile } from '../../config/settings/setting.ts';
import type { Engine } from '../../engine/engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { DecodedKey } from '../../groth16/layout.ts';
import type { Store } from '../../storage/store.ts';
import { builtInKey, FORGEABLE_FINGERPRINTS, fingerprint } from './built-in-keys.ts';
import { type KeyWarning, registerKey } from './key-registry.ts';
import type { KeyInfo } from './verifying-keys.ts';

/** Source of the regular expression for ids of verifying keys. */
export const KEY_ID_PATTERN = '^[a-z0-9][a-z0-9._-]{0,63}$';
/** Regular expression for ids of verifying keys. */
export const KEY_ID: RegExp = new RegExp(KEY_ID_PATTERN);
/** Maximum length of what is said about the origin of a key. */
export const MAX_SOURCE_CHARACTERS = 256;
/** Maximum depth of the trees that a key is for. */
export const MAX_DEPTH = 64;

/** A key to import. */
export interface KeyImport {
  readonly keyId: string;
  readonly key: DecodedKey;
  readonly depth?: number;
  readonly source?: string;
}

/** Checks what is said about a key besides the key itself. @throws ServiceError `cli.usage` */
export function checkKeyFacts({ id, depth = null, source = '' }: KeyFacts): void {
  if (!KEY_ID.test(id)) {
    throw new ServiceError(
      'cli.usage',
      'id: expected 1 to 64 of a-z, 0-9, ".", "_" and "-", letter or digit first',
    );
  }
  if (depth !== null && (!Number.isInteger(depth) || depth < 1 || depth > MAX_DEPTH)) {
    throw new ServiceError('cli.usage', `depth: expected a whole number 1..${MAX_DEPTH}`);
  }
  if (source.length > MAX_SOURCE_CHARACTERS || source.includes('\0')) {
    throw new ServiceError('cli.usage', `source: expected at most ${MAX_SOURCE_CHARACTERS} characters`);
  }
}

/** What is said about a key besides the key itself. */
export interface KeyFacts {
  readonly id: string;
  readonly depth?: number | null;
  readonly source?: string;
}

/** Refuses a key whose trapdoor is public in production. @throws ServiceError `key.forbidden` */
export function refuseForgeable(keyId: string, print: string, profile: Profile): void {
  const forgeable = FORGEABLE_FINGERPRINTS.get(print);
  if (profile === 'production' && forgeable !== undefined) {
    throw new ServiceError(
      'key.forbidden',
      `${keyId}: this is the key ${forgeable}, anyone can forge proofs under it`,
    );
  }
}

/** Dependencies of `importKey`. */
export interface KeyImportParts {
  readonly engine: Pick<Engine, 'registerKey'>;
  readonly store: Pick<Store, 'verifyingKeys'>;
  /** Receives the reasons for which production would refuse the key. */
  readonly onWarning?: KeyWarning;
}

/**
 * Checks a verifying key and stores it, with origin `imported`. The points are checked by the engine; a key that
 * fails any check is not stored.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `key.*`, `cli.usage` for a bad id, depth or source, `store.unreachable`
 */
export async function importKey(
  request: KeyImport,
  parts: KeyImportParts,
  profile: Profile,
  now: number,
): Promise<KeyInfo> {
  const { keyId, depth = null, source = '' } = request;
  checkKeyFacts({ id: keyId, depth, source });
  const { key, inputCount } = request.key;
  const print = fingerprint(key);
  const reserved = builtInKey(keyId);
  const builtIn = reserved?.profiles.includes(profile) ? reserved : undefined;
  if (reserved && reserved.fingerprint !== print) {
    throw new ServiceError(
      'key.conflict',
      `${keyId} is the id of a built-in key, which has another fingerprint`,
    );
  }
  refuseForgeable(keyId, print, profile);
  const warn = parts.onWarning ?? (() => undefined);
  await registerKey(parts.engine, { keyId, key, isBuiltIn: builtIn !== undefined }, profile, warn);
  const info: KeyInfo = {
    keyId,
    origin: builtIn?.origin ?? 'imported',
    depth: builtIn?.depth ?? depth,
    inputCount,
    fingerprint: print,
    source: builtIn?.source ?? source,
    isBuiltIn: builtIn !== undefined,
  };
  if (builtIn) return info;
  await parts.store.verifyingKeys.put({
    keyId,
    origin: 'imported',
    depth,
    source,
    key,
    fingerprint: Uint8Array.from(Buffer.from(print, 'hex')),
    createdAt: now,
  });
  return info;
}
