import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { OrbKeyRow } from '../../model/store-refresh.ts';
import { rowsTemplate } from '../../sql.ts';
import type { Bytes32 } from '../../values.ts';
import { bytesColumn, integerColumn, textColumn, wordColumn } from '../columns.ts';
import { RECORD_STATUSES } from './enrolments.ts';

const COLUMNS = 'orb_id, key_hash, pem, status, added_at';

const insertRows = rowsTemplate(
  5,
  (list) =>
    `insert into orb_keys (${COLUMNS}) values ${list} on conflict (orb_id, key_hash) do nothing returning 1`,
);

/** Selects the keys of an orb, active ones first, the latest first. */
export function orbKeysOf(orbId: string): Statement {
  return {
    sql: `select ${COLUMNS} from orb_keys where orb_id = $1 order by status, added_at desc, key_hash`,
    params: [orbId],
  };
}

/** Adds the keys that are not stored yet; returns one row for each added key. */
export function insertOrbKeys(rows: readonly OrbKeyRow[]): Statement[] {
  return insertRows(
    rows.map(({ orbId, keyHash, pem, status, addedAt }) => [orbId, keyHash, pem, status, addedAt]),
  );
}

/**
 * Makes transactions that add keys wait for each other: otherwise none would count what the others have not committed
 * yet.
 */
export function lockOrbKeys(): Statement {
  return {
    sql: "insert into record_versions as t (name, version) values ('orb_keys',1) on conflict (name) do update set version = t.version + 1",
    params: [],
  };
}

/** A guard that returns no row if the orb has more active keys than this. */
export function withinActiveKeys(orbId: string, maxActive: number): Statement {
  return {
    sql: "select 1 from (select count(*) as keys from orb_keys where orb_id = $1 and status = 'active') as active where keys <= $2",
    params: [orbId, maxActive],
    isGuard: true,
  };
}

/** Sets a key to revoked; returns no row if there is none. */
export function revokeOrbKey(orbId: string, keyHash: Bytes32): Statement {
  return {
    sql: "update orb_keys set status = 'revoked' where orb_id = $1 and key_hash = $2 returning 1",
    params: [orbId, keyHash],
    isGuard: true,
  };
}

/** Parses a row of `orbKeysOf`. */
export function toOrbKeyRow(row: SqlRow): OrbKeyRow {
  return {
    orbId: textColumn(row[0]),
    keyHash: bytesColumn(row[1]),
    pem: textColumn(row[2]),
    status: wordColumn(RECORD_STATUSES, row[3]),
    addedAt: integerColumn(row[4]),
  };
}
