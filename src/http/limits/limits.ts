import type { RateGuard } from '../exchange/exchange-types.ts';
import { type FailureGuard, GuardCounts, type RateLimitSettings } from './rate-limit.ts';
import { createHashSecret, namedHash } from './shared/keyed-hash.ts';
import { KnownSet } from './shared/known-set.ts';
import { SharedTable, tableMemory } from './shared/shared-table.ts';

/** Buckets of the table of all counts: 122,880 entries. */
const COUNT_BUCKETS = 8192;
/**
 * Buckets of each set of known texts, 15 entries each. The sets are apart from each other and from the counts, so that
 * nobody can displace what another has made known.
 */
const KNOWN_BUCKETS = {
  /** Sign-in pages, by sign-in and cookie. */
  signInPages: 8192,
  /** Ids of the bridge that callers chose and that exist. */
  bridgeIds: 4096,
  /** Addresses from which a client has authenticated, each alone and with the client. */
  callers: 4096,
} as const;

const SECONDS_PER_MINUTE = 60;

/** Name of a set of known texts. */
export type KnownName = keyof typeof KNOWN_BUCKETS;

/** Memory of the limits, for the threads that share them. It can be sent to a thread. */
export interface LimitsHandle {
  /** Keys the hashes of the tables; never leaves the process. */
  readonly secret: Uint8Array;
  readonly counts: SharedArrayBuffer;
  readonly known: Readonly<Record<KnownName, SharedArrayBuffer>>;
}

/** Creates the memory of the limits of a process, with a secret of its own. */
function createHandle(): LimitsHandle {
  return {
    secret: createHashSecret(),
    counts: tableMemory(COUNT_BUCKETS),
    known: {
      signInPages: tableMemory(KNOWN_BUCKETS.signInPages),
      bridgeIds: tableMemory(KNOWN_BUCKETS.bridgeIds),
      callers: tableMemory(KNOWN_BUCKETS.callers),
    },
  };
}

/**
 * Limits of a service (spec/operations.md#rate-limits), counted in memory that its threads share. A guard and a set are
 * known by name: created again in any thread under the same name, they have the same counts.
 */
export class Limits {
  /** Memory of these limits, with which a thread shares them. */
  readonly handle: LimitsHandle;
  readonly #counts: SharedTable;

  /** @param handle - Of the limits to share; new ones if absent. */
  constructor(handle: LimitsHandle = createHandle()) {
    this.handle = handle;
    this.#counts = new SharedTable(handle.counts);
  }

  /**
   * Creates a guard that counts per address (IPv6 per /64) in fixed windows: each admits `burst` requests and lasts
   * `burst / perSecond` seconds. Returns undefined when `perSecond` is 0, which turns the limit off.
   */
  rateGuard(name: string, settings: RateLimitSettings): RateGuard | undefined {
    return settings.perSecond <= 0 ? undefined : this.#countsOf(name).rateGuard(settings);
  }

  /** Creates the guard of a setting `rateLimits.*`: `perMinute` requests, even in a burst; undefined for 0. */
  perMinute(name: string, perMinute: number): RateGuard | undefined {
    return this.rateGuard(name, { perSecond: perMinute / SECONDS_PER_MINUTE, burst: perMinute });
  }

  /** Creates a guard that allows `perMinute` failures, also in one burst; undefined for 0. */
  failuresPerMinute(name: string, perMinute: number): FailureGuard | undefined {
    return perMinute <= 0 ? undefined : this.#countsOf(name).failureGuard(perMinute);
  }

  known(name: KnownName): KnownSet {
    return new KnownSet(new SharedTable(this.handle.known[name]), namedHash(this.handle.secret, name));
  }

  #countsOf(name: string): GuardCounts {
    return new GuardCounts(this.#counts, namedHash(this.handle.secret, name));
  }
}
