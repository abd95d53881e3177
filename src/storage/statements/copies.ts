import type { SqlRow, Statement } from '../drivers/driver.ts';
import { bytesColumn, integerColumn, textColumn } from './columns.ts';

// Statements of the embedded engine only: a server database has its own tools for copies.

/** A page of a database file. */
export interface DatabasePage {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Begins a transaction whose reads all see one snapshot, however long it takes. */
export const BEGIN_SNAPSHOT = 'pragma query_only = 1; begin';

/** Counts the pages of the database as the transaction sees it. */
export function pageCount(): Statement {
  return { sql: 'pragma page_count', params: [] };
}

export function pageSize(): Statement {
  return { sql: 'pragma page_size', params: [] };
}

/** Selects pages `first` to `last` in order, as the transaction sees them: log and file merged. */
export function pagesBetween(first: number, last: number): Statement {
  return {
    sql: 'select pgno, data from sqlite_dbpage where pgno between $1 and $2 order by pgno',
    params: [first, last],
  };
}

export function toDatabasePage(row: SqlRow): DatabasePage {
  return { number: integerColumn(row[0]), bytes: bytesColumn(row[1]) };
}

/** Selects the names of all tables, in order. */
export function tableNames(): Statement {
  return {
    sql: "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    params: [],
  };
}

/** Counts the rows of any table of the database. */
export function countAnyRows(table: string): Statement {
  return { sql: `select count(*) from "${table.replaceAll('"', '""')}"`, params: [] };
}

/** Checks every page, row and index entry; returns one row `ok`, or one for each of the first faults. */
export function integrityCheck(): Statement {
  return { sql: 'pragma integrity_check(10)', params: [] };
}

export function toFault(row: SqlRow): string {
  return textColumn(row[0]);
}
