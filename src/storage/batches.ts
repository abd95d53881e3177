import { setTimeout as delay } from 'node:timers/promises';
import type { Driver, Statement } from './drivers/driver.ts';
import { writeAll } from './transaction.ts';

/** Removes up to `limit` rows in its own transactions; returns how many, fewer if no more are left. */
export type RemoveBatch = (limit: number) => Promise<number>;

const FIRST_ROWS = 64;
const FEWEST_ROWS = 16;
/** A batch that takes longer halves the size of the next; one that takes less than half doubles it. */
const LONG_MS = 10;

/**
 * Removes rows batch by batch until a batch is not full. Rows under random keys touch a page each, so a
 * thousand of them can take a second on a slow disk. Therefore batches grow and shrink with the time that
 * they take, and each is followed by a pause of the same length: other writes wait for a few milliseconds
 * only and get half of the writer's time.
 *
 * @param maxRows - Most rows of a batch.
 * @param maxBatches - Most batches; unlimited by default.
 * @param signal - Once aborted, no further batch starts.
 * @returns Number of removed rows.
 */
export async function removeInBatches(
  remove: RemoveBatch,
  maxRows: number,
  maxBatches: number = Number.POSITIVE_INFINITY,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  let rows = Math.min(FIRST_ROWS, maxRows);
  for (let batch = 0; batch < maxBatches && signal?.aborted !== true; batch++) {
    const startedAt = performance.now();
    const count = await remove(rows);
    const tookMs = performance.now() - startedAt;
    total += count;
    if (count < rows) break;
    if (tookMs > LONG_MS) rows = Math.min(maxRows, Math.max(FEWEST_ROWS, Math.floor(rows / 2)));
    else if (tookMs < LONG_MS / 2) rows = Math.min(maxRows, rows * 2);
    await delay(tookMs);
  }
  return total;
}

/** Removes `limit` rows at a time, without a pause, until a batch is not full; returns the number of all. */
export async function removeAll(remove: RemoveBatch, limit: number): Promise<number> {
  for (let total = 0; ; ) {
    const count = await remove(limit);
    total += count;
    if (count < limit) return total;
  }
}

/** Runs a statement that returns one row for each row that it removes; returns their number. */
export async function countRemoved(driver: Driver, statement: Statement): Promise<number> {
  const [rows = []] = await writeAll(driver, [statement]);
  return rows.length;
}
