import {
  type PointQuery,
  pointOf,
  type SqlRow,
  type SqlValue,
  type Statement,
  type TableShape,
} from '../drivers/driver.ts';

// Statements of `proofgate store copy`, for any table: their texts follow from its columns and its key.

/** Rows that one statement looks up or removes; shorter lists are filled up, so that each table has one text. */
export const KEYS_AT_ONCE = 64;

/** Selects up to `limit` rows in the order of the key, those after a key if one is given. */
export function rowsAfter(
  { name, columns, key }: TableShape,
  after: readonly SqlValue[] | undefined,
  limit: number,
): PointQuery<SqlRow> {
  const list = key.join(', ');
  const values = key.map((_, index) => `$${index + 1}`).join(', ');
  const where = after === undefined ? '' : ` where (${list}) > (${values})`;
  const params = [...(after ?? []), limit];
  return pointOf(
    `select ${columns.join(', ')} from ${name}${where} order by ${list} limit $${params.length}`,
    params,
  );
}

/** Selects up to `limit` rows whose first key column is above `after` and at most `upTo`, in the order of the key. */
export function rowsBetween(
  { name, columns, key }: TableShape,
  after: SqlValue | undefined,
  upTo: SqlValue | undefined,
  limit: number,
): PointQuery<SqlRow> {
  const bounds = [
    { value: after, operator: '>' },
    { value: upTo, operator: '<=' },
  ].filter(({ value }) => value !== undefined);
  const conditions = bounds.map(({ operator }, index) => `${key[0]} ${operator} $${index + 1}`);
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  return pointOf(
    `select ${columns.join(', ')} from ${name}${where} order by ${key.join(', ')} limit $${bounds.length + 1}`,
    [...bounds.map(({ value }) => value ?? null), limit],
  );
}

/**
 * Selects columns of the rows whose key columns are all among those of these keys, at most `KEYS_AT_ONCE`: the rows with
 * these keys, and perhaps others. Lists of whole keys are looked up many times more slowly by both engines.
 */
export function rowsAmongKeys(
  { name, key }: TableShape,
  columns: readonly string[],
  keys: readonly (readonly SqlValue[])[],
): PointQuery<SqlRow> {
  const conditions = key.map((column, index) => {
    const list = Array.from({ length: KEYS_AT_ONCE }, (_, row) => `$${row * key.length + index + 1}`);
    return `${column} in (${list.join(', ')})`;
  });
  return pointOf(
    `select ${columns.join(', ')} from ${name} where ${conditions.join(' and ')}`,
    filledUp(keys),
  );
}

/** Removes the rows with any of these keys, at most `KEYS_AT_ONCE`. */
export function deleteByKeys(table: TableShape, keys: readonly (readonly SqlValue[])[]): Statement {
  return { sql: `delete from ${table.name} where ${anyKey(table)}`, params: filledUp(keys) };
}

/** Adds rows; leaves out those that a unique index refuses. */
export function insertRows({ name, columns }: TableShape, rows: readonly SqlRow[]): Statement {
  const lists = rows.map(
    (_, row) => `(${columns.map((_column, index) => `$${row * columns.length + index + 1}`).join(',')})`,
  );
  return {
    sql: `insert into ${name} (${columns.join(', ')}) values ${lists.join(',')} on conflict do nothing`,
    params: rows.flat(),
  };
}

function anyKey({ key }: TableShape): string {
  const conditions = Array.from({ length: KEYS_AT_ONCE }, (_, row) => {
    const equal = key.map((column, index) => `${column} = $${row * key.length + index + 1}`);
    return `(${equal.join(' and ')})`;
  });
  return conditions.join(' or ');
}

function filledUp(keys: readonly (readonly SqlValue[])[]): SqlValue[] {
  const last = keys.at(-1) ?? [];
  return Array.from({ length: KEYS_AT_ONCE }, (_, index) => keys[index] ?? last).flat();
}
