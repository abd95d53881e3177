import { ServiceError } from '../../errors/index.ts';
import type { SigningKeyRow } from '../../storage/index.ts';
import { generateKey } from './generate-key.ts';
import type { KeyOperator } from './rotation.ts';

/** Result of `prepareKeys`. */
export interface PreparedKeys {
  /** Whether this process generated the first two keys. */
  readonly isFirstStart: boolean;
  /** Kids whose private part was unsealed, or under the former master key, and is now under the present one. */
  readonly resealed: readonly string[];
}

/**
 * Prepares the keys in the store (spec/sign-in.md#key-states). The first start generates a key that is active
 * immediately, since nobody can have cached an older set, and a next key; later starts seal the private parts
 * under the present master key.
 *
 * @throws ServiceError `signing_key.cannot_open` for a key that signs or will sign
 */
export async function prepareKeys(operator: KeyOperator): Promise<PreparedKeys> {
  const { store, now } = operator;
  const rows = await store.list('signin', now());
  const isFirstStart = rows.length === 0 && (await generateFirstKeys(operator));
  const resealed: string[] = [];
  for (const row of rows) if (await sealAgain(row, operator)) resealed.push(row.kid);
  return { isFirstStart, resealed };
}

async function generateFirstKeys(operator: KeyOperator): Promise<boolean> {
  const [first, next] = await Promise.all([generateKey(operator), generateKey(operator)]);
  return operator.store.initialise({ ...first, state: 'active', activatedAt: first.createdAt }, next);
}

/**
 * Seals a private part under the present master key if it is not. Also returns false if another process was
 * faster, whose row then stays.
 */
async function sealAgain(row: SigningKeyRow, { sealer, store }: KeyOperator): Promise<boolean> {
  try {
    const { jwk, isUnderCurrentKey } = await sealer.open(row);
    return !isUnderCurrentKey && (await store.reseal(row.kid, row.privateJwk, await sealer.seal(jwk)));
  } catch (error) {
    // A retired key does not sign, so that it cannot be opened is no loss.
    if (
      row.state === 'retired' &&
      error instanceof ServiceError &&
      error.code === 'signing_key.cannot_open'
    ) {
      return false;
    }
    throw error;
  }
}
