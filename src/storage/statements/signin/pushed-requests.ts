import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { PushedRequestRow } from '../../model/store-pushed.ts';
import type { Bytes32 } from '../../values.ts';
import { bytesColumn, integerColumn, textColumn } from '../columns.ts';

const COLUMNS = 'reference_hash, client_id, parameters, expires_at';

/** Adds a pushed request. */
export function insertPushedRequest(row: PushedRequestRow): Statement {
  return {
    sql: `insert into pushed_requests (${COLUMNS}) values ($1,$2,$3,$4)`,
    params: [row.referenceHash, row.clientId, row.parameters, row.expiresAt],
  };
}

/** Selects a pushed request that has not expired. */
export function pushedRequestByHash(referenceHash: Bytes32, now: number): Statement {
  return {
    sql: `select ${COLUMNS} from pushed_requests where reference_hash = $1 and expires_at > $2`,
    params: [referenceHash, now],
  };
}

/** Removes a pushed request; a guard that returns no row if it is unknown, used or expired. */
export function usePushedRequest(referenceHash: Bytes32, now: number): Statement {
  return {
    sql: 'delete from pushed_requests where reference_hash = $1 and expires_at > $2 returning 1',
    params: [referenceHash, now],
    isGuard: true,
  };
}

/** Parses a row of `pushedRequestByHash`. */
export function toPushedRequestRow(row: SqlRow): PushedRequestRow {
  return {
    referenceHash: bytesColumn(row[0]),
    clientId: textColumn(row[1]),
    parameters: textColumn(row[2]),
    expiresAt: integerColumn(row[3]),
  };
}
