import { type CryptoKey, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../observability/log/log.ts';
import type { SigningKeyRow, SigningKeyStore } from '../../storage/signin/signing-keys.ts';
import type { StoreChanges } from '../../storage/store-changes.ts';
import { createKeySet } from './key-set.ts';
import { createKeyOperator } from './operate.ts';
import {
  createRotationTimer,
  type KeyAge,
  keyAges,
  pairOf,
  prepareKeys,
  rotate,
  rotationDueAt,
} from './rotation.ts';
import { ALGORITHM } from './sealed-keys.ts';

/** Media type of a token, for its header. */
export type TokenType = 'JWT' | 'at+jwt' | 'logout+jwt';

/** The keys that sign tokens of sign-in. */
export interface SigningKeys {
  /**
   * Signs claims with the active key.
   *
   * @returns A compact JWS, header `alg`, `typ` and `kid`.
   * @throws ServiceError `signing_key.none`, `signing_key.cannot_open`, `store.unreachable`
   */
  sign(typ: TokenType, claims: JWTPayload): Promise<string>;
  /** Looks up a published key by its kid; undefined if the kid is unknown, removed or malformed. */
  verificationKey(kid: string): Promise<CryptoKey | undefined>;
  /** Returns the key set: active, next, retired; public members only. */
  jwks(): Promise<{ keys: JWK[] }>;
  /**
   * Rotates if a rotation is due (spec/sign-in.md#key-states); the store decides which of several processes
   * does it.
   */
  rotateIfDue(): Promise<void>;
  /** Starts the periodic check for due rotations. */
  start(): void;
  /** Stops the periodic check; resolves when a rotation in progress has ended. */
  stop(): Promise<void>;
  /** Returns the ages of the published keys, for metrics and diagnostics. */
  ages(): Promise<readonly KeyAge[]>;
  /**
   * Checks readiness: there are an active and a next key, and both can be opened.
   *
   * @returns The active kid.
   * @throws ServiceError as `sign`
   */
  check(): Promise<string>;
}

/** Dependencies of `createSigningKeys`. */
export interface SigningKeysParts {
  readonly store: SigningKeyStore;
  readonly config: Pick<Config, 'profile' | 'dataDir' | 'keys' | 'apps' | 'storage'>;
  readonly log?: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** As for `createReadThroughCache`. */
  readonly changes?: Pick<StoreChanges, 'count'> | undefined;
}

/**
 * Opens the signing keys: generates the first two, seals stored ones under the present master key, and checks
 * that the active and the next key can be opened.
 *
 * @throws ServiceError `signing_key.cannot_open`, `signing_key.none`, `config.invalid`, `store.unreachable`
 */
export async function createSigningKeys(parts: SigningKeysParts): Promise<SigningKeys> {
  const { store, config, log, now, changes } = parts;
  const operator = createKeyOperator(store, config, now);
  const keySet = createKeySet({
    store,
    use: 'signin',
    cacheMs: config.storage.cacheSeconds * 1000,
    now,
    changes,
  });
  const opened = new Map<string, Promise<CryptoKey>>();

  /** Opened keys are cached by the stored private part, so that a changed row is opened again. */
  function privateKeyOf(row: SigningKeyRow): Promise<CryptoKey> {
    const cached = opened.get(row.privateJwk);
    if (cached !== undefined) return cached;
    const key = open(row);
    opened.set(row.privateJwk, key);
    key.catch(() => opened.delete(row.privateJwk));
    return key;
  }

  async function open(row: SigningKeyRow): Promise<CryptoKey> {
    const { jwk } = await operator.sealer.open(row);
    return importJWK({ ...jwk, kty: 'RSA' as const }, ALGORITHM, { extractable: false });
  }

  async function pair(): Promise<NonNullable<ReturnType<typeof pairOf>>> {
    const rows = await keySet.rows();
    const found = pairOf(rows);
    if (found === undefined) throw new ServiceError('signing_key.none');
    const stored = new Set(rows.map(({ privateJwk }) => privateJwk));
    for (const sealed of opened.keys()) if (!stored.has(sealed)) opened.delete(sealed);
    return found;
  }

  async function check(): Promise<string> {
    const { active, next } = await pair();
    await Promise.all([privateKeyOf(active), privateKeyOf(next)]);
    return active.kid;
  }

  async function rotateIfDue(): Promise<void> {
    if (!isDue(await keySet.rows())) return;
    const rows = await keySet.reread();
    const found = pairOf(rows);
    if (found === undefined || !isDue(rows)) return;
    const hasRotated = (await rotate(found, operator)) !== undefined;
    await keySet.reread();
    if (hasRotated) log?.info('signing key rotated', { event: 'key.rotated', keyId: found.next.kid });
  }

  function isDue(rows: readonly SigningKeyRow[]): boolean {
    const dueAt = rotationDueAt(rows, config.keys);
    return dueAt !== undefined && dueAt <= now();
  }

  const timer = createRotationTimer({
    rotateIfDue,
    dueInMs: async () => {
      const dueAt = rotationDueAt(await keySet.rows(), config.keys);
      return dueAt === undefined ? undefined : dueAt - now();
    },
    onFailed: (err) => log?.error('looking for a due rotation failed', { event: 'key.rotation_failed', err }),
  });

  const { isFirstStart, resealed } = await prepareKeys(operator);
  const activeKid = await check();
  if (isFirstStart) log?.info('first signing keys generated', { event: 'key.created', keyId: activeKid });
  for (const keyId of resealed) log?.info('signing key sealed again', { event: 'key.resealed', keyId });

  return {
    async sign(typ, claims) {
      const { active } = await pair();
      return new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, typ, kid: active.kid })
        .sign(await privateKeyOf(active));
    },
    verificationKey: (kid) => keySet.verificationKey(kid),
    jwks: () => keySet.jwks(),
    rotateIfDue,
    start: () => timer.start(),
    stop: () => timer.stop(),
    ages: async () => keyAges(await keySet.rows(), config.keys, now()),
    check,
  };
}
