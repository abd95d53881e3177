import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { IssuerKey4Row, KeyCount4, OprfKey4Row } from '../model/store-worldid4.ts';
import type { Environment } from '../values.ts';
import { ENVIRONMENTS } from '../values.ts';
import { bytesColumn, integerColumn, optionalIntegerColumn, textColumn, wordColumn } from './columns.ts';

const ISSUER_COLUMNS = 'environment, issuer_schema_id, x, y, source, updated_at, removed_at';
const OPRF_COLUMNS = 'environment, rp_id, x, y, source, updated_at, removed_at';
const KEY_TABLES: readonly KeyCount4['table'][] = ['issuers4', 'oprf_keys4'];
const REPLACED =
  'x = excluded.x, y = excluded.y, source = excluded.source, updated_at = excluded.updated_at, removed_at = excluded.removed_at';

/** Selects the key of an issuer. */
export function issuerKey4(environment: Environment, issuerSchemaId: string): Statement {
  return {
    sql: `select ${ISSUER_COLUMNS} from issuers4 where environment = $1 and issuer_schema_id = $2 and removed_at is null`,
    params: [environment, issuerSchemaId],
  };
}

/** Selects the keys of all issuers. */
export function issuerKeys4(): Statement {
  return {
    sql: `select ${ISSUER_COLUMNS} from issuers4 where removed_at is null order by environment, issuer_schema_id`,
    params: [],
  };
}

/** Adds or replaces the key of an issuer. */
export function putIssuerKey4(row: IssuerKey4Row): Statement {
  const { environment, issuerSchemaId, x, y, source, updatedAt, removedAt } = row;
  return {
    sql: `insert into issuers4 (${ISSUER_COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7) on conflict (environment, issuer_schema_id) do update set ${REPLACED}`,
    params: [environment, issuerSchemaId, x, y, source, updatedAt, removedAt],
  };
}

/** Marks the key of an issuer as removed; a guard that returns no row if there is none. */
export function removeIssuerKey4(environment: Environment, issuerSchemaId: string, now: number): Statement {
  return {
    sql: 'update issuers4 set removed_at = $1, updated_at = $1 where environment = $2 and issuer_schema_id = $3 and removed_at is null returning 1',
    params: [now, environment, issuerSchemaId],
    isGuard: true,
  };
}

/** Selects the OPRF key of a relying party. */
export function oprfKey4(environment: Environment, rpId: string): Statement {
  return {
    sql: `select ${OPRF_COLUMNS} from oprf_keys4 where environment = $1 and rp_id = $2 and removed_at is null`,
    params: [environment, rpId],
  };
}

/** Selects the OPRF keys of all relying parties. */
export function oprfKeys4(): Statement {
  return {
    sql: `select ${OPRF_COLUMNS} from oprf_keys4 where removed_at is null order by environment, rp_id`,
    params: [],
  };
}

/** Counts the keys of each environment, in both tables. */
export function countKeys4(): Statement {
  const counted = (table: KeyCount4['table']): string =>
    `select environment, '${table}', count(*) from ${table} where removed_at is null group by environment`;
  return { sql: KEY_TABLES.map(counted).join(' union all '), params: [] };
}

/** Adds or replaces the OPRF key of a relying party. */
export function putOprfKey4(row: OprfKey4Row): Statement {
  const { environment, rpId, x, y, source, updatedAt, removedAt } = row;
  return {
    sql: `insert into oprf_keys4 (${OPRF_COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7) on conflict (environment, rp_id) do update set ${REPLACED}`,
    params: [environment, rpId, x, y, source, updatedAt, removedAt],
  };
}

/** Marks the OPRF key of a relying party as removed; a guard that returns no row if there is none. */
export function removeOprfKey4(environment: Environment, rpId: string, now: number): Statement {
  return {
    sql: 'update oprf_keys4 set removed_at = $1, updated_at = $1 where environment = $2 and rp_id = $3 and removed_at is null returning 1',
    params: [now, environment, rpId],
    isGuard: true,
  };
}

/** Parses a row of `issuerKey4` and `issuerKeys4`. */
export function toIssuerKey4Row(row: SqlRow): IssuerKey4Row {
  return { ...pointOf(row), issuerSchemaId: textColumn(row[1]) };
}

/** Parses a row of `oprfKey4` and `oprfKeys4`. */
export function toOprfKey4Row(row: SqlRow): OprfKey4Row {
  return { ...pointOf(row), rpId: textColumn(row[1]) };
}

/** Parses a row of `countKeys4`. */
export function toKeyCount4(row: SqlRow): KeyCount4 {
  return {
    environment: wordColumn(ENVIRONMENTS, row[0]),
    table: wordColumn(KEY_TABLES, row[1]),
    count: integerColumn(row[2]),
  };
}

function pointOf(row: SqlRow): Omit<IssuerKey4Row, 'issuerSchemaId'> {
  return {
    environment: wordColumn(ENVIRONMENTS, row[0]),
    x: bytesColumn(row[2]),
    y: bytesColumn(row[3]),
    source: textColumn(row[4]),
    updatedAt: integerColumn(row[5]),
    removedAt: optionalIntegerColumn(row[6]),
  };
}
