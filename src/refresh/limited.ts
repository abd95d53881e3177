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

/** Remembers the holders refused last, as many as memory is given to them. */
export function createLimitedRefusal(): LimitedRefusal {
  const refused = new Map<string, number>();
  return (idComm, retryAt, now) => {
    const key = Buffer.from(idComm).toString('hex');
    const isFirstRefusal = refused.get(key) !== retryAt;
    // moves the holder to the end: the first is the one that was not refused for the longest time
    refused.delete(key);
    refused.set(key, retryAt);
    const [oldest] = refused.keys();
    if (refused.size > MAX_REMEMBERED && oldest !== undefined) refused.delete(oldest);
    const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
    return new ServiceError('refresh.limited', undefined, { retryAfterSeconds, isFirstRefusal });
  };
}
