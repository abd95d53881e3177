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
import { areEqualRows, type RowsDigest, rowKey, rowsDigest } from './rows-digest.ts';
import { rowsAfter } from './table-rows.ts';

/**
 * Makes a table of the target equal to that of the source, for any key order of the engines: walks each table in its
 * own order and looks its rows up in the other one by their keys.
 *
 * @param isEmpty - Whether the target has no rows in this table.
 */
export async function copyByKeys(table: TableShape, pair: CopyPair, isEmpty: boolean): Promise<TableCopy> {
  const { removed, kept } = await prune(table, pair);
  const { added, source } = await fill(table, pair, isEmpty);
  // Rows that were not written have been read from the target already.
  return { added, removed, source, target: added === 0 ? kept : await digestOf(table, pair) };
}

/**
 * Removes the rows of the target that the source does not have, or has with other values. Every unique index then takes
 * the missing rows in any order.
 */
async function prune(table: TableShape, pair: CopyPair): Promise<{ removed: number; kept: RowsDigest }> {
  const kept = rowsDigest();
  let removed = 0;
  for await (const page of pages(pair.target, table)) {
    const found = await lookUp(pair.source, table, table.columns, page);
    const stale = new Set(
      page.filter((row) => {
        const original = found.get(rowKey(table, row));
        return original === undefined || !areEqualRows(original, row);
      }),
    );
    await change(pair, table, { stale: [...stale] });
    kept.add(page.filter((row) => !stale.has(row)));
    removed += stale.size;
    pair.onPage(page.length);
  }
  return { removed, kept };
}

/** Adds the rows that the target does not have; those that it has are equal, after `prune`. */
async function fill(
  table: TableShape,
  pair: CopyPair,
  isEmpty: boolean,
): Promise<{ added: number; source: RowsDigest }> {
  const source = rowsDigest();
  let added = 0;
  for await (const page of pages(pair.source, table)) {
    source.add(page);
    const found = isEmpty ? new Map() : await lookUp(pair.target, table, table.key, page);
    const missing = page.filter((row) => !found.has(rowKey(table, row)));
    await change(pair, table, { missing });
    added += missing.length;
    pair.onPage(page.length);
  }
  return { added, source };
}

async function digestOf(table: TableShape, { target, onPage }: CopyPair): Promise<RowsDigest> {
  const digest = rowsDigest();
  for await (const page of pages(target, table)) {
    digest.add(page);
    onPage(page.length);
  }
  return digest;
}

/** Reads a table in the order of its key, page by page. */
async function* pages(driver: Driver, table: TableShape): AsyncGenerator<SqlRow[]> {
  let after: SqlValue[] | undefined;
  for (let limit = FIRST_PAGE_ROWS; ; ) {
    const rows = await driver.read(rowsAfter(table, after, limit));
    if (rows.length === 0) return;
    yield rows;
    after = keysOf(table, rows.slice(-1))[0];
    limit = nextLimit(limit, rows);
  }
}
