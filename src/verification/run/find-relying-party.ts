import { APP_ID } from '../../apps/app-id.ts';
import { ServiceError } from '../../errors/index.ts';
import type { AppRow, AppStore } from '../../storage/index.ts';
import { createReadThroughCache } from '../../storage/stores/read-through-cache.ts';

const RP_ID = /^rp_[0-9a-fA-F]{16}$/;
const MAX_ID_CHARACTERS = 128;
const MAX_CACHED_APPS = 10_000;
const MAX_APP_READS = 16;

/** Who is told of an app that was found. */
export interface AppListener {
  resolved(app: AppRow): void;
}

/**
 * Finds the app of a path id and checks that it may verify (spec/verification.md#order-of-checks, id-form to
 * app-enabled).
 */
export interface RelyingParties {
  /**
   * @param id - The path id, percent-decoded: an rp_id of either case, or an app_id.
   * @param listener - Told the app as soon as it is found, before registration and status can refuse.
   * @returns A promise where the store has to be asked, and for every refusal.
   * @throws ServiceError `verify.invalid_id`, `verify.app_not_registered`, `verify.rp_not_active`,
   * `verify.app_disabled`, `store.unreachable`, by the promise
   */
  find(id: string, listener?: AppListener): AppRow | Promise<AppRow>;
}

/** The relying parties of a store, cached for `cacheMs`; a miss reads the store once before it is an answer. */
export function createRelyingParties(
  apps: Pick<AppStore, 'findByAppId' | 'findByRpId'>,
  cacheMs: number,
  now: () => number,
): RelyingParties {
  const cache = createReadThroughCache<AppRow>({
    read: (id) => (id.startsWith('rp_') ? apps.findByRpId(id) : apps.findByAppId(id)),
    maxAgeMs: cacheMs,
    maxEntries: MAX_CACHED_APPS,
    maxReads: MAX_APP_READS,
    now,
  });

  async function judge(id: string, listener: AppListener | undefined): Promise<AppRow> {
    const key = canonicalId(id);
    const app = key === undefined ? undefined : (cache.peek(key) ?? (await cache.get(key)));
    if (app === undefined || app.verification === 'none') {
      throw new ServiceError('verify.app_not_registered');
    }
    listener?.resolved(app);
    if (app.verification !== 'registered') throw new ServiceError('verify.rp_not_active');
    if (app.status !== 'active') throw new ServiceError('verify.app_disabled');
    return app;
  }

  return {
    find(id, listener) {
      // the keys of the cache are canonical, so that an id that is one needs no look at its form
      const app = cache.peek(id);
      if (app?.verification !== 'registered' || app.status !== 'active') return judge(id, listener);
      listener?.resolved(app);
      return app;
    },
  };
}

/** The id as it is stored, or undefined when no stored id can have this form. */
function canonicalId(id: string): string | undefined {
  if (RP_ID.test(id)) return id.toLowerCase();
  if (!id.startsWith('app_') || id.length > MAX_ID_CHARACTERS) throw new ServiceError('verify.invalid_id');
  return APP_ID.test(id) ? id : undefined;
}
