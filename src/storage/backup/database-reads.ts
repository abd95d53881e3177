import { bytes, columns, integer, named, type RowOf, selected, text } from '../columns.ts';
import { type RowsQuery, rowsOf } from '../drivers/driver.ts';
import type { LibsqlConnection } from '../drivers/libsql-connection.ts';

// Reads of the embedded engine only: a server database has its own tools for copies.

/** Begins a transaction whose reads all see one snapshot, however long it takes. */
export const BEGIN_SNAPSHOT = 'pragma query_only = 1; begin';

const VALUE = columns({ value: integer });
const PAGE = columns({
  /** From 1. */
  number: named('pgno', integer),
  bytes: named('data', bytes),
});
const NAME = columns({ name: text });
const COUNT = columns({ value: selected('count(*)', integer) });
const MODE = columns({ mode: text });
const FAULT = columns({ fault: text });

/** Counts the pages of the database as the transaction sees it. */
export const PAGE_COUNT: RowsQuery<RowOf<typeof VALUE>> = {
  sql: 'pragma page_count',
  params: [],
  toRow: VALUE.toRow,
};
/** Reads the bytes of a page. */
export const PAGE_SIZE: RowsQuery<RowOf<typeof VALUE>> = {
  sql: 'pragma page_size',
  params: [],
  toRow: VALUE.toRow,
};
/** Selects the names of all tables, in order. */
export const TABLE_NAMES: RowsQuery<RowOf<typeof NAME>> = {
  sql: `select ${NAME.list()} from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`,
  params: [],
  toRow: NAME.toRow,
};
/** Checks every page, row and index entry; returns one row `ok`, or one for each of the first faults. */
export const INTEGRITY_CHECK: RowsQuery<RowOf<typeof FAULT>> = {
  sql: 'pragma integrity_check(10)',
  params: [],
  toRow: FAULT.toRow,
};

/** Reads how the database keeps its log, such as `wal` or `delete`. */
export const JOURNAL_MODE: RowsQuery<RowOf<typeof MODE>> = {
  sql: 'pragma journal_mode',
  params: [],
  toRow: MODE.toRow,
};

/** Selects pages `first` to `last` in order, as the transaction sees them: log and file merged. */
export function pagesBetween(first: number, last: number): RowsQuery<RowOf<typeof PAGE>> {
  const sql = `select ${PAGE.list()} from sqlite_dbpage where pgno between $1 and $2 order by pgno`;
  return { sql, params: [first, last], toRow: PAGE.toRow };
}

/** Counts the rows of any table of the database. */
export function rowCount(table: string): RowsQuery<RowOf<typeof VALUE>> {
  const sql = `select ${COUNT.list()} from "${table.replaceAll('"', '""')}"`;
  return { sql, params: [], toRow: COUNT.toRow };
}

/** Runs a read on a connection. */
export function readAll<Row>(connection: LibsqlConnection, query: RowsQuery<Row>): Row[] {
  return rowsOf(query, connection.all(query));
}
