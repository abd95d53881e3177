import { integrityRefusal } from './integrity-refusal.ts';
import type { KeySet } from './load-key-set.ts';

/** The cached keys of the issuer of device attestations. */
export interface AttestationKeys {
  /**
   * Returns keys that are at most a day old.
   *
   * @throws ServiceError `verify.integrity_failed`
   */
  current(): Promise<KeySet>;
  /**
   * Returns newer keys than those under which a token failed, which the issuer may have replaced; undefined if they were
   * read less than a minute ago.
   *
   * @throws ServiceError `verify.integrity_failed`
   */
  newerThan(failed: KeySet): Promise<KeySet | undefined>;
}

const MAX_AGE_MS = 24 * 3600 * 1000;
/** Pauses between two readings, so that tokens with made-up keys do not cause one each. */
const PAUSE_MS = 60_000;
const PAUSE_AFTER_FAILURE_MS = 10_000;

/**
 * Creates the cache. Several callers share one reading.
 *
 * @param load - Reads the keys anew.
 * @param onUnreadable - Receives the error of each reading that failed.
 * @param now - Milliseconds since the epoch.
 */
export function createAttestationKeys(
  load: () => Promise<KeySet>,
  now: () => number,
  onUnreadable: (cause: unknown) => void,
): AttestationKeys {
  let loaded: { readonly keys: KeySet; readonly at: number } | undefined;
  let failure: { readonly cause: unknown; readonly at: number } | undefined;
  let reading: Promise<KeySet> | undefined;

  // A clock that was set back makes nothing last longer.
  const isWithin = (at: number, milliseconds: number): boolean => now() >= at && now() - at < milliseconds;

  async function read(): Promise<KeySet> {
    const at = now();
    try {
      const keys = await load();
      loaded = { keys, at };
      failure = undefined;
      return keys;
    } catch (cause) {
      failure = { cause, at };
      onUnreadable(cause);
      throw integrityRefusal('keys_unavailable', cause);
    } finally {
      reading = undefined;
    }
  }

  async function readShared(): Promise<KeySet> {
    if (failure !== undefined && isWithin(failure.at, PAUSE_AFTER_FAILURE_MS)) {
      throw integrityRefusal('keys_unavailable', failure.cause);
    }
    reading ??= read();
    return reading;
  }

  return {
    async current() {
      return loaded !== undefined && isWithin(loaded.at, MAX_AGE_MS) ? loaded.keys : readShared();
    },
    async newerThan(failed) {
      if (loaded !== undefined && loaded.keys !== failed) return loaded.keys;
      return loaded !== undefined && isWithin(loaded.at, PAUSE_MS) ? undefined : readShared();
    },
  };
}
