import { isServiceError, ServiceError } from '../../errors/index.ts';
import type { NullifierEntry, NullifierRecord, NullifierStore } from '../../storage/index.ts';
import type { VerifyRequest } from '../request/request-types.ts';
import { nullifierOf, type ReadyItem } from './verify-item.ts';

/** Builds the record of the first valid item (`spec/verification.md#nullifier-record`). */
export function nullifierEntry(
  { environment, action, actionDescription }: VerifyRequest,
  first: ReadyItem,
  origin: Pick<NullifierEntry, 'appId' | 'requestId' | 'createdAt'>,
): NullifierEntry {
  return { environment, nullifier: nullifierOf(first), action, actionDescription, ...origin };
}

/**
 * Records a nullifier durably.
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
