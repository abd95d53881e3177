import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimitKey } from '../../addresses.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { RateDecision, RateGuard } from '../exchange/exchange-types.ts';

/** Rate at which an address may send requests: `perSecond` on average, `burst` at once. */
export interface RateLimitSettings {
  readonly perSecond: number;
  /** Values below `perSecond` count as `perSecond`. */
  readonly burst: number;
}

const SECONDS_PER_MINUTE = 60;
const ALLOWED: RateDecision = { isAllowed: true, retryAfterSeconds: 0, isFirstRefusal: false };

/**
 * Creates a guard that counts per address (IPv6 per /64) in this process, in fixed windows: each admits
 * `burst` requests and lasts `burst / perSecond` seconds. Returns undefined when `perSecond` is 0, which
 * turns the limit off.
 */
export function createRateGuard(settings: RateLimitSettings): RateGuard | undefined {
  if (settings.perSecond <= 0) return undefined;
  const points = Math.ceil(Math.max(settings.burst, settings.perSecond, 1));
  const limiter = new RateLimiterMemory({ points, duration: points / settings.perSecond });
  return {
    async consume(address, subject = '', count = 1) {
      try {
        await limiter.consume(`${rateLimitKey(address)} ${subject}`, count);
        return ALLOWED;
      } catch (refusal) {
        // An internal error of the guard never refuses a request (spec/operations.md#rate-limits).
        return refusal instanceof RateLimiterRes ? refused(refusal, points, count) : ALLOWED;
      }
    },
  };
}

/** Creates the guard of a setting `rateLimits.*`: `perMinute` requests, even in a burst; undefined for 0. */
export function perMinuteGuard(perMinute: number): RateGuard | undefined {
  return createRateGuard({ perSecond: perMinute / SECONDS_PER_MINUTE, burst: perMinute });
}

/** Counts failures per address, and refuses an address that has reached its limit for the minute. */
export interface FailureGuard {
  /** Returns whether the address may try; counts nothing while it may. */
  check(address: string): Promise<RateDecision>;
  /** Counts a failure; refuses one beyond the limit. */
  count(address: string): Promise<RateDecision>;
  /**
   * Takes back one count. Attempts that are counted first and forgiven on success cannot exceed the limit concurrently.
   */
  forgive(address: string): Promise<void>;
}

/** Creates a guard that allows `perMinute` failures, also in one burst; undefined for 0. */
export function failuresPerMinuteGuard(perMinute: number): FailureGuard | undefined {
  if (perMinute <= 0) return undefined;
  const limiter = new RateLimiterMemory({ points: perMinute, duration: SECONDS_PER_MINUTE });
  const consume = async (address: string): Promise<RateDecision> => {
    try {
      await limiter.consume(rateLimitKey(address));
      return ALLOWED;
    } catch (refusal) {
      return refusal instanceof RateLimiterRes ? refused(refusal, perMinute) : ALLOWED;
    }
  };
  return {
    async check(address) {
      const found = await limiter.get(rateLimitKey(address));
      return found !== null && found.consumedPoints >= perMinute ? await consume(address) : ALLOWED;
    },
    count: consume,
    async forgive(address) {
      await limiter.reward(rateLimitKey(address));
    },
  };
}

/** @throws ServiceError `http.rate_limited` if a guard refuses; an absent guard allows everything */
export function refuseLimited(decision: RateDecision | undefined): void {
  if (decision?.isAllowed === false) throw new ServiceError('http.rate_limited', undefined, decision);
}

function refused(result: RateLimiterRes, points: number, count = 1): RateDecision {
  return {
    isAllowed: false,
    retryAfterSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
    isFirstRefusal: result.consumedPoints - count <= points,
  };
}
