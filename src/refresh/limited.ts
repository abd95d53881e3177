import { ServiceError } from '../errors/index.ts';

/**
 * The refusal of a holder whose window is full.
 *
 * @param retryAt - Milliseconds since the epoch from which one more credential is allowed.
 */
export function limitedError(retryAt: number, now: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  return new ServiceError('refresh.limited', undefined, { retryAfterSeconds });
}
