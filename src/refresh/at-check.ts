import { isServiceError, ServiceError } from '../errors/index.ts';

/**
 * Runs one check of spec/refresh.md#order-of-checks. Whatever it throws carries the number of the check from
 * then on, unless the check said a number itself.
 *
 * @throws ServiceError what `run` throws; anything else becomes the cause of `internal.unforeseen`
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
