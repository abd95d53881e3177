import type { AuditWriter } from './audit/audit-log.ts';
import { auditAll } from './audit/audit-writer.ts';
import { bytes, columns, integer, optional, type RowOf, selected, text, word } from './columns.ts';
import type { Driver, Statement } from './drivers/driver.ts';
import { guard, list, point, scan, write } from './sql.ts';
import { ENVIRONMENTS, type Environment } from './values.ts';

const KEY_TABLES = ['issuers4', 'oprf_keys4'] as const;

const POINT = columns({
  /** Coordinates on BabyJubJub, 32 bytes each, big-endian. */
  x: bytes,
  y: bytes,
  /** Writer of the row: `operator`, `development` or the id of a root source. */
  source: text,
  /** Milliseconds since the epoch. */
  updatedAt: integer,
  /** Time at which the key was removed, in milliseconds since the epoch; null while it is valid. */
  removedAt: optional(integer),
});
const ISSUER = columns({
  environment: word(ENVIRONMENTS),
  /** A whole number below 2^64 in decimal digits, without leading zeros. */
  issuerSchemaId: text,
  ...POINT.members,
});
const OPRF_KEY = columns({
  environment: word(ENVIRONMENTS),
  /** `rp_` and 16 lower-case hex digits. */
  rpId: text,
  ...POINT.members,
});
const COUNT = columns({
  environment: word(ENVIRONMENTS),
  table: word(KEY_TABLES),
  count: selected('count(*)', integer),
});

/** Key of a credential issuer of World ID 4.0. */
export type IssuerKey4Row = RowOf<typeof ISSUER>;
/** Public key of a relying party's OPRF, which World ID 4.0 nullifiers depend on. */
export type OprfKey4Row = RowOf<typeof OPRF_KEY>;
/** Environment and id of the owner of a key. */
export interface KeyOwner4 {
  readonly environment: string;
  readonly id: string;
}
const FIRST: KeyOwner4 = { environment: '', id: '' };
/** Number of keys of one environment that count. */
export type KeyCount4 = RowOf<typeof COUNT>;

const issuerById = point(
  ISSUER,
  `select ${ISSUER.list()} from issuers4 where environment = $1 and issuer_schema_id = $2 and removed_at is null`,
);
const allIssuers = list(
  ISSUER,
  `select ${ISSUER.list()} from issuers4 where removed_at is null order by environment, issuer_schema_id`,
);
const issuersAfter = point(
  ISSUER,
  `select ${ISSUER.list()} from issuers4 where removed_at is null and (environment, issuer_schema_id) > ($1, $2) order by environment, issuer_schema_id limit $3`,
);
const putIssuer = write(
  `insert into issuers4 (${ISSUER.list()}) values (${ISSUER.slots()}) on conflict (environment, issuer_schema_id) do update set ${POINT.excluded()}`,
);
const removeIssuer = guard(
  'update issuers4 set removed_at = $1, updated_at = $1 where environment = $2 and issuer_schema_id = $3 and removed_at is null returning 1',
);
const oprfKeyById = point(
  OPRF_KEY,
  `select ${OPRF_KEY.list()} from oprf_keys4 where environment = $1 and rp_id = $2 and removed_at is null`,
);
const allOprfKeys = list(
  OPRF_KEY,
  `select ${OPRF_KEY.list()} from oprf_keys4 where removed_at is null order by environment, rp_id`,
);
const oprfKeysAfter = point(
  OPRF_KEY,
  `select ${OPRF_KEY.list()} from oprf_keys4 where removed_at is null and (environment, rp_id) > ($1, $2) order by environment, rp_id limit $3`,
);
const putOprfKey = write(
  `insert into oprf_keys4 (${OPRF_KEY.list()}) values (${OPRF_KEY.slots()}) on conflict (environment, rp_id) do update set ${POINT.excluded()}`,
);
const removeOprfKey = guard(
  'update oprf_keys4 set removed_at = $1, updated_at = $1 where environment = $2 and rp_id = $3 and removed_at is null returning 1',
);
const countKeys = scan(
  COUNT,
  KEY_TABLES.map(
    (table) =>
      `select environment, '${table}', count(*) from ${table} where removed_at is null group by environment`,
  ).join(' union all '),
);

/** Returns the statement that adds or replaces the key of an issuer. */
export function putIssuerKey4(row: IssuerKey4Row): Statement {
  return putIssuer(...ISSUER.values(row));
}

/** Returns the statement that adds or replaces the OPRF key of a relying party. */
export function putOprfKey4(row: OprfKey4Row): Statement {
  return putOprfKey(...OPRF_KEY.values(row));
}

/**
 * Keys of World ID 4.0 (spec/worldid4.md#state). A removed key keeps its row, which `find…` and `list…` leave out. The
 * store does not check points: `membership/worldid4` does.
 */
export type WorldId4KeyStore = ReturnType<typeof createWorldId4KeyStore>;

/** Creates the store of World ID 4.0 keys over a driver. */
export function createWorldId4KeyStore(driver: Driver, audit: AuditWriter) {
  return {
    async findIssuer(environment: Environment, issuerSchemaId: string): Promise<IssuerKey4Row | undefined> {
      return (await driver.read(issuerById(environment, issuerSchemaId)))[0];
    },
    async findOprfKey(environment: Environment, rpId: string): Promise<OprfKey4Row | undefined> {
      return (await driver.read(oprfKeyById(environment, rpId)))[0];
    },
    /** Lists keys, ordered by environment and id as text. */
    listIssuers: (): Promise<IssuerKey4Row[]> => driver.scan(allIssuers()),
    /** Lists keys, ordered by environment and rp_id. */
    listOprfKeys: (): Promise<OprfKey4Row[]> => driver.scan(allOprfKeys()),
    /** Lists one page of the keys of issuers in the same order. @param after - Owner of the last key of the previous page. */
    pageIssuers: (limit: number, after: KeyOwner4 = FIRST): Promise<IssuerKey4Row[]> =>
      driver.read(issuersAfter(after.environment, after.id, limit)),
    /** Lists one page of OPRF keys as `pageIssuers` does. */
    pageOprfKeys: (limit: number, after: KeyOwner4 = FIRST): Promise<OprfKey4Row[]> =>
      driver.read(oprfKeysAfter(after.environment, after.id, limit)),
    /** Counts the keys that are not removed; an environment without one is left out. */
    countKeys: (): Promise<KeyCount4[]> => driver.scan(countKeys()),
    /** Adds or replaces keys in one transaction. */
    async put(issuers: readonly IssuerKey4Row[], oprfKeys: readonly OprfKey4Row[]): Promise<void> {
      const statements = [...issuers.map(putIssuerKey4), ...oprfKeys.map(putOprfKey4)];
      if (statements.length === 0) return;
      const after = {
        issuers: issuers.map(({ environment, issuerSchemaId }) => `${environment}/${issuerSchemaId}`),
        oprf_keys: oprfKeys.map(({ environment, rpId }) => `${environment}/${rpId}`),
      };
      await auditAll(audit, statements, { action: 'worldid4_keys.put', target: 'worldid4_keys', after });
    },
    /** Marks a key as removed; false if there is none. */
    async removeIssuer(environment: Environment, issuerSchemaId: string, now: number): Promise<boolean> {
      const change = { action: 'issuer.removed', target: `${environment}/${issuerSchemaId}` };
      return (await audit.write([removeIssuer(now, environment, issuerSchemaId)], change)).ok;
    },
    /** Marks a key as removed; false if there is none. */
    async removeOprfKey(environment: Environment, rpId: string, now: number): Promise<boolean> {
      const change = { action: 'oprf_key.removed', target: `${environment}/${rpId}` };
      return (await audit.write([removeOprfKey(now, environment, rpId)], change)).ok;
    },
  };
}
