import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Log } from '../../observability/index.ts';
import type { Bytes32, IssuerKeyRow, IssuerKeyStatus, IssuerKeyStore } from '../../storage/index.ts';
import { createReadThroughCache } from '../../storage/stores/read-through-cache.ts';
import type { ListedIssuerKey } from '../types.ts';
import { type CredentialKeyConfig, createCredentialKeyOperator } from './key-operator.ts';
import { listedKey, publicKeyText } from './listed-keys.ts';
import { isSealed, openKey } from './open-key.ts';
import { activateConfigured, activeOf, ensureActive, resealSeeds } from './prepare-keys.ts';
import type { KeyEngine, RegisteredKey } from './register-seed.ts';

/** Signature of a credential, with its key. */
export interface CredentialSignature {
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** `IssuerKeyRow.keyId`. */
  readonly keyId: string;
  /** The public key, affine, decimal. */
  readonly pk: readonly [x: string, y: string];
}

/** Age of a credential key, for metrics. */
export interface CredentialKeyAge {
  readonly use: 'credential';
  readonly state: IssuerKeyStatus;
  /** Seconds since its registration, or since its retirement; at least 0. */
  readonly ageSeconds: number;
  /** Only a command changes a credential key. */
  readonly endsInSeconds: undefined;
}

/** The keys that sign credentials. */
export interface CredentialKeys {
  /**
   * Signs a credential hash with the present key, and verifies the signature before returning it.
   *
   * @param hash - A field element.
   * @throws ServiceError `refresh.signature_fault`, `refresh.disabled`, `issuer_key.none`,
   *   `issuer_key.revoked`, `issuer_key.cannot_open`, `store.unreachable`, `engine.busy` and other errors of
   *   the engine
   */
  sign(hash: Bytes32): Promise<CredentialSignature>;
  /** Lists every key of the configured issuer schema: the active one first, then the newest first. */
  list(): Promise<readonly ListedIssuerKey[]>;
  /**
   * Checks readiness: a key can sign.
   *
   * @returns Its key id; undefined if `refresh.enabled` is false, since no key is then needed.
   * @throws ServiceError as `sign`
   */
  check(): Promise<string | undefined>;
  /** Returns the ages of the keys that are not revoked. */
  ages(): Promise<readonly CredentialKeyAge[]>;
}

/** Dependencies of `createCredentialKeys`. */
export interface CredentialKeysParts {
  readonly store: IssuerKeyStore;
  readonly engine: KeyEngine;
  readonly config: CredentialKeyConfig & Pick<Config, 'storage'>;
  readonly log?: Pick<Log, 'info' | 'fatal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Opens the credential keys (spec/credential.md#issuer-keys). A configured seed becomes the active key when
 * the service starts, and signs in this process whatever others do. Without one, the active key of the
 * store signs, and a rotation by command takes effect within `storage.cacheSeconds`. If `refresh.enabled` is
 * false, no key is generated or opened, but keys can still be listed.
 *
 * @throws ServiceError `issuer_key.*`, `config.invalid`, `store.unreachable`, `engine.*`
 */
export async function createCredentialKeys(parts: CredentialKeysParts): Promise<CredentialKeys> {
  const { store, engine, config, log, now } = parts;
  const { enabled, issuerSchemaId, signingSeed } = config.refresh;
  const operator = createCredentialKeyOperator(parts);
  const opened = new Map<string, Promise<RegisteredKey>>();
  const cache = createReadThroughCache<readonly IssuerKeyRow[]>({
    read: (id) => store.list(id),
    maxAgeMs: config.storage.cacheSeconds * 1000,
    maxEntries: 1,
    maxReads: 1,
    now,
  });
  let configured: RegisteredKey | undefined;

  async function rows(): Promise<readonly IssuerKeyRow[]> {
    return (await cache.get(issuerSchemaId)) ?? [];
  }

  /** Opened keys are cached by the stored seed, so that a changed row is opened again. */
  function open(known: readonly IssuerKeyRow[]): Promise<RegisteredKey> {
    const active = activeOf(known);
    if (!isSealed(active)) throw new ServiceError('issuer_key.none');
    const cached = opened.get(active.sealedSeed);
    if (cached !== undefined) return cached;
    opened.clear();
    const key = openKey(active, operator);
    opened.set(active.sealedSeed, key);
    key.catch(() => opened.delete(active.sealedSeed));
    return key;
  }

  async function signer(): Promise<RegisteredKey> {
    if (!enabled) throw new ServiceError('refresh.disabled');
    const known = await rows();
    if (configured === undefined) return await open(known);
    const { keyId } = configured;
    if (known.some((row) => row.keyId === keyId && row.status === 'revoked')) {
      throw new ServiceError('issuer_key.revoked', `key ${keyId} of refresh.signingSeed is revoked`);
    }
    return configured;
  }

  async function prepare(): Promise<void> {
    if (signingSeed === undefined) {
      const keyId = await ensureActive(operator);
      if (keyId !== undefined) log?.info('credential key generated', { event: 'issuer_key.created', keyId });
    } else {
      const { key, isNew } = await activateConfigured(signingSeed, operator);
      configured = key;
      const fields = { event: 'issuer_key.activated', keyId: key.keyId };
      if (isNew) log?.info('the credential key of refresh.signingSeed is active now', fields);
    }
    await signer();
  }

  for (const keyId of await resealSeeds(operator)) {
    log?.info('credential key sealed again', { event: 'issuer_key.resealed', keyId });
  }
  if (enabled) await prepare();

  return {
    async sign(hash) {
      const key = await signer();
      const signature = await engine.signCredentialHash(key.engineId, hash);
      if (!(await engine.verifySignature(key.publicKey, hash, signature))) {
        const fields = { event: 'refresh.signature_fault', keyId: key.keyId };
        log?.fatal('a new signature does not verify under its own key', fields);
        throw new ServiceError('refresh.signature_fault');
      }
      return { signature, keyId: key.keyId, pk: publicKeyText(key) };
    },
    list: async () => (await rows()).map(listedKey),
    check: async () => (enabled ? (await signer()).keyId : undefined),
    ages: async () => (await rows()).flatMap((row) => ageOf(row, now())),
  };
}

function ageOf({ status, registeredAt, retiredAt }: IssuerKeyRow, now: number): CredentialKeyAge[] {
  if (status === 'revoked') return [];
  const since = status === 'retired' ? (retiredAt ?? registeredAt) : registeredAt;
  const ageSeconds = Math.max(0, (now - since) / 1000);
  return [{ use: 'credential', state: status, ageSeconds, endsInSeconds: undefined }];
}
