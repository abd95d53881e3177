import { isServiceError, ServiceError } from '../errors/index.ts';
import type { NullifierEntry, NullifierRecord, NullifierStore } from '../storage/index.ts';

/**
 * Records the nullifier of the first successful item; resolves when it is on disk (verify.md section 8).
 *
 * @throws ServiceError `verify.nullifier_store_unreachable`, `verify.nullifier_not_stored`: row 15 of verify.md 1.1
 */
export async function recordNullifier(
  nullifiers: Pick<NullifierStore, 'record'>,
  entry: NullifierEntry,
): Promise<NullifierRecord> {
  try {
    return await nullifiers.record(entry);
  } catch (cause) {
    const isUnreachable = isServiceError(cause, 'store.unreachable');
    throw new ServiceError(
      isUnreachable ? 'verify.nullifier_store_unreachable' : 'verify.nullifier_not_stored',
      undefined,
      {},
      { cause },
    );
  }
}
