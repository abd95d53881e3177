import type { Config } from '../config/settings/types.ts';
import { ServiceError } from '../errors/service-error.ts';
import { createReadThroughCache } from '../storage/read-through-cache.ts';
import type { RefreshGuardStore } from '../storage/refresh/guards.ts';

/** Dependencies of `createSwitch`. */
export interface SwitchParts {
  readonly config: Pick<Config, 'refresh' | 'storage'>;
  readonly guards: Pick<RefreshGuardStore, 'isSwitchedOn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const KEY = 'refresh';
/** `Retry-After`: known wallets wait this long before they repeat a request; the switch is changed manually. */
const RETRY_SECONDS = 60;
/** Minimum interval between logged refusals while refresh is off; all are counted. */
const NOTICE_MS = 60_000;

/**
 * Creates the check that refresh is enabled (spec/refresh.md#order-of-checks, enabled): first the setting, which needs
 * no store, then the switch of the operator. A change of the switch takes effect in a running service within
 * `storage.cacheSeconds`. Retries of wallets do not fill the log.
 *
 * @returns A check that rejects with ServiceError `refresh.disabled` or `store.unreachable`.
 */
export function createSwitch({ config, guards, now }: SwitchParts): () => Promise<void> {
  const cache = createReadThroughCache({
    read: async () => ({ isOn: await guards.isSwitchedOn() }),
    maxAgeMs: config.storage.cacheSeconds * 1000,
    maxEntries: 1,
    maxReads: 1,
    now,
  });
  let noticedAt = Number.NEGATIVE_INFINITY;

  function disabled(): ServiceError {
    const at = now();
    const isFirstRefusal = Math.abs(at - noticedAt) >= NOTICE_MS;
    if (isFirstRefusal) noticedAt = at;
    return new ServiceError('refresh.disabled', undefined, {
      retryAfterSeconds: RETRY_SECONDS,
      isFirstRefusal,
    });
  }

  return async () => {
    if (!config.refresh.enabled) throw disabled();
    const state = await cache.get(KEY);
    if (state?.isOn !== true) throw disabled();
    noticedAt = Number.NEGATIVE_INFINITY;
  };
}
