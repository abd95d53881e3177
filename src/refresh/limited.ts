import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors/index.ts';
import type { Bytes32 } from '../storage/index.ts';

const MAX_REMEMBERED = 10_000;

/**
 * The refusal of a holder whose window is full. It knows whether this holder was refused before until the same moment,
 * so that each has one log line for a window (spec/operations.md#refusals-in-the-log).
 *
 * @param retryAt - Milliseconds since the epoch from which one more credential is allowed.
 */
export type LimitedRefusal = (idComm: Bytes32, retryAt: number, now: number) => ServiceError;

/** Remembers the holders that were refused last, up to 10,000. */
export function createLimitedRefusal(): LimitedRefusal {
  const refused = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  return (idComm, retryAt, now) => {
    const key = Buffer.from(idComm).toString('hex');
    const isFirstRefusal = refused.get(key) !== retryAt;
    refused.set(key, retryAt);
    const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
    return new ServiceError('refresh.limited', undefined, { retryAfterSeconds, isFirstRefusal });
  };
}
