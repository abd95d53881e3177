import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors/index.ts';
import type { Bytes32 } from '../storage/index.ts';

const MAX_REMEMBERED = 10_000;

/**
 * Creates the refusal of a holder whose window is full. It is marked as a repetition if the holder was
 * already refused until the same time, so that the log has one line per holder and window
 * (spec/operations.md#refusals-in-the-log).
 *
 * @param retryAt - When one more credential is allowed, in milliseconds since the epoch.
 */
export type LimitedRefusal = (idComm: Bytes32, retryAt: number, now: number) => ServiceError;

/** Creates refusals that remember the 10,000 holders refused last. */
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
