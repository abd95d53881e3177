import type { SqlValue, Statement } from '../drivers/driver.ts';

/** Rows per statement: larger lists cost more per row on libsql, where each value is looked up by its name. */
const MAX_ROWS = 16;

/**
 * Statements that write any number of rows, a few rows each, so that few texts are prepared.
 *
 * @param text - Gives the statement around its list, such as `($1,$2),($3,$4)`.
 * @param rows - Values of each row; every row has as many.
 */
export function valuesStatements(text: (list: string) => string, rows: readonly SqlValue[][]): Statement[] {
  return chunks(rows).map((chunk) => {
    let position = 0;
    const list = chunk.map((row) => `(${row.map(() => `$${++position}`).join(',')})`).join(',');
    return { sql: text(list), params: chunk.flat() };
  });
}

/**
 * Statements that look any number of keys up, a few each.
 *
 * @param text - Gives the statement around its list, such as `$2,$3,$4`.
 * @param first - Values of the placeholders before the list.
 */
export function keyListStatements(
  text: (list: string) => string,
  first: readonly SqlValue[],
  keys: readonly SqlValue[],
): Statement[] {
  return chunks(keys).map((chunk) => {
    const list = chunk.map((_, index) => `$${first.length + index + 1}`).join(',');
    return { sql: text(list), params: [...first, ...chunk] };
  });
}

function chunks<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / MAX_ROWS);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS));
}
