import { ServiceError } from '../../errors/index.ts';
import type { Driver, SqlRow, SqlValue, Statement, TableShape } from '../drivers/driver.ts';
import {
  deleteByKeys,
  insertRows,
  KEYS_AT_ONCE,
  rowsAfter,
  rowsAmongKeys,
} from '../statements/store-copies.ts';
import { areEqualRows, type RowsDigest, rowKey, rowsDigest } from './rows-digest.ts';

/** Rows that are read and written at once, fewer if they are large. */
const MAX_PAGE_ROWS = 512;
const FIRST_PAGE_ROWS = 64;
const PAGE_BYTES = 1_048_576;

/** A source, a target, and what each step of a copy needs. */
export interface CopyPair {
  readonly source: Driver;
  readonly target: Driver;
  /** Begins every transaction that writes to the target: fails once another process has taken the copy over. */
  readonly guard: Statement;
  /** Called with the number of rows after each page; throws to end the copy. */
  readonly onPage: (rows: number) => void;
}

/**
 * Removes the rows of the target that the source does not have, or has with other values. Every unique index then takes
 * the missing rows in any order.
 *
 * @returns The number of removed rows, and the digest of those that remain.
 */
export async function pruneTable(
  table: TableShape,
  pair: CopyPair,
): Promise<{ removed: number; kept: RowsDigest }> {
  const kept = rowsDigest();
  let removed = 0;
  for await (const page of pages(pair.target, table)) {
    const found = await lookUp(pair.source, table, table.columns, page);
    const isStale = (row: SqlRow): boolean => {
      const original = found.get(rowKey(table, row));
      return original === undefined || !areEqualRows(original, row);
    };
    const stale = page.filter(isStale);
    kept.add(stale.length === 0 ? page : page.filter((row) => !stale.includes(row)));
    const deletions = parts(stale).map((rows) =>
      deleteByKeys(
        table,
        rows.map((row) => keyOf(table, row)),
      ),
    );
    if (stale.length > 0) await write(pair, deletions);
    removed += stale.length;
    pair.onPage(page.length);
  }
  return { removed, kept };
}

/**
 * Adds the rows that the target does not have; those that it has are equal, after `pruneTable`.
 *
 * @param isEmpty - Whether the target has no rows in this table, so that none need be looked up.
 * @returns The number of added rows, and the digest of all rows of the source.
 */
export async function fillTable(
  table: TableShape,
  pair: CopyPair,
  isEmpty: boolean,
): Promise<{ added: number; digest: RowsDigest }> {
  const digest = rowsDigest();
  let added = 0;
  let writing: Promise<void> = Promise.resolve();
  for await (const page of pages(pair.source, table)) {
    digest.add(page);
    const found = isEmpty ? undefined : await lookUp(pair.target, table, table.key, page);
    const missing = found === undefined ? page : page.filter((row) => !found.has(rowKey(table, row)));
    // The next page is read while this one is written.
    await writing;
    writing =
      missing.length === 0
        ? Promise.resolve()
        : write(
            pair,
            parts(missing).map((rows) => insertRows(table, rows)),
          );
    // Awaited above or below: an early rejection is not unhandled.
    writing.catch(() => undefined);
    added += missing.length;
    pair.onPage(page.length);
  }
  await writing;
  return { added, digest };
}

/** Reads all rows of a table and returns their digest. */
export async function digestTable(
  table: TableShape,
  driver: Driver,
  onPage: CopyPair['onPage'],
): Promise<RowsDigest> {
  const digest = rowsDigest();
  for await (const page of pages(driver, table)) {
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
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = keyOf(table, last);
    limit = Math.min(MAX_PAGE_ROWS, 2 * limit, Math.ceil((rows.length * PAGE_BYTES) / sizeOf(rows)));
  }
}

/** Returns rows of a store by their keys: at least those with the keys of other rows. */
async function lookUp(
  driver: Driver,
  table: TableShape,
  columns: readonly string[],
  rows: readonly SqlRow[],
): Promise<Map<string, SqlRow>> {
  const selected = { ...table, columns };
  const found = await Promise.all(
    parts(rows).map((part) =>
      driver.read(
        rowsAmongKeys(
          table,
          columns,
          part.map((row) => keyOf(table, row)),
        ),
      ),
    ),
  );
  return new Map(found.flat().map((row) => [rowKey(selected, row), row]));
}

async function write({ target, guard }: CopyPair, statements: readonly Statement[]): Promise<void> {
  const { ok } = await target.write([guard, ...statements]);
  if (!ok) throw new ServiceError('copy.taken_over');
}

function keyOf({ columns, key }: TableShape, row: SqlRow): SqlValue[] {
  return key.map((column) => row[columns.indexOf(column)] ?? null);
}

function parts(rows: readonly SqlRow[]): SqlRow[][] {
  const count = Math.ceil(rows.length / KEYS_AT_ONCE);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * KEYS_AT_ONCE, (index + 1) * KEYS_AT_ONCE),
  );
}

/** Estimates the bytes of rows. */
function sizeOf(rows: readonly SqlRow[]): number {
  let bytes = 1;
  for (const row of rows) {
    for (const value of row)
      bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
  }
  return bytes;
}
