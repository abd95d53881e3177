import type { Config } from '../../config/settings/types.ts';
import { basePathOf } from '../../config/values/public-address.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Route } from '../../http/exchange/exchange-types.ts';
import type { Limits } from '../../http/limits/limits.ts';
import { refreshRoutes } from '../../http/routes/public/refresh/routes.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import { type CredentialKeys, createCredentialKeys } from '../../refresh/keys/credential-keys.ts';
import { createRefresh } from '../../refresh/refresh.ts';
import type { Refresh } from '../../refresh/types.ts';
import type { Store } from '../../storage/store.ts';
import { storeGuard } from './health.ts';

/** Dependencies of credential refresh. */
export interface RefreshStartParts {
  readonly config: Config;
  readonly store: Store;
  readonly engine: Engine;
  /** Verifying keys of holder proofs. */
  readonly keys: KeyRegistry;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Credential refresh without HTTP. */
export interface RefreshService {
  readonly refresh: Refresh;
  readonly credentialKeys: CredentialKeys;
}

/**
 * Builds the parts of credential refresh. If `refresh.enabled` is false, refresh needs no key, lists existing keys, and
 * refuses all other requests. Does not register the verifying key of holder proofs with the engine.
 *
 * @throws ServiceError `issuer_key.*`, `store.unreachable`
 */
export async function createRefreshParts(parts: RefreshStartParts): Promise<RefreshService> {
  const { config, store, engine, log, now } = parts;
  const credentialKeys = await createCredentialKeys({
    store: store.issuerKeys,
    changes: store.changes,
    engine,
    config,
    log,
    now,
  });
  return { refresh: createRefresh({ ...parts, credentialKeys }), credentialKeys };
}

/** Builds the routes of credential refresh (spec/refresh.md#endpoints). */
export function refreshRoutesOf(
  { refresh }: RefreshService,
  parts: { config: Config; limits: Limits; store: Store; metrics: Metrics },
): Route[] {
  const { config, limits, store, metrics } = parts;
  // The setting is checked first: a disabled refresh answers the same while the store is down.
  const admit = config.refresh.enabled ? { admit: storeGuard(store) } : {};
  const malformed = limits.failuresPerMinute(
    'rateLimits.refreshMalformed',
    config.rateLimits.refreshMalformed,
  );
  return refreshRoutes({
    config,
    basePath: basePathOf(config.issuerUrl),
    refresh,
    metrics,
    malformed,
    ...admit,
  });
}
