import { ServiceError } from '../../errors/service-error.ts';
import type { LibsqlFailure } from './libsql-failure.ts';

/**
 * Converts a failure to the error that callers of the store receive. Apart from `libsql-failure.ts`, so that the thread
 * of a database does not load the catalogue of errors.
 */
export function toServiceError(failure: LibsqlFailure): ServiceError {
  return new ServiceError(failure.code, `libsql: ${failure.message}`);
}
