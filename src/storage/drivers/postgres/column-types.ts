import type { SqlValue } from '../driver.ts';

/** Reads one column as the server sends it, as text. */
type ColumnParser = (text: string) => SqlValue;

// Object ids of types, https://www.postgresql.org/docs/15/catalog-pg-type.html: fixed for the built-in ones.
const BYTEA = 17;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const FLOAT8 = 701;
const NUMERIC = 1700;

/** By default pg leaves `bigint` and `numeric`, the type of `sum`, as text. The store keeps them below 2^53. */
const PARSERS: ReadonlyMap<number, ColumnParser> = new Map<number, ColumnParser>([
  [BYTEA, parseBytes],
  [INT8, Number],
  [INT2, Number],
  [INT4, Number],
  [FLOAT8, Number],
  [NUMERIC, Number],
]);

/** Parsers of column types for pg: numbers, bytes as Uint8Array, and text for all other types. */
export const COLUMN_TYPES: { getTypeParser(type: number): ColumnParser } = {
  getTypeParser: (type) => PARSERS.get(type) ?? asText,
};

function asText(text: string): string {
  return text;
}

/** Parses the hex format of `bytea`: `\x` and two digits a byte. */
function parseBytes(text: string): Uint8Array {
  // A copy: a small Buffer is a view of a larger one, which a cached row would keep.
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
}
