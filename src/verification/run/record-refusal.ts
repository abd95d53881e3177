import { isServiceError, ServiceError } from '../../errors/index.ts';

/**
 * Returns the refusal of a request whose nullifier could not be recorded
 * (spec/verification.md#nullifier-record; spec/verification.md#order-of-checks, nullifier-write).
 */
export function recordRefusal(cause: unknown): ServiceError {
  const isUnreachable = isServiceError(cause, 'store.unreachable');
  const code = isUnreachable ? 'verify.nullifier_store_unreachable' : 'verify.nullifier_not_stored';
  return new ServiceError(code, undefined, {}, { cause });
}
