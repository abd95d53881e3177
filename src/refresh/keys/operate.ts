import { ServiceError } from '../../errors/service-error.ts';
import type { IssuerKeyRow, IssuerKeyStore } from '../../storage/refresh/issuer-keys.ts';
import {
  type CredentialKeyOperator,
  checkRow,
  isSealed,
  makeKey,
  type RegisteredKey,
  registerConfigured,
} from './registered-keys.ts';

/** Other processes may be faster, one after another; more than this many never start at the same time. */
const MAX_ATTEMPTS = 16;

/** A configured key, and whether this call activated it. */
export interface ActivatedKey {
  readonly key: RegisteredKey;
  readonly isNew: boolean;
}

/**
 * Activates the key of `refresh.signingSeed` and retires the former one.
 *
 * @param signingSeed - 64 hex digits.
 * @throws ServiceError `issuer_key.revoked`, `issuer_key.cannot_open`, `issuer_key.changed`, and as `registerSeed`
 */
export async function activateConfigured(
  signingSeed: string,
  operator: CredentialKeyOperator,
): Promise<ActivatedKey> {
  const { store, issuerSchemaId, now } = operator;
  const key = await registerConfigured(operator.engine, signingSeed);
  const { keyId, x, y } = key;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const rows = await store.list(issuerSchemaId);
    const own = rows.find((row) => row.keyId === keyId);
    if (own !== undefined) checkRow(own, key);
    if (own?.status === 'revoked') {
      throw new ServiceError(
        'issuer_key.revoked',
        `refresh.signingSeed is that of key ${keyId}, which is revoked`,
      );
    }
    if (own?.status === 'active') return { key, isNew: false };
    const at = now();
    const row: IssuerKeyRow = {
      keyId,
      issuerSchemaId,
      x,
      y,
      status: 'active',
      origin: 'configured',
      sealedSeed: null,
      registeredAt: at,
      retiredAt: null,
    };
    if (await store.activate(row, activeOf(rows)?.keyId, at)) return { key, isNew: true };
  }
  throw new ServiceError('issuer_key.changed');
}

/**
 * Ensures that the store has an active key with its seed. If there is none, the development profile generates one; of
 * several processes that start at the same time, one wins and the others use its key.
 *
 * @returns The id of the key if this process generated it, otherwise undefined.
 * @throws ServiceError `issuer_key.none` in production, `issuer_key.changed`, and as `registerSeed`
 */
export async function ensureActive(operator: CredentialKeyOperator): Promise<string | undefined> {
  const { store, issuerSchemaId, isDevelopment, now } = operator;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const active = activeOf(await store.list(issuerSchemaId));
    if (isSealed(active)) return undefined;
    if (!isDevelopment) throw new ServiceError('issuer_key.none');
    const made = await makeKey(operator);
    if (await store.activate(made, active?.keyId, now())) return made.keyId;
  }
  throw new ServiceError('issuer_key.changed');
}

/**
 * Re-seals seeds under the former master key with the current one. A seed that cannot be opened is left unchanged: if
 * it belongs to the signing key, a later check refuses the start.
 *
 * @returns Ids of the keys with a re-sealed seed.
 */
export async function resealSeeds({ store, sealer }: CredentialKeyOperator): Promise<string[]> {
  const resealed: string[] = [];
  for (const { keyId, issuerSchemaId, sealedSeed } of await store.listAll()) {
    const opened = sealedSeed === null ? undefined : await sealer.open(sealedSeed);
    if (sealedSeed === null || opened === undefined) continue;
    try {
      const isDone =
        !opened.isUnderCurrentKey &&
        (await store.reseal(issuerSchemaId, keyId, sealedSeed, await sealer.seal(opened.bytes)));
      if (isDone) resealed.push(keyId);
    } finally {
      opened.bytes.fill(0);
    }
  }
  return resealed;
}

/** Returns the active key among the keys of one issuer schema. */
export function activeOf(rows: readonly IssuerKeyRow[]): IssuerKeyRow | undefined {
  return rows.find(({ status }) => status === 'active');
}

/** Result of a rotation. */
export interface CredentialKeyRotation {
  /** The key that signs now. */
  readonly active: IssuerKeyRow;
  /** The row of the former active key before the rotation; undefined if there was none. */
  readonly former: IssuerKeyRow | undefined;
}

/** Result of a revocation. */
export interface CredentialKeyRevocation {
  /** The row of the key before the revocation, in each issuer schema that has it. */
  readonly revoked: readonly IssuerKeyRow[];
  /** Issuer schemas without a signing key after the revocation. */
  readonly unsigned: readonly string[];
}

/**
 * Generates a new active key and retires the former one, if there is one.
 *
 * @param signingSeed - The setting; if it is present, the next start would undo a rotation.
 * @throws ServiceError `issuer_key.configured`, `issuer_key.changed`, and as `registerSeed`
 */
export async function rotateCredentialKey(
  operator: CredentialKeyOperator,
  signingSeed: string | undefined,
): Promise<CredentialKeyRotation> {
  if (signingSeed !== undefined) throw new ServiceError('issuer_key.configured');
  const { store, issuerSchemaId } = operator;
  const former = activeOf(await store.list(issuerSchemaId));
  const active = await makeKey(operator);
  const isDone = await store.activate(active, former?.keyId, active.registeredAt);
  if (!isDone) throw new ServiceError('issuer_key.changed');
  return { active, former };
}

/**
 * Revokes a compromised key permanently, in every issuer schema with it, since they share the seed. Erases its seed
 * from the store. Idempotent.
 *
 * @throws ServiceError `issuer_key.unknown`
 */
export async function revokeCredentialKey(
  keyId: string,
  { store, now }: { readonly store: IssuerKeyStore; readonly now: () => number },
): Promise<CredentialKeyRevocation> {
  const revoked = (await store.listAll()).filter((row) => row.keyId === keyId);
  if (revoked.length === 0) throw new ServiceError('issuer_key.unknown');
  const at = now();
  for (const { issuerSchemaId } of revoked) await store.revoke(issuerSchemaId, keyId, at);
  const left = await store.listAll();
  const unsigned = revoked
    .map(({ issuerSchemaId }) => issuerSchemaId)
    .filter((id) => !left.some(({ issuerSchemaId, status }) => issuerSchemaId === id && status === 'active'));
  return { revoked, unsigned };
}
