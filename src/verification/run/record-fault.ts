import { isServiceError, ServiceError } from '../../errors/index.ts';

/** The error of a request whose nullifier could not be recorded: row 15 of verify.md 1.1. */
export function recordFault(cause: unknown): ServiceError {
  const isUnreachable = isServiceError(cause, 'store.unreachable');
  const code = isUnreachable ? 'verify.nullifier_store_unreachable' : 'verify.nullifier_not_stored';
  return new ServiceError(code, undefined, {}, { cause });
}
