import { ServiceError } from '../../errors/service-error.ts';
import type { Driver, SqlRow, SqlValue, Statement, TableShape } from '../drivers/driver.ts';
import { type RowsDigest, rowKey } from './rows-digest.ts';
import { deleteByKeys, insertRows, KEYS_AT_ONCE, rowsAmongKeys } from './table-rows.ts';

/** Rows that are read and written at once, fewer if they are large. */
const MAX_PAGE_ROWS = 2048;
export const FIRST_PAGE_ROWS = 64;
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

/** Outcome of the copy of one table. */
export interface TableCopy {
  readonly added: number;
  readonly removed: number;
  /** Rows of the source. */
  readonly source: RowsDigest;
  /** Rows of the target, as read from it after the last write. */
  readonly target: RowsDigest;
}

/**
 * Removes rows from the target and adds others, in one transaction.
 *
 * @throws ServiceError `copy.taken_over`
 */
export async function change(
  { target, guard }: CopyPair,
  table: TableShape,
  { stale = [], missing = [] }: { readonly stale?: readonly SqlRow[]; readonly missing?: readonly SqlRow[] },
): Promise<void> {
  const deletions = parts(stale).map((rows) => deleteByKeys(table, keysOf(table, rows)));
  const insertions = parts(missing).map((rows) => insertRows(table, rows));
  if (deletions.length + insertions.length === 0) return;
  const { ok } = await target.write([guard, ...deletions, ...insertions]);
  if (!ok) throw new ServiceError('copy.taken_over');
}

/** Returns the keys of rows. */
export function keysOf({ columns, key }: TableShape, rows: readonly SqlRow[]): SqlValue[][] {
  const positions = key.map((column) => columns.indexOf(column));
  return rows.map((row) => positions.map((position) => row[position] ?? null));
}

/** Returns rows of a store by their keys: at least those with the keys of other rows. */
export async function lookUp(
  driver: Driver,
  table: TableShape,
  columns: readonly string[],
  rows: readonly SqlRow[],
): Promise<Map<string, SqlRow>> {
  const selected = { ...table, columns };
  const found = await Promise.all(
    parts(rows).map((part) => driver.read(rowsAmongKeys(table, columns, keysOf(table, part)))),
  );
  return new Map(found.flat().map((row) => [rowKey(selected, row), row]));
}

/** Divides rows into parts that fit one statement. */
function parts(rows: readonly SqlRow[]): SqlRow[][] {
  const count = Math.ceil(rows.length / KEYS_AT_ONCE);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * KEYS_AT_ONCE, (index + 1) * KEYS_AT_ONCE),
  );
}

/** Returns how many rows to read next, after these. */
export function nextLimit(limit: number, rows: readonly SqlRow[]): number {
  return Math.max(
    1,
    Math.min(MAX_PAGE_ROWS, 2 * limit, Math.ceil((rows.length * PAGE_BYTES) / sizeOf(rows))),
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
