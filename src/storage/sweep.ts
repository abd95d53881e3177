import { countRemoved, type RemoveBatch, removeInBatches } from './batches.ts';
import { releaseEnded } from './bridge/charges.ts';
import { deleteEndedUncharged } from './bridge/messages.ts';
import type { Driver, Statement } from './drivers/driver.ts';
import { EXPIRING_TABLES, type ExpiringTable } from './tables.ts';

/** Most batches per table and run, so that a run ends; the next run continues. */
const MAX_BATCHES = 20_000;

/**
 * Removes expired rows, one table after another. Several processes may do so concurrently.
 *
 * @param now - Rows whose `expires_at` is this or earlier are removed.
 * @param signal - Once aborted, no further batch starts.
 * @returns Number of removed rows by table.
 */
export async function sweep(
  driver: Driver,
  now: number,
  batchRows: number,
  signal?: AbortSignal,
  tables: readonly ExpiringTable[] = EXPIRING_TABLES,
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const table of tables) {
    const remove: RemoveBatch = (limit) => countRemoved(driver, deleteExpired(table, now, limit));
    const count = await removeInBatches(remove, batchRows, MAX_BATCHES, signal);
    removed[table.name] = count;
    if (count > 0 && table.cleanUp !== undefined) await driver.write([{ sql: table.cleanUp, params: [] }]);
  }
  return removed;
}

/** Removes the expired messages of the bridge, strangers' ones with their charges; returns their number. */
export async function sweepBridge(
  driver: Driver,
  now: number,
  batchRows: number,
  signal?: AbortSignal,
): Promise<number> {
  const charged: RemoveBatch = (limit) => releaseEnded(driver, now, limit);
  const uncharged: RemoveBatch = (limit) => countRemoved(driver, deleteEndedUncharged(now, limit));
  return (
    (await removeInBatches(charged, batchRows, MAX_BATCHES, signal)) +
    (await removeInBatches(uncharged, batchRows, MAX_BATCHES, signal))
  );
}

/** Removes up to `limit` rows that have ended at `now`; returns one row for each. */
export function deleteExpired({ name, key: columns }: ExpiringTable, now: number, limit: number): Statement {
  const key = columns.join(', ');
  return {
    sql: `delete from ${name} where (${key}) in (select ${key} from ${name} where expires_at <= $1 order by expires_at limit $2) returning 1`,
    params: [now, limit],
  };
}
