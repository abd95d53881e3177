import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { NullifierEntry } from '../nullifiers/nullifier-rows.ts';
import { keysTemplate, rowsTemplate, sharedRowsTemplate } from '../sql.ts';
import type { Environment } from '../values.ts';
import { bytesColumn, integerColumn, textColumn } from './columns.ts';

/** An action to store: its first entry, and the SHA-256 of its text. */
export interface ActionEntry {
  readonly entry: Omit<NullifierEntry, 'nullifier' | 'requestId'>;
  readonly hash: Uint8Array;
}

/** The row of a nullifier: the time of its recording, and the id that only its writer knows. */
export interface StoredNullifier {
  readonly nullifier: Uint8Array;
  readonly createdAt: number;
  readonly rowId: string;
}

const insertNullifierRows = sharedRowsTemplate(3, 4, insertText);
const insertReturningIds = sharedRowsTemplate(3, 4, (list) => `${insertText(list)} returning row_id`);

function insertText(list: string): string {
  return `insert into nullifiers (environment, app_id, action, nullifier, created_at, request_id, row_id) values ${list} on conflict (nullifier, environment) do nothing`;
}

const insertActionRows = rowsTemplate(
  6,
  (list) =>
    `insert into actions (app_id, action_hash, environment, action, action_description, created_at) values ${list} on conflict (app_id, action_hash, environment) do nothing`,
);

const selectNullifiers = keysTemplate(
  1,
  (list) =>
    `select nullifier, created_at, row_id from nullifiers where environment = $1 and nullifier in (${list})`,
);

/** Values of a row that differ between the nullifiers of one statement. */
export type WrittenNullifier = readonly [
  nullifier: Uint8Array,
  createdAt: number,
  requestId: string,
  rowId: string,
];

/** Values that all nullifiers of one statement share. */
export type NullifierPlace = Pick<NullifierEntry, 'environment' | 'appId' | 'action'>;

/** Adds nullifiers; a guard that fails if one of them is stored already. */
export function insertNewNullifiers(
  place: NullifierPlace,
  nullifiers: readonly WrittenNullifier[],
): Statement {
  const statement = insertNullifierRows(valuesOf(place), nullifiers);
  return { ...statement, mustChange: nullifiers.length };
}

/** Adds the nullifiers that are not stored yet; returns the row id of each added one. */
export function insertNullifiers(place: NullifierPlace, nullifiers: readonly WrittenNullifier[]): Statement {
  return insertReturningIds(valuesOf(place), nullifiers);
}

function valuesOf({ environment, appId, action }: NullifierPlace): string[] {
  return [environment, appId, action];
}

/** Adds the actions that are not stored yet; stored descriptions stay unchanged. */
export function insertActions(actions: readonly ActionEntry[]): Statement[] {
  return insertActionRows(
    actions.map(({ entry, hash }) => [
      entry.appId,
      hash,
      entry.environment,
      entry.action,
      entry.actionDescription,
      entry.createdAt,
    ]),
  );
}

/** Selects the rows of these nullifiers in one environment. */
export function nullifiersByKey(environment: Environment, nullifiers: readonly Uint8Array[]): Statement[] {
  return selectNullifiers([environment], nullifiers);
}

/** Parses a row of `nullifiersByKey`. */
export function toStoredNullifier(row: SqlRow): StoredNullifier {
  return {
    nullifier: bytesColumn(row[0]),
    createdAt: integerColumn(row[1]),
    rowId: textColumn(row[2]),
  };
}
