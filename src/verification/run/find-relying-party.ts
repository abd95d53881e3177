import { APP_ID } from '../../config/apps/app-forms.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow, AppStore } from '../../storage/apps/apps.ts';
import { createReadThroughCache } from '../../storage/read-through-cache.ts';
import type { StoreChanges } from '../../storage/store-changes.ts';

const RP_ID = /^rp_[0-9a-fA-F]{16}$/;
const MAX_ID_CHARACTERS = 128;
const MAX_CACHED_APPS = 10_000;
const MAX_APP_READS = 16;

/** Finds the app of a path id (`spec/verification.md#order-of-checks`, `id-form` and `app-known`). */
export interface RelyingParties {
  /**
   * Returns a registered app that was read within the cache time; never reads the store.
   *
   * @param id - As for `find`.
   */
  peek(id: string): AppRow | undefined;
  /**
   * @param id - The path id, percent-decoded: an rp_id of either case, or an app_id.
   * @throws ServiceError `verify.invalid_id`, `verify.app_not_registered`, `store.unreachable`
   */
  find(id: string): Promise<AppRow>;
}

/**
 * Checks that an app may verify (`spec/verification.md#order-of-checks`, `registration` and `app-enabled`).
 *
 * @throws ServiceError `verify.rp_not_active`, `verify.app_disabled`
 */
export function checkAppState({ verification, status }: Pick<AppRow, 'verification' | 'status'>): void {
  if (verification !== 'registered') throw new ServiceError('verify.rp_not_active');
  if (status !== 'active') throw new ServiceError('verify.app_disabled');
}

/** Creates the lookup of relying parties in a store, cached for `cacheMs`; misses are not cached. */
export function createRelyingParties(
  apps: Pick<AppStore, 'findByAppId' | 'findByRpId'>,
  cacheMs: number,
  now: () => number,
  changes?: Pick<StoreChanges, 'count'>,
): RelyingParties {
  const cache = createReadThroughCache<AppRow>({
    read: (id) => (id.startsWith('rp_') ? apps.findByRpId(id) : apps.findByAppId(id)),
    maxAgeMs: cacheMs,
    maxEntries: MAX_CACHED_APPS,
    maxReads: MAX_APP_READS,
    now,
    changes,
  });

  return {
    peek(id) {
      const app = cache.peek(id);
      return app?.verification === 'none' ? undefined : app;
    },
    async find(id) {
      const key = canonicalId(id);
      const app = key === undefined ? undefined : await cache.get(key);
      if (app === undefined || app.verification === 'none') {
        throw new ServiceError('verify.app_not_registered');
      }
      return app;
    },
  };
}

/** Returns the id as it is stored, or undefined if no stored id can have this form. */
function canonicalId(id: string): string | undefined {
  if (RP_ID.test(id)) return id.toLowerCase();
  if (!id.startsWith('app_') || id.length > MAX_ID_CHARACTERS) throw new ServiceError('verify.invalid_id');
  return APP_ID.test(id) ? id : undefined;
}
