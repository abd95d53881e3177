import { ServiceError } from '../errors/service-error.ts';
import type { SqlRow, SqlValue } from './drivers/driver.ts';

/**
 * Columns of a table or of a select list, each declared once: the text of the list and the reading of its rows both follow
 * from the declaration, so they cannot disagree, and no other file reads a row by position.
 *
 * A member is named as in the program; its column is the name in snake case, unless `named` or `selected` gives another
 * text:
 *
 *     const NODE = columns({ nodeId: text, startedAt: integer, state: STATE.together('s') });
 *     export type NodeRow = RowOf<typeof NODE>;
 *     const allNodes = point(NODE, `select ${NODE.list('n')} from nodes n left join …`);   // sql.ts
 *     const insertNode = write(`insert into nodes (${NODE.list()}) values (${NODE.slots()})`);
 *
 * `await driver.read(allNodes())` then resolves to rows of type `NodeRow`, and `insertNode(...NODE.values(row))` writes one.
 */
export interface Columns<Row extends object> {
  /** Declaration of each member, to be spread into a longer list. */
  readonly members: Members<Row>;
  /** Number of columns. */
  readonly width: number;
  /** Returns the text of the list, such as `n.node_id, n.started_at`. @param alias - Alias of the table, if it has one. */
  list(alias?: string): string;
  /** Returns the assignments of an upsert, such as `seen_at = excluded.seen_at`: all columns but those of the key. */
  replaced(...key: readonly (keyof Row)[]): string;
  /** Returns the placeholders of an `insert`, such as `$1,$2`. */
  slots(): string;
  /** Returns the values of a row, in the order of the list. */
  values(row: Row): SqlValue[];
  /** Reads a row of the list. @throws ServiceError `store.failed` for a value of another type */
  toRow(values: SqlRow): Row;
  /** Returns these columns as one member: null if the first of them is, or their row. @param alias - Alias of their table. */
  together(alias?: string): Member<Row | null>;
}

/** Row that columns describe. */
export type RowOf<C> = C extends Columns<infer Row> ? Readonly<Row> : never;

type Members<Row> = { readonly [Name in keyof Row]: Member<Row[Name]> };

/** One column, or several that make one member. */
interface Member<T> {
  /** Number of values in a row. */
  readonly width: number;
  /** Returns the texts of the columns. */
  texts(name: string, alias: string | undefined): readonly string[];
  /** Reads the value that begins at an index of a row. */
  read(values: SqlRow, at: number): T;
  /** Returns the values to store. */
  write(value: T): readonly SqlValue[];
}

/** One column. */
export interface Column<T> extends Member<T> {
  /** Reads a value of the column. */
  parse(value: SqlValue | undefined): T;
  /** Returns the value to store. */
  format(value: T): SqlValue;
}

/** Declares columns, in the order of their list. */
export function columns<Row extends object>(members: Members<Row>): Columns<Row> {
  const names = Object.keys(members) as (keyof Row & string)[];
  const all = names.map((name): Member<unknown> => members[name]);
  const starts = all.map((_, index) => all.slice(0, index).reduce((sum, { width }) => sum + width, 0));
  const width = all.reduce((sum, member) => sum + member.width, 0);
  const texts = (alias?: string): string[] =>
    all.flatMap((member, index) => member.texts(names[index] as string, alias));
  const values = (row: Row): SqlValue[] => {
    const list: SqlValue[] = [];
    for (const name of names) list.push(...members[name].write(row[name]));
    return list;
  };
  const read = (values: SqlRow, at: number): Row => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < all.length; index++) {
      row[names[index] as string] = (all[index] as Member<unknown>).read(
        values,
        at + (starts[index] as number),
      );
    }
    return row as Row;
  };
  return {
    members,
    list: (alias) => texts(alias).join(', '),
    replaced: (...key) =>
      all
        .flatMap((member, index) =>
          key.includes(names[index] as keyof Row) ? [] : member.texts(names[index] as string, undefined),
        )
        .map((column) => `${column} = excluded.${column}`)
        .join(', '),
    width,
    slots: () => Array.from({ length: width }, (_, index) => `$${index + 1}`).join(','),
    values,
    toRow: (values) => read(values, 0),
    together: (alias) => ({
      width,
      texts: (_, outer) => texts(alias ?? outer),
      read: (values, at) => (values[at] === null ? null : read(values, at)),
      write: (row) => (row === null ? Array.from({ length: width }, () => null) : values(row)),
    }),
  };
}

/** List of a statement of which only the number of rows matters, such as `select 1`. */
export const NO_COLUMNS: Columns<object> = columns({});

/** Gives a column a name in the table that does not follow from that of its member. */
export function named<T>(name: string, column: Column<T>): Column<T> {
  return { ...column, texts: (_, alias) => [alias === undefined ? name : `${alias}.${name}`] };
}

/** Selects an expression, or a column of another table, and reads it as a column. */
export function selected<T>(expression: string, column: Column<T>): Column<T> {
  return { ...column, texts: () => [expression] };
}

/** Makes a column nullable. */
export function optional<T>({ parse, format }: Column<T>): Column<T | null> {
  return column(
    (value) => (value === null ? null : parse(value)),
    (value) => (value === null ? null : format(value)),
  );
}

/** Makes a member of several columns, which `together` returns, one that is never null. */
export function required<T>(member: Member<T | null>): Member<T> {
  return { ...member, read: (values, at) => member.read(values, at) ?? refuse('columns with values', null) };
}

/** Makes a column of another type. */
export function converted<S, T>(
  { parse, format }: Column<S>,
  read: (value: S) => T,
  write: (value: T) => S,
): Column<T> {
  return column(
    (value) => read(parse(value)),
    (value) => format(write(value)),
  );
}

/** A text column. */
export const text: Column<string> = column(
  (value) => (typeof value === 'string' ? value : refuse('text', value)),
  (value) => value,
);

/** A bigint column; values stay below 2^53. */
export const integer: Column<number> = column(
  (value) =>
    typeof value === 'number' && Number.isSafeInteger(value)
      ? value
      : refuse('a whole number below 2^53', value),
  (value) => value,
);

/** A bytea column. */
export const bytes: Column<Uint8Array> = column(
  (value) => (value instanceof Uint8Array ? value : refuse('bytes', value)),
  (value) => value,
);

/** A bigint column of 1 for true. */
export const flag: Column<boolean> = converted(
  integer,
  (value) => value === 1,
  (is) => (is ? 1 : 0),
);

/** Makes a column of which only the presence of a value is read; it is written as another member. */
export function present<T>({ parse }: Column<T>): Column<boolean> {
  return column(
    (value) => (value === null ? false : parse(value) !== undefined),
    () => refuse('a column that is written as another member', undefined),
  );
}

/** A text column that holds one of these words. */
export function word<const W extends string>(words: readonly W[]): Column<W> {
  return column(
    (value) => words.find((candidate) => candidate === value) ?? refuse(`one of ${words.join(', ')}`, value),
    (value) => value,
  );
}

/** A text column of JSON that only this program writes, so that its type is not checked. */
export function json<T>(): Column<T> {
  return converted(
    text,
    (value) => JSON.parse(value) as T,
    (value) => JSON.stringify(value),
  );
}

/** Makes a column of its reading and its writing. */
function column<T>(parse: (value: SqlValue | undefined) => T, format: (value: T) => SqlValue): Column<T> {
  return {
    width: 1,
    parse,
    format,
    texts(name, alias) {
      const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [alias === undefined ? snake : `${alias}.${snake}`];
    },
    read: (values, at) => parse(values[at]),
    write: (value) => [format(value)],
  };
}

function refuse(expected: string, value: SqlValue | undefined): never {
  const got = value === null ? 'null' : typeof value;
  throw new ServiceError('store.failed', `a column of the store: expected ${expected}, got another ${got}`);
}
