import { ServiceError } from '../../errors/index.ts';
import type { SigningKeyRow } from '../../storage/index.ts';
import { generateKey } from './generate-key.ts';
import type { KeyOperator } from './rotation.ts';

/** What a start found to do. */
export interface PreparedKeys {
  /** The first two keys were made by this process. */
  readonly isFirstStart: boolean;
  /** Kids whose private part was unsealed, or under the former master key, and is now under the present one. */
  readonly resealed: readonly string[];
}

/**
 * Makes the store fit to sign (spec/sign-in.md#key-states): at the first start a key that is active at once,
 * since nobody can have cached an older set, and one that is next; later the private parts are brought under
 * the master key in force.
 *
 * @throws ServiceError `signing_key.cannot_open` for a key that signs or will sign
 */
export async function prepareKeys(operator: KeyOperator): Promise<PreparedKeys> {
  const { store, now } = operator;
  const rows = await store.list('signin', now());
  const isFirstStart = rows.length === 0 && (await makeFirstKeys(operator));
  const resealed: string[] = [];
  for (const row of rows) if (await sealAgain(row, operator)) resealed.push(row.kid);
  return { isFirstStart, resealed };
}

async function makeFirstKeys(operator: KeyOperator): Promise<boolean> {
  const [first, next] = await Promise.all([generateKey(operator), generateKey(operator)]);
  return operator.store.initialise({ ...first, state: 'active', activatedAt: first.createdAt }, next);
}

/** False also where another process was faster: the row then has what that one wrote. */
async function sealAgain(row: SigningKeyRow, { sealer, store }: KeyOperator): Promise<boolean> {
  try {
    const { jwk, isSealedNow } = await sealer.open(row);
    return !isSealedNow && (await store.reseal(row.kid, row.privateJwk, await sealer.seal(jwk)));
  } catch (error) {
    // A retired key signs no more: that nobody can open it is no loss.
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
