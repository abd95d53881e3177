import { columns, integer, type RowOf, selected, text } from '../columns.ts';
import type { PointQuery, TableShape } from './driver.ts';

// Each engine describes its tables in its own way.
const IN_LIBSQL = columns({
  table: selected('t.name', text),
  column: selected('c.name', text),
  /** Position in the primary key, from 1; 0 for a column that is not in it. */
  keyPosition: selected('c.pk', integer),
});
const IN_POSTGRES = columns({
  table: selected('cast(c.relname as text) collate "C"', text),
  column: selected('cast(a.attname as text)', text),
  keyPosition: selected('coalesce(array_position(cast(i.indkey as int2[]), a.attnum) + 1, 0)', integer),
});
/** A column of a table, as an engine describes it. */
export type CatalogueColumn = RowOf<typeof IN_LIBSQL>;

/** Selects every column of an embedded database, table by table. */
export const LIBSQL_COLUMNS: PointQuery<CatalogueColumn> = {
  kind: 'point',
  sql: `select ${IN_LIBSQL.list()} from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name, c.cid`,
  params: [],
  toRow: IN_LIBSQL.toRow,
};

/** Selects the same from PostgreSQL, for the schema that the statements use. */
export const POSTGRES_COLUMNS: PointQuery<CatalogueColumn> = {
  kind: 'point',
  sql: `select ${IN_POSTGRES.list()} from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped left join pg_index i on i.indrelid = c.oid and i.indisprimary where c.relkind in ('r', 'p') and c.relnamespace = to_regnamespace(current_schema()) order by 1, a.attnum`,
  params: [],
  toRow: IN_POSTGRES.toRow,
};

/** Groups columns by table. */
export function toTableShapes(rows: readonly CatalogueColumn[]): TableShape[] {
  const names = [...new Set(rows.map(({ table }) => table))];
  return names.map((name) => {
    const own = rows.filter(({ table }) => table === name);
    const inKey = own.filter(({ keyPosition }) => keyPosition > 0);
    return {
      name,
      columns: own.map(({ column }) => column),
      key: inKey.sort((one, other) => one.keyPosition - other.keyPosition).map(({ column }) => column),
    };
  });
}
