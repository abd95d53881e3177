import { ServiceError } from '../../errors/index.ts';
import type { IssuerKeyRow, IssuerKeyStore } from '../../storage/index.ts';
import type { CredentialKeyOperator } from './key-operator.ts';
import { makeKey } from './make-key.ts';
import { activeOf } from './prepare-keys.ts';

/** What a rotation did. */
export interface CredentialKeyRotation {
  /** The key that signs now. */
  readonly active: IssuerKeyRow;
  /** The key that signed before, as it was; undefined for the first rotation. */
  readonly former: IssuerKeyRow | undefined;
}

/** What a revocation did. */
export interface CredentialKeyRevocation {
  /** The key as it was in each issuer schema that has it. */
  readonly revoked: readonly IssuerKeyRow[];
  /** Issuer schemas in which no key signs any more. */
  readonly unsigned: readonly string[];
}

/**
 * Makes a new key the active one and retires the former. Makes the first key, too.
 *
 * @param signingSeed - The setting: with a configured seed a rotation would be undone by the next start.
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
 * Marks a compromised key as revoked for good, in every issuer schema that has it, since one seed is behind them all.
 * Its seed is erased from the store. A key that is revoked already stays so.
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
