import type { Driver, Statement } from './drivers/driver.ts';

/**
 * Repeats a statement that removes up to `batchRows` rows until it removes fewer, each time in a transaction of its
 * own, so that other writes get their turn. Gives the number of removed rows.
 *
 * @param statement - Returns one row for each that it removes.
 * @param maxRuns - Most transactions; without it, as many as it takes.
 */
export async function removeInBatches(
  driver: Driver,
  statement: Statement,
  batchRows: number,
  maxRuns: number = Number.POSITIVE_INFINITY,
): Promise<number> {
  let total = 0;
  for (let run = 0; run < maxRuns; run++) {
    const [removed = []] = await driver.write([statement]);
    total += removed.length;
    if (removed.length < batchRows) break;
  }
  return total;
}
