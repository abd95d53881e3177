import { ServiceError } from '../../errors/service-error.ts';
import type { RefreshGuardStore } from '../../storage/refresh/guards.ts';

const MINUTE_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Dependencies of `createAttempts`. */
export interface AttemptsParts {
  readonly guards: Pick<RefreshGuardStore, 'countAttempt'>;
  /** Maximum attempts of an address per minute; 0 turns the limit off. */
  readonly perMinute: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The count of proof attempts, shared by all processes (spec/refresh.md#rate-limits, proof-attempts). */
export interface Attempts {
  /**
   * Counts one attempt of an address (spec/refresh.md#order-of-checks, proof-attempts).
   *
   * @param addressKey - Address as used for rate limits (IPv6: its /64).
   * @throws ServiceError `http.rate_limited` with the seconds until the next minute, `store.unreachable`
   */
  count(addressKey: string): Promise<void>;
}

/** Creates the count of attempts in the store. */
export function createAttempts({ guards, perMinute, now }: AttemptsParts): Attempts {
  const refused = new RefusedKeys();
  return {
    async count(addressKey) {
      if (perMinute <= 0) return;
      const at = now();
      const minute = Math.floor(at / MINUTE_MS);
      const isKnown = refused.has(addressKey, minute);
      // A count never decreases within its minute, so a refused address is refused again without the store.
      if (!isKnown && (await guards.countAttempt(addressKey, minute, perMinute))) return;
      throw new ServiceError('http.rate_limited', undefined, {
        check: 8,
        retryAfterSeconds: Math.max(1, Math.ceil(((minute + 1) * MINUTE_MS - at) / 1000)),
        isFirstRefusal: refused.add(addressKey, minute),
      });
    },
  };
}

/** Addresses that were refused in the current minute, at most `MAX_REMEMBERED`. */
class RefusedKeys {
  readonly #keys = new Set<string>();
  #minute = Number.NaN;

  has(key: string, minute: number): boolean {
    return minute === this.#minute && this.#keys.has(key);
  }

  /** Adds a key; returns whether it is new. At the bound no key counts as new, so that the log is bounded as well. */
  add(key: string, minute: number): boolean {
    if (minute !== this.#minute) {
      this.#keys.clear();
      this.#minute = minute;
    }
    if (this.#keys.has(key) || this.#keys.size >= MAX_REMEMBERED) return false;
    this.#keys.add(key);
    return true;
  }
}
