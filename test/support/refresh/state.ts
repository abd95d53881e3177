/** Reads the rows that refreshes write, over a separate connection to the database. */
import { types } from 'node:util';
import Database from 'libsql';

/** Rows of the tables that a refresh writes, as text. */
export interface RefreshState {
  readonly bindings: readonly string[];
  readonly credentials: readonly string[];
}

/** Reader of a libsql store. */
export interface StateReader {
  /** Reads bindings and credentials, each in a fixed order. */
  read(): RefreshState;
  /** Number of attempts counted so far, over all addresses and minutes. */
  attempts(): number;
  close(): void;
}

/** Opens the database file of a service. */
export function openStateReader(file: string): StateReader {
  const database = new Database(file);
  const rowsOf = (table: string): string[] =>
    (database.prepare(`select * from ${table}`).all() as Record<string, unknown>[])
      .map((row) => Object.values(row).map(textOf).join(' '))
      .sort();
  return {
    read: () => ({ bindings: rowsOf('sub_bindings'), credentials: rowsOf('issued_credentials') }),
    attempts() {
      const row = database.prepare('select coalesce(sum(attempts), 0) as sum from refresh_attempts').get();
      return Number((row as { readonly sum: number }).sum);
    },
    close: () => {
      database.close();
    },
  };
}

function textOf(value: unknown): string {
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
  if (types.isAnyArrayBuffer(value)) return Buffer.from(value).toString('hex');
  return String(value);
}
