import { isServiceError, ServiceError } from '../../errors/index.ts';
import type { NullifierEntry, NullifierRecord, NullifierStore } from '../../storage/index.ts';

/**
 * Records a nullifier durably (spec/verification.md#nullifier-record; spec/verification.md#order-of-checks, nullifier-write).
 *
 * @throws ServiceError `verify.nullifier_store_unreachable`, `verify.nullifier_not_stored`, by the promise
 */
export function recordNullifier(
  nullifiers: Pick<NullifierStore, 'record'>,
  entry: NullifierEntry,
): Promise<NullifierRecord> {
  return nullifiers.record(entry).catch(refuse);
}

function refuse(cause: unknown): never {
  const isUnreachable = isServiceError(cause, 'store.unreachable');
  const code = isUnreachable ? 'verify.nullifier_store_unreachable' : 'verify.nullifier_not_stored';
  throw new ServiceError(code, undefined, {}, { cause });
}
