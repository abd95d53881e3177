import type { SqlValue, Statement } from '../drivers/driver.ts';

/** Items per statement. Longer lists cost more per item, and each length is another statement to prepare. */
const MAX_ITEMS = 16;

/**
 * Makes statements that write any number of rows, a few rows each.
 *
 * @param columns - Values in a row.
 * @param text - Returns the statement around its list, such as `($1,$2),($3,$4)`.
 */
export function rowsTemplate(
  columns: number,
  text: (list: string) => string,
): (rows: readonly (readonly SqlValue[])[]) => Statement[] {
  const texts = textsByLength((rows) => {
    const list = Array.from({ length: rows }, (_, row) => `(${placeholders(row * columns, columns)})`);
    return text(list.join(','));
  });
  return (rows) => chunks(rows).map((chunk) => ({ sql: texts(chunk.length), params: chunk.flat() }));
}

/**
 * Makes statements that write rows with shared values, which are bound once.
 *
 * @param shared - Number of shared values; they come first in each row of the list.
 * @param columns - Further values in a row.
 * @param text - Returns the statement around its list, such as `($1,$2,$3),($1,$4,$5)`.
 * @returns A function whose caller must keep the number of different list lengths small.
 */
export function sharedRowsTemplate(
  shared: number,
  columns: number,
  text: (list: string) => string,
): (first: readonly SqlValue[], rows: readonly (readonly SqlValue[])[]) => Statement {
  const texts = textsByLength((rows) => {
    const before = placeholders(0, shared);
    const list = Array.from(
      { length: rows },
      (_, row) => `(${before},${placeholders(shared + row * columns, columns)})`,
    );
    return text(list.join(','));
  });
  return (first, rows) => ({ sql: texts(rows.length), params: first.concat(...rows) });
}

/**
 * Makes statements that look up any number of keys, a few keys each.
 *
 * @param before - Number of placeholders before the list.
 * @param text - Returns the statement around its list, such as `$2,$3,$4`.
 */
export function keysTemplate(
  before: number,
  text: (list: string) => string,
): (first: readonly SqlValue[], keys: readonly SqlValue[]) => Statement[] {
  const texts = textsByLength((keys) => text(placeholders(before, keys)));
  return (first, keys) =>
    chunks(keys).map((chunk) => ({ sql: texts(chunk.length), params: [...first, ...chunk] }));
}

function placeholders(before: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `$${before + index + 1}`).join(',');
}

/** Caches the text for each number of items: groups are committed thousands of times a second. */
function textsByLength(make: (length: number) => string): (length: number) => string {
  const texts = new Map<number, string>();
  return (length) => {
    const text = texts.get(length) ?? make(length);
    texts.set(length, text);
    return text;
  };
}

function chunks<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / MAX_ITEMS);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_ITEMS, (index + 1) * MAX_ITEMS));
}
