import {
  type Driver,
  pointOf,
  type SqlRow,
  type SqlValue,
  type TableShape,
} from '../../../src/storage/drivers/driver.ts';
import { readMigrations } from '../../../src/storage/migrations/migration-files.ts';

const TEXTS = ['', 'b', 'B', 'á', "it's", '\u{10FFFF}'];
const BYTES = [[], [0], [0xff], [0, 0xff, 0x80]];
const NUMBERS = [0, 1, -1, Number.MAX_SAFE_INTEGER];

/** Fills the tables whose rows a copy moves with rows that differ in every column. */
export async function fillEveryTable(
  driver: Driver,
  rowsOf: (table: string) => number,
  first = 0,
): Promise<void> {
  for (const table of await copiedTables(driver)) {
    const declared = declaredColumns(table.name);
    const inserts = Array.from({ length: rowsOf(table.name) }, (_, index) => {
      const values = table.columns.map((column) => columnValue(declared.get(column) ?? '', first + index));
      const list = values.map((_value, position) => `$${position + 1}`).join(',');
      return {
        sql: `insert into ${table.name} (${table.columns.join(',')}) values (${list})`,
        params: values,
      };
    });
    await driver.write(inserts);
  }
}

/** Names a table for each sequence of types that a key has. */
export function tablesOfEachKey(tables: readonly TableShape[]): Set<string> {
  const names = new Map<string, string>();
  for (const { name, key } of tables) {
    const declared = declaredColumns(name);
    const types = key.map((column) => declared.get(column)?.split(' ')[0]);
    names.set(types.join(), name);
  }
  return new Set(names.values());
}

/** Lists the tables whose rows a copy moves. */
export async function copiedTables(driver: Driver): Promise<TableShape[]> {
  const own = ['schema_migrations', 'schema_requirements', 'store_marks', 'store_copies', 'nodes', 'backups'];
  return (await driver.tables()).filter(({ name }) => !own.includes(name));
}

/** Reads all rows of these tables, in an order that does not depend on the engine. */
export async function contentOf(
  driver: Driver,
  tables: readonly TableShape[],
): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const { name, columns } of tables) {
    const rows: SqlRow[] = await driver.read(pointOf(`select ${columns.join(',')} from ${name}`));
    content[name] = rows.map((row) => JSON.stringify(row.map((value) => toText(value)))).sort();
  }
  return content;
}

function toText(value: SqlValue): string {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  return `${typeof value} ${value}`;
}

const declarations = new Map<string, Map<string, string>>();

/** Types of the columns of a table, as its migrations declare them. */
function declaredColumns(table: string): Map<string, string> {
  if (declarations.size === 0) {
    for (const statement of readMigrations().flatMap(({ statements }) => statements))
      declareColumns(statement);
  }
  return declarations.get(table) ?? new Map();
}

function declareColumns(statement: string): void {
  const [, altered = '', added = '', addedType = ''] =
    /^alter table (\w+) add column if not exists (\w+) (\w+)/.exec(statement) ?? [];
  declarations.get(altered)?.set(added, addedType);
  const [, name, body = ''] =
    /^create table if not exists (\w+?)(?:_copy)? \(\n([\s\S]*)\n\)$/.exec(statement) ?? [];
  if (name === undefined) return;
  const columns = declarations.get(name) ?? new Map<string, string>();
  declarations.set(name, columns);
  for (const [, column = '', type = ''] of body.matchAll(/^ {2}(\w+) ((?:text|bytea|bigint).*?),?$/gm)) {
    columns.set(column, type);
  }
}

/** A value for a column; the number of the row makes it differ from those of other rows. */
function columnValue(type: string, row: number): SqlValue {
  if (!type.includes('not null') && row % 2 === 1) return null;
  if (type.startsWith('text')) return `${TEXTS[row % TEXTS.length]}${row}`;
  if (type.startsWith('bytea'))
    return Uint8Array.of(...(BYTES[row % BYTES.length] ?? []), row >> 8, row & 0xff);
  if (row < NUMBERS.length) return NUMBERS[row] as number;
  return row;
}
