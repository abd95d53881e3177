import { ServiceError } from '../../errors/index.ts';
import type { IssuerKeyRow, IssuerKeyStore } from '../../storage/index.ts';
import type { CredentialKeyOperator } from './key-operator.ts';
import { makeKey } from './make-key.ts';
import { activeOf } from './prepare-keys.ts';

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
  /** Issuer schemas in which no key signs any more. */
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
 * Revokes a compromised key permanently, in every issuer schema that has it, since they share one seed.
 * Erases its seed from the store. Idempotent.
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
