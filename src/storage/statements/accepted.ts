import type { SqlRow, SqlValue } from '../drivers/driver.ts';
import type { AcceptedProof, Level } from '../values.ts';
import { bytesColumn, integerColumn, wordColumn } from './columns.ts';

const LEVELS: readonly Level[] = ['orb', 'device'];

/** Columns that hold an accepted proof, all null without one. */
export const ACCEPTED_COLUMNS = 'sub, level, auth_time';

/** Returns the values of `ACCEPTED_COLUMNS`. */
export function acceptedValues({ sub, level, authTime }: AcceptedProof): SqlValue[] {
  return [sub, level, authTime];
}

/** Parses the columns `ACCEPTED_COLUMNS` of a row, the first of them at `first`. */
export function toAcceptedProof(row: SqlRow, first: number): AcceptedProof | null {
  if (row[first] === null) return null;
  return {
    sub: bytesColumn(row[first]),
    level: wordColumn(LEVELS, row[first + 1]),
    authTime: integerColumn(row[first + 2]),
  };
}
