import { isServiceError, ServiceError } from '../errors/index.ts';

/**
 * Runs one check of spec/refresh.md#order-of-checks. An error that it throws gets the number of the check,
 * unless it already has one.
 *
 * @throws ServiceError thrown by `run`; any other error becomes the cause of `internal.unforeseen`
 */
export async function atCheck<T>(check: number, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (fault) {
    throw numbered(fault, check);
  }
}

function numbered(fault: unknown, check: number): ServiceError {
  if (!isServiceError(fault)) {
    return new ServiceError('internal.unforeseen', undefined, { check }, { cause: fault });
  }
  if (fault.details.check !== undefined) return fault;
  return new ServiceError(fault.code, fault.message, { ...fault.details, check }, { cause: fault });
}
