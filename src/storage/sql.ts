import type { PointQuery, RowsQuery, ScanQuery, SqlRow, SqlValue, Statement } from './drivers/driver.ts';

/** Items per statement. Longer lists cost more per item, and each length is another statement to prepare. */
const MAX_ITEMS = 16;

/** Reads the rows of a select or returning list: columns, or columns whose row is converted. */
export interface RowReader<Row> {
  readonly toRow: (values: SqlRow) => Row;
}

/** Makes a statement with these values of its placeholders `$1…$n`. */
export type Make<S extends Statement> = (...params: readonly SqlValue[]) => S;

const texts = new Set<string>();
const listTexts: ((length: number) => string)[] = [];

/**
 * Returns every text that the functions of this file have made statements of. Statements of entities are made by them only,
 * as constants of their files, so that a test can prepare all.
 *
 * @param lengths - Lengths of lists with which to return the texts that have one.
 */
export function everyText(lengths: readonly number[]): string[] {
  return [...texts, ...listTexts.flatMap((text) => lengths.map(text))];
}

/**
 * Makes a read that the event loop may wait for: a lookup by key, or one page of bounded size.
 *
 * @param sql - Selects exactly the list of the columns.
 */
export function point<Row>(of: RowReader<Row>, sql: string): Make<PointQuery<Row>> {
  texts.add(sql);
  return (...params) => ({ kind: 'point', sql, params, toRow: of.toRow });
}

/** Makes a read whose length depends on what is stored, for `Driver.scan` only. @param sql - Like that of `point`. */
export function scan<Row>(of: RowReader<Row>, sql: string): Make<ScanQuery<Row>> {
  texts.add(sql);
  return (...params) => ({ kind: 'scan', sql, params, toRow: of.toRow });
}

/**
 * Makes a scan that lists what operators made, such as all apps. A server answers it within the time limit of any call, since
 * requests wait for it.
 */
export function list<Row>(of: RowReader<Row>, sql: string): Make<ScanQuery<Row>> {
  const make = scan(of, sql);
  return (...params) => ({ ...make(...params), isList: true });
}

/** Makes a write that returns rows. @param sql - Returns exactly the list of the columns. */
export function returning<Row>(of: RowReader<Row>, sql: string): Make<RowsQuery<Row>> {
  texts.add(sql);
  return (...params) => ({ sql, params, toRow: of.toRow });
}

/** Makes a write. */
export function write(sql: string): Make<Statement> {
  texts.add(sql);
  return (...params) => ({ sql, params });
}

/** Makes a guard: its transaction ends and is rolled back if it returns no row. */
export function guard(sql: string): Make<Statement> {
  texts.add(sql);
  return (...params) => ({ sql, params, isGuard: true });
}

/**
 * Makes statements of which there is one for each of these words, since their texts differ.
 *
 * @param make - Makes one of them; called once for each word when the module is loaded.
 */
export function eachOf<const Word extends string, S>(
  words: readonly Word[],
  make: (word: Word) => S,
): Readonly<Record<Word, S>> {
  return Object.fromEntries(words.map((name) => [name, make(name)])) as Record<Word, S>;
}

/**
 * Makes statements of which there is one for each subset of these words, such as the members of a filter.
 *
 * @param make - Makes one of them; called once for each subset when the module is loaded.
 * @returns A function that returns the statement of a subset, whose words are in their order.
 */
export function eachSubset<const Word extends string, S>(
  words: readonly Word[],
  make: (subset: readonly Word[]) => S,
): (subset: readonly Word[]) => S {
  let subsets: Word[][] = [[]];
  for (const word of words) subsets = subsets.concat(subsets.map((subset) => [...subset, word]));
  const made = new Map(subsets.map((subset) => [subset.join(), make(subset)]));
  return (subset) => made.get(subset.join()) as S;
}

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

/** Makes reads by key as `keysTemplate`, whose rows are those of the columns. */
export function pointByKeys<Row>(
  of: RowReader<Row>,
  before: number,
  text: (list: string) => string,
): (first: readonly SqlValue[], keys: readonly SqlValue[]) => PointQuery<Row>[] {
  const make = keysTemplate(before, text);
  return (first, keys) =>
    make(first, keys).map((statement) => ({ ...statement, kind: 'point', toRow: of.toRow }));
}

/** Makes reads with a list of any length. @param text - Returns the statement with a list of this length, at least 1. */
export function pointByLength<Row>(
  of: RowReader<Row>,
  text: (length: number) => string,
): (length: number) => Make<PointQuery<Row>> {
  const texts = textsByLength(text);
  return (length) =>
    (...params) => ({ kind: 'point', sql: texts(length), params, toRow: of.toRow });
}

function placeholders(before: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `$${before + index + 1}`).join(',');
}

/** Caches the text for each number of items: groups are committed thousands of times a second. */
function textsByLength(make: (length: number) => string): (length: number) => string {
  listTexts.push(make);
  const known = new Map<number, string>();
  return (length) => {
    const text = known.get(length) ?? make(length);
    known.set(length, text);
    return text;
  };
}

function chunks<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / MAX_ITEMS);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_ITEMS, (index + 1) * MAX_ITEMS));
}
