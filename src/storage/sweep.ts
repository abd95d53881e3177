import { removeInBatches } from './batches.ts';
import type { Driver } from './drivers/driver.ts';
import { deleteExpired, EXPIRING_TABLES, type ExpiringTable } from './statements/tables.ts';

/** Most statements per table and run: what is left waits for the next run. */
const MAX_BATCHES = 10;

/**
 * Removes rows that have ended. Several processes may do it at once. Gives the number of removed rows by table.
 *
 * @param now - Rows whose `expires_at` is this or earlier go.
 */
export async function sweep(
  driver: Driver,
  now: number,
  batchRows: number,
  tables: readonly ExpiringTable[] = EXPIRING_TABLES,
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const table of tables) {
    const statement = deleteExpired(table, now, batchRows);
    removed[table.name] = await removeInBatches(driver, statement, batchRows, MAX_BATCHES);
  }
  return removed;
}
