import type { Driver } from '../drivers/driver.ts';
import { deleteEndedUncharged } from '../statements/signin/bridge.ts';
import { deleteExpired, EXPIRING_TABLES, type ExpiringTable } from '../statements/tables.ts';
import { countRemoved, type RemoveBatch, removeInBatches } from './batches.ts';
import { releaseEnded } from './signin/bridge-room.ts';

/** Most batches per table and run, for a run to end; what is left waits for the next one. */
const MAX_BATCHES = 20_000;

/**
 * Removes rows that have ended, a table after the other. Several processes may do it at once. Gives the number of
 * removed rows by table.
 *
 * @param now - Rows whose `expires_at` is this or earlier go.
 * @param signal - Once aborted, no further batch is begun.
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

/** Removes the messages of the wallet bridge that have ended, those of strangers with their charges; gives how many. */
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
