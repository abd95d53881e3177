import { rateLimitKey } from '../../addresses.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { RateDecision, RateGuard } from '../exchange/exchange-types.ts';
import type { KeyedHash } from './shared/keyed-hash.ts';
import type { Counted, CountRule, SharedTable } from './shared/shared-table.ts';

/** Rate at which an address may send requests: `perSecond` on average, `burst` at once. */
export interface RateLimitSettings {
  readonly perSecond: number;
  /** Values below `perSecond` count as `perSecond`. */
  readonly burst: number;
}

/** Counts failures per address, and refuses an address that has reached its limit for the minute. */
export interface FailureGuard {
  /** Returns whether the address may try; counts nothing while it may. */
  check(address: string): RateDecision;
  /** Counts a failure; refuses one beyond the limit. */
  count(address: string): RateDecision;
  /**
   * Takes back one count. Attempts that are counted first and forgiven on success cannot exceed the limit concurrently.
   */
  forgive(address: string): void;
}

const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60_000;
const ALLOWED: RateDecision = { isAllowed: true, retryAfterSeconds: 0, isFirstRefusal: false };

/** Counts of one guard in a table, under the keys of its own hash. */
export class GuardCounts {
  readonly #table: SharedTable;
  readonly #hash: KeyedHash;

  constructor(table: SharedTable, hash: KeyedHash) {
    this.#table = table;
    this.#hash = hash;
  }

  /** Counts per address (IPv6 per /64) in fixed windows: each admits `burst` requests and lasts `burst / perSecond` seconds. */
  rateGuard({ perSecond, burst }: RateLimitSettings): RateGuard {
    const limit = Math.ceil(Math.max(burst, perSecond, 1));
    const rule: CountRule = { limit, windowMs: (limit / perSecond) * MS_PER_SECOND };
    return {
      consume: (address, subject = '', count = 1) =>
        this.#consume(`${rateLimitKey(address)} ${subject}`, count, rule),
    };
  }

  failureGuard(perMinute: number): FailureGuard {
    const rule: CountRule = { limit: perMinute, windowMs: MS_PER_MINUTE };
    const count = (address: string): RateDecision => this.#consume(rateLimitKey(address), 1, rule);
    return {
      check: (address) => {
        const found = this.#table.read(this.#hash.of(rateLimitKey(address)), Date.now());
        return found >= perMinute ? count(address) : ALLOWED;
      },
      count,
      forgive: (address) => this.#table.subtract(this.#hash.of(rateLimitKey(address)), 1, Date.now()),
    };
  }

  #consume(key: string, amount: number, rule: CountRule): RateDecision {
    const now = Date.now();
    const counted = this.#table.add(this.#hash.of(key), amount, rule, now);
    return counted.count > rule.limit ? refused(counted, amount, rule, now) : ALLOWED;
  }
}

/** @throws ServiceError `http.rate_limited` if a guard refuses; an absent guard allows everything */
export function refuseLimited(decision: RateDecision | undefined): void {
  if (decision?.isAllowed === false) throw new ServiceError('http.rate_limited', undefined, decision);
}

function refused(
  { count, endsAt }: Counted,
  amount: number,
  { limit }: CountRule,
  now: number,
): RateDecision {
  return {
    isAllowed: false,
    retryAfterSeconds: Math.max(1, Math.ceil((endsAt - now) / MS_PER_SECOND)),
    isFirstRefusal: count - amount <= limit,
  };
}
