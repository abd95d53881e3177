import type { SqlRow, Statement } from '../drivers/driver.ts';
import { bytesColumn, integerColumn, textColumn } from './columns.ts';

// Statements of the embedded engine alone: a server database has tools of its own for copies.

/** A page of a database file. */
export interface DatabasePage {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Begins a transaction whose reads all see one state, however long it takes. */
export const BEGIN_SNAPSHOT = 'pragma query_only = 1; begin';

/** Number of pages of the database as the transaction sees it. */
export function pageCount(): Statement {
  return { sql: 'pragma page_count', params: [] };
}

export function pageSize(): Statement {
  return { sql: 'pragma page_size', params: [] };
}

/** Pages from one number to another, both included, in order: log and file together, as the transaction sees them. */
export function pagesBetween(first: number, last: number): Statement {
  return {
    sql: 'select pgno, data from sqlite_dbpage where pgno between $1 and $2 order by pgno',
    params: [first, last],
  };
}

export function toDatabasePage(row: SqlRow): DatabasePage {
  return { number: integerColumn(row[0]), bytes: bytesColumn(row[1]) };
}

/** Names of all tables, in order. */
export function tableNames(): Statement {
  return {
    sql: "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    params: [],
  };
}

/** Number of rows of any table of the database. */
export function countAnyRows(table: string): Statement {
  return { sql: `select count(*) from "${table.replaceAll('"', '""')}"`, params: [] };
}

/** Compares every page, row and index entry of the database; one row `ok`, or one for each of the first faults. */
export function integrityCheck(): Statement {
  return { sql: 'pragma integrity_check(10)', params: [] };
}

export function toFault(row: SqlRow): string {
  return textColumn(row[0]);
}
