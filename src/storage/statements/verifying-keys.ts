import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { KeyOrigin, VerifyingKeyRow } from '../model/store.ts';
import { bytesColumn, integerColumn, optionalIntegerColumn, textColumn, wordColumn } from './columns.ts';

const COLUMNS = 'key_id, origin, depth, source, key, fingerprint, created_at';
const ORIGINS: readonly KeyOrigin[] = ['ceremony', 'development', 'trapdoor', 'imported'];

/** Selects the key with this id. */
export function verifyingKeyById(keyId: string): Statement {
  return { sql: `select ${COLUMNS} from verifying_keys where key_id = $1`, params: [keyId] };
}

/** Selects all keys, by id. */
export function allVerifyingKeys(): Statement {
  return { sql: `select ${COLUMNS} from verifying_keys order by key_id`, params: [] };
}

/** Adds a key; a guard that returns no row if its id is taken, since a stored key never changes. */
export function insertVerifyingKey(row: VerifyingKeyRow): Statement {
  return {
    sql: `insert into verifying_keys (${COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7) on conflict (key_id) do nothing returning 1`,
    params: [row.keyId, row.origin, row.depth, row.source, row.key, row.fingerprint, row.createdAt],
    isGuard: true,
  };
}

/** Parses a row of the statements that select keys. */
export function toVerifyingKeyRow(row: SqlRow): VerifyingKeyRow {
  return {
    keyId: textColumn(row[0]),
    origin: wordColumn(ORIGINS, row[1]),
    depth: optionalIntegerColumn(row[2]),
    source: textColumn(row[3]),
    key: bytesColumn(row[4]),
    fingerprint: bytesColumn(row[5]),
    createdAt: integerColumn(row[6]),
  };
}
