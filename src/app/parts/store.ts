import { refuseUnsafeStart } from '../../config/production/production-refusals.ts';
import type { Config } from '../../config/settings/types.ts';
import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { isServiceError } from '../../errors/service-error.ts';
import { currentRootAges } from '../../membership/roots/root-registry.ts';
import type { Log } from '../../observability/log/log.ts';
import { readInto, setOrRemove } from '../../observability/metrics/instruments.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { SharedThreads } from '../../storage/drivers/libsql-threads.ts';
import { acquireServeLock } from '../../storage/files/serve-lock.ts';
import { isSharedStore } from '../../storage/files/store-url.ts';
import { describePlan } from '../../storage/migrations/describe-plan.ts';
import type { MigrationPlan } from '../../storage/migrations/plan.ts';
import { openStore } from '../../storage/open-store.ts';
import type { Store } from '../../storage/store.ts';
import type { StoreChanges } from '../../storage/store-changes.ts';
import type { Part } from '../lifecycle.ts';

/** Name of the store among the parts. */
const STORE = 'store';

/**
 * Takes the lock of the data folder and of the store in it. Not for nodes that share a database server, nor in tests,
 * which run several servers on one database file.
 */
export async function lockStore({ dataDir, storage }: Config): Promise<Part | undefined> {
  if (isSharedStore(storage.url)) return undefined;
  const lock = await acquireServeLock(dataDir, storage.allowSharedFile ? {} : { storageUrl: storage.url });
  return {
    name: 'lock',
    // A store that was not closed may still be written, so its lock is released only by the end of the process.
    async stop(faults = []) {
      if (!faults.some(({ name }) => name === STORE)) await lock.release();
    },
  };
}

/** Options of `openServiceStore`. */
export interface ServiceStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly changes: StoreChanges;
  /** Threads of the embedded store that the main thread has, in a front end. */
  readonly threads?: SharedThreads;
}

/** Options of `openMigratedStore`. */
export interface StoreOptions extends ServiceStoreOptions {
  /** Whether production may apply pending migrations. */
  readonly migrate: boolean;
  readonly origins: LoadedConfig['origins'];
}

/** Opens the store of a service, whatever its migrations. */
export function openServiceStore(
  config: Config,
  { now, changes, threads }: ServiceStoreOptions,
  log: Log,
  metrics: Metrics,
): Promise<Store> {
  return openStore(config.storage, {
    changes,
    ...(threads === undefined ? {} : { threads }),
    log: { warn: (fields, message) => log.warn(message, { ...fields }) },
    now,
    sendsEvents: config.webhooks.url !== undefined,
    observer: {
      nullifierCommit(rows, seconds) {
        metrics.nullifierCommitRows.observe(rows);
        metrics.nullifierCommitSeconds.observe(seconds);
      },
      retry: (operation) => metrics.storeRetriesTotal.inc({ operation }),
      bridgeEviction: (messages) => metrics.bridgeEvictionsTotal.inc({}, messages),
      // Seq and hash in an external log allow detecting a truncated audit log.
      audited: ({ seq, hash, actor, action, target }) =>
        log.audit({ event: 'audit.recorded', seq, hash, actor, action, target }),
    },
  });
}

/**
 * Opens the store, with its migrations applied.
 *
 * @throws ServiceError `store.*`, `config.invalid` in production if migrations are pending and not requested
 */
export async function openMigratedStore(
  config: Config,
  options: StoreOptions,
  log: Log,
  metrics: Metrics,
): Promise<Store> {
  const store = await openServiceStore(config, options, log, metrics);
  try {
    const { pending } = await store.migrationStatus();
    if (pending.length > 0 && config.profile === 'production' && !options.migrate) {
      refuseUnsafeStart(
        { config, origins: options.origins },
        { pendingMigrations: pending.map((migration) => migration.name) },
      );
    }
    if (pending.length > 0) {
      announceMigrations(await store.migrationPlan(), log);
      await store.migrate();
    }
    announceDurability(store, log);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Dependencies of `storePart`. */
export interface StorePartParts {
  readonly config: Pick<Config, 'storage'>;
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Returns an open store as a part, without what the service reports of it once. */
export function openStorePart(store: Pick<Store, 'probe' | 'close'>): Part {
  return {
    name: STORE,
    stop: () => store.close(),
    health: {
      async store() {
        const state = await store.probe();
        if (!state.isReachable || !state.isWritable) throw new Error(state.reason ?? 'not writable');
        return state.durability.text;
      },
    },
  };
}

/** Returns the open store as a part. */
export function storePart({ config, store, now }: StorePartParts): Part {
  const opened = openStorePart(store);
  return {
    ...opened,
    health: {
      ...opened.health,
      async migrations() {
        const pending = await pendingMigrations(store);
        if (pending > 0) throw new Error(`${pending} pending`);
        return undefined;
      },
    },
    async metrics(metrics) {
      metrics.storeFreeBytes.remove();
      await Promise.all([
        readInto(
          metrics.storeRows,
          () => store.rowCounts(),
          (gauge, rows) => {
            for (const [table, count] of Object.entries(rows)) gauge.set({ table }, count);
          },
        ),
        readInto(
          metrics.storeBytes,
          () => store.size(),
          (gauge, { databaseBytes, logBytes, freeBytes }) => {
            gauge.set({ part: 'database' }, databaseBytes);
            if (logBytes !== undefined) gauge.set({ part: 'log' }, logBytes);
            setOrRemove(metrics.storeFreeBytes, freeBytes);
          },
        ),
        readInto(
          metrics.rootsCurrentAgeSeconds,
          () => currentRootAges(store.roots, now()),
          (gauge, ages) => {
            for (const { ageSeconds, ...labels } of ages) gauge.set(labels, ageSeconds);
          },
        ),
        readInto(
          metrics.worldid4Keys,
          () => store.worldId4Keys.countKeys(),
          (gauge, counts) => {
            for (const { environment, table, count } of counts) gauge.set({ environment, table }, count);
          },
        ),
        (async () =>
          setOrRemove(metrics.backupLastTimestampSeconds, await lastBackupSeconds(config, store)))(),
      ]);
    },
  };
}

/**
 * Returns the time of the last backup in seconds since the epoch, 0 before the first. Undefined if it cannot be read,
 * since 0 would mean that there is none, and for a database server, whose backups are unknown to the store.
 */
async function lastBackupSeconds(
  { storage }: Pick<Config, 'storage'>,
  store: Pick<Store, 'backups'>,
): Promise<number | undefined> {
  if (isSharedStore(storage.url)) return undefined;
  try {
    return ((await store.backups.last())?.finishedAt ?? 0) / 1000;
  } catch {
    return undefined;
  }
}

/** Counts pending migrations; 0 if a newer release has migrated the shared store, which stays usable here. */
async function pendingMigrations(store: Pick<Store, 'migrationStatus'>): Promise<number> {
  try {
    return (await store.migrationStatus()).pending.length;
  } catch (error) {
    if (isServiceError(error, 'store.newer')) return 0;
    throw error;
  }
}

/** Logs the effects of the pending migrations of an existing store before they begin. */
function announceMigrations(plan: MigrationPlan, log: Log): void {
  if (plan.isNew) return;
  const fields = { event: 'store.migrating', plan: describePlan(plan) };
  const summary = `pending migrations begin: ${plan.migrations.length}; estimated time ${Math.ceil(plan.seconds)} s`;
  if (plan.formerCanStart) log.info(summary, fields);
  else log.warn(`${summary}; the former release cannot start on the store afterwards`, fields);
}

/** Logs the failures that acknowledged writes survive, if that depends on a database server. */
function announceDurability(store: Store, log: Log): void {
  const { text, faults, failover } = store.health().durability;
  if (failover === undefined) return;
  const fields = { event: 'store.durability', reason: text };
  if (failover.isSafe) log.info(failover.text, fields);
  else log.warn(failover.text, fields);
  for (const fault of faults) log.warn(`the store: ${fault}`, fields);
}
