import type { Driver, SqlRow, SqlValue, TableShape } from '../drivers/driver.ts';
import {
  type CopyPair,
  change,
  FIRST_PAGE_ROWS,
  keysOf,
  lookUp,
  nextLimit,
  type TableCopy,
} from './copy-pair.ts';
import { areEqualRows, rowKey, rowsDigest } from './rows-digest.ts';
import { rowsBetween } from './table-rows.ts';

/** A stale row can keep one before it out, through another unique index; the next pass adds that one. */
const MAX_PASSES = 3;

/** All rows whose first key column is above `after` (undefined: from the first) and at most `upTo` (to the last). */
interface KeyRange {
  readonly rows: readonly SqlRow[];
  readonly after: SqlValue | undefined;
  readonly upTo: SqlValue | undefined;
}

/**
 * Makes a table of the target equal to that of the source, range by range of the first key column. Its values must be
 * bytes, which both engines have in the same order, unlike texts. Each row of both stores is read once, and again what
 * was written.
 *
 * @param isEmpty - Whether the target has no rows in this table.
 * @param isOnce - Whether one pass has to do, because the source may be changing.
 */
export async function copyByRanges(
  table: TableShape,
  pair: CopyPair,
  isEmpty: boolean,
  isOnce: boolean,
): Promise<TableCopy> {
  let added = 0;
  let removed = 0;
  for (let pass = 1; ; pass++) {
    const done = await passOver(table, pair, isEmpty && pass === 1);
    added += done.added;
    removed += done.removed;
    const isEqual = done.source.hex === done.target.hex;
    if (isEqual || isOnce || pass === MAX_PASSES) return { ...done, added, removed };
  }
}

async function passOver(table: TableShape, pair: CopyPair, isEmpty: boolean): Promise<TableCopy> {
  const source = rowsDigest();
  const target = rowsDigest();
  let added = 0;
  let removed = 0;
  for await (const range of ranges(pair.source, table, undefined, undefined)) {
    const digest = rowsDigest(range.rows);
    source.addDigest(digest);
    const { missing, removed: stale } = await equalize(table, pair, range, isEmpty);
    added += missing.length;
    removed += stale;
    if (missing.length > range.rows.length / 2) {
      for await (const { rows } of targetRanges(table, pair, range)) target.add(rows);
    } else {
      // The other rows were read from the target just now.
      digest.subtract(missing);
      target.addDigest(digest);
      const found = await lookUp(pair.target, table, table.columns, missing);
      target.add(missing.map((row) => found.get(rowKey(table, row)) ?? []));
    }
    pair.onPage(range.rows.length);
  }
  return { added, removed, source, target };
}

/** Makes the rows of one range equal; returns the rows that were missing and the number of those that were removed. */
async function equalize(
  table: TableShape,
  pair: CopyPair,
  range: KeyRange,
  isEmpty: boolean,
): Promise<{ readonly missing: readonly SqlRow[]; readonly removed: number }> {
  if (isEmpty) {
    await change(pair, table, { missing: range.rows });
    return { missing: range.rows, removed: 0 };
  }
  const missing = new Map(range.rows.map((row) => [rowKey(table, row), row]));
  let removed = 0;
  for await (const { rows } of targetRanges(table, pair, range)) {
    const stale = rows.filter((row) => {
      const key = rowKey(table, row);
      const original = missing.get(key);
      if (original === undefined || !areEqualRows(original, row)) return true;
      missing.delete(key);
      return false;
    });
    await change(pair, table, { stale });
    removed += stale.length;
    pair.onPage(rows.length);
  }
  const rows = [...missing.values()];
  await change(pair, table, { missing: rows });
  return { missing: rows, removed };
}

function targetRanges(
  table: TableShape,
  { target }: CopyPair,
  { after, upTo }: KeyRange,
): AsyncGenerator<KeyRange> {
  return ranges(target, table, after, upTo);
}

/** Divides the rows between two values of the first key column into ranges that are small enough to be kept. */
async function* ranges(
  driver: Driver,
  table: TableShape,
  from: SqlValue | undefined,
  upTo: SqlValue | undefined,
): AsyncGenerator<KeyRange> {
  const firstOf = (row: SqlRow | undefined): SqlValue | undefined =>
    row === undefined ? undefined : keysOf(table, [row])[0]?.[0];
  let after = from;
  for (let limit = FIRST_PAGE_ROWS; ; ) {
    const page = await driver.read(rowsBetween(table, after, upTo, limit));
    if (page.length < limit) {
      yield { rows: page, after, upTo };
      return;
    }
    // More rows may have the last value.
    const last = firstOf(page.at(-1));
    const rows = page.filter((row) => !areEqualRows([firstOf(row) ?? null], [last ?? null]));
    const end = firstOf(rows.at(-1));
    if (end === undefined) {
      limit *= 2;
      continue;
    }
    yield { rows, after, upTo: end };
    after = end;
    limit = Math.max(2, nextLimit(limit, rows));
  }
}
