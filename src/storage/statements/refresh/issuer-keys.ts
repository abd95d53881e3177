import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { IssuerKeyOrigin, IssuerKeyRow, IssuerKeyStatus } from '../../model/store-refresh.ts';
import {
  bytesColumn,
  integerColumn,
  optionalIntegerColumn,
  optionalTextColumn,
  textColumn,
  wordColumn,
} from '../columns.ts';

const COLUMNS = 'key_id, issuer_schema_id, x, y, status, origin, sealed_seed, registered_at, retired_at';
const ORDER = "case status when 'active' then 0 else 1 end, registered_at desc, key_id";
const STATUSES: readonly IssuerKeyStatus[] = ['active', 'retired', 'revoked'];
const ORIGINS: readonly IssuerKeyOrigin[] = ['configured', 'generated', 'development'];

/** Selects the keys of an issuer schema: the active one, then the latest first. */
export function issuerKeysOf(issuerSchemaId: string): Statement {
  return {
    sql: `select ${COLUMNS} from issuer_keys where issuer_schema_id = $1 order by ${ORDER}`,
    params: [issuerSchemaId],
  };
}

/** Selects the keys of every issuer schema. */
export function allIssuerKeys(): Statement {
  return { sql: `select ${COLUMNS} from issuer_keys order by issuer_schema_id, ${ORDER}`, params: [] };
}

/** active → retired; a guard that returns no row if the key is not active. */
export function retireIssuerKey(issuerSchemaId: string, keyId: string, at: number): Statement {
  return {
    sql: "update issuer_keys set status = 'retired', retired_at = $3 where issuer_schema_id = $1 and key_id = $2 and status = 'active' returning 1",
    params: [issuerSchemaId, keyId, at],
    isGuard: true,
  };
}

/** Adds a key as the active one, unless it exists or another key is active. */
export function insertIssuerKey(key: IssuerKeyRow): Statement {
  return {
    sql: `insert into issuer_keys (${COLUMNS}) values ($1,$2,$3,$4,'active',$5,$6,$7,null) on conflict do nothing`,
    params: [key.keyId, key.issuerSchemaId, key.x, key.y, key.origin, key.sealedSeed, key.registeredAt],
  };
}

/** retired → active, if no other key is active. */
export function reactivateIssuerKey(issuerSchemaId: string, keyId: string): Statement {
  return {
    sql: "update issuer_keys set status = 'active', retired_at = null where issuer_schema_id = $1 and key_id = $2 and status = 'retired' and not exists (select 1 from issuer_keys other where other.issuer_schema_id = $1 and other.status = 'active')",
    params: [issuerSchemaId, keyId],
  };
}

/** A guard that returns no row if the key is not active. */
export function isActiveIssuerKey(issuerSchemaId: string, keyId: string): Statement {
  return {
    sql: "select 1 from issuer_keys where issuer_schema_id = $1 and key_id = $2 and status = 'active'",
    params: [issuerSchemaId, keyId],
    isGuard: true,
  };
}

/** Sets a key to revoked and erases its seed; returns no row if there is none. */
export function revokeIssuerKey(issuerSchemaId: string, keyId: string, at: number): Statement {
  return {
    sql: "update issuer_keys set status = 'revoked', sealed_seed = null, retired_at = coalesce(retired_at, $3) where issuer_schema_id = $1 and key_id = $2 returning 1",
    params: [issuerSchemaId, keyId, at],
    isGuard: true,
  };
}

/** Replaces a sealed seed; returns no row if it is not `from`. */
export function resealIssuerKey(issuerSchemaId: string, keyId: string, from: string, to: string): Statement {
  return {
    sql: 'update issuer_keys set sealed_seed = $4 where issuer_schema_id = $1 and key_id = $2 and sealed_seed = $3 returning 1',
    params: [issuerSchemaId, keyId, from, to],
    isGuard: true,
  };
}

/** Parses a row of `issuerKeysOf` or `allIssuerKeys`. */
export function toIssuerKeyRow(row: SqlRow): IssuerKeyRow {
  return {
    keyId: textColumn(row[0]),
    issuerSchemaId: textColumn(row[1]),
    x: bytesColumn(row[2]),
    y: bytesColumn(row[3]),
    status: wordColumn(STATUSES, row[4]),
    origin: wordColumn(ORIGINS, row[5]),
    sealedSeed: optionalTextColumn(row[6]),
    registeredAt: integerColumn(row[7]),
    retiredAt: optionalIntegerColumn(row[8]),
  };
}
