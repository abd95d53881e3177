import type { SqlRow, Statement, TableShape } from '../drivers/driver.ts';
import { integerColumn, textColumn } from './columns.ts';

// Each engine describes its tables in its own way; both statements return the same rows.

/** Selects table, column and position in the primary key (0: not in it) of every column of an embedded database. */
export function libsqlColumns(): Statement {
  return {
    sql: "select t.name, c.name, c.pk from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name, c.cid",
    params: [],
  };
}

/** Selects the same from PostgreSQL, for the schema that the statements use. */
export function postgresColumns(): Statement {
  return {
    sql: `select cast(c.relname as text) collate "C", cast(a.attname as text), coalesce(array_position(cast(i.indkey as int2[]), a.attnum) + 1, 0) from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped left join pg_index i on i.indrelid = c.oid and i.indisprimary where c.relkind in ('r', 'p') and c.relnamespace = to_regnamespace(current_schema()) order by 1, a.attnum`,
    params: [],
  };
}

/** Groups rows of either statement by table. */
export function toTableShapes(rows: readonly SqlRow[]): TableShape[] {
  const names = [...new Set(rows.map((row) => textColumn(row[0])))];
  return names.map((name) => {
    const columns = rows.filter((row) => row[0] === name);
    const inKey = columns.filter((row) => integerColumn(row[2]) > 0);
    return {
      name,
      columns: columns.map((row) => textColumn(row[1])),
      key: inKey
        .sort((one, other) => integerColumn(one[2]) - integerColumn(other[2]))
        .map((row) => textColumn(row[1])),
    };
  });
}
