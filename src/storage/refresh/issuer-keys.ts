import type { AuditWriter } from '../audit/audit-log.ts';
import { auditAllOrNothing } from '../audit/audit-writer.ts';
import { bytes, columns, integer, NO_COLUMNS, optional, type RowOf, text, word } from '../columns.ts';
import type { Driver } from '../drivers/driver.ts';
import { guard, list, point, write } from '../sql.ts';
import { writeOne } from '../transaction.ts';

const KEY = columns({
  /** Its compressed public key as 64 lower-case hex digits. */
  keyId: text,
  /** A u64 in decimal. */
  issuerSchemaId: text,
  /** Affine coordinates of the public key. */
  x: bytes,
  y: bytes,
  /** spec/credential.md#issuer-keys, status. */
  status: word(['active', 'retired', 'revoked']),
  /** Origin of the key: the setting, a command, or the development profile. */
  origin: word(['configured', 'generated', 'development']),
  /** The seed as a compact JWE; null for a configured key, whose seed is never stored. */
  sealedSeed: optional(text),
  registeredAt: integer,
  retiredAt: optional(integer),
});
/** A credential key. Times are milliseconds since the epoch. */
export type IssuerKeyRow = RowOf<typeof KEY>;
/** State of a credential key. */
export type IssuerKeyStatus = IssuerKeyRow['status'];
/** Origin of a credential key. */
export type IssuerKeyOrigin = IssuerKeyRow['origin'];

const ORDER = "case status when 'active' then 0 else 1 end, registered_at desc, key_id";
const keysOfSchema = point(
  KEY,
  `select ${KEY.list()} from issuer_keys where issuer_schema_id = $1 order by ${ORDER}`,
);
const allKeys = list(KEY, `select ${KEY.list()} from issuer_keys order by issuer_schema_id, ${ORDER}`);
/** active → retired; fails if the key is not active. */
const retireKey = guard(
  "update issuer_keys set status = 'retired', retired_at = $3 where issuer_schema_id = $1 and key_id = $2 and status = 'active' returning 1",
);
/** Adds a key as the active one, unless it exists or another key is active. */
const insertKey = write(
  `insert into issuer_keys (${KEY.list()}) values (${KEY.slots()}) on conflict do nothing`,
);
/** retired → active, if no other key is active. */
const reactivateKey = write(
  "update issuer_keys set status = 'active', retired_at = null where issuer_schema_id = $1 and key_id = $2 and status = 'retired' and not exists (select 1 from issuer_keys other where other.issuer_schema_id = $1 and other.status = 'active')",
);
const ACTIVE_KEY =
  "select 1 from issuer_keys where issuer_schema_id = $1 and key_id = $2 and status = 'active'";
const activeKey = point(NO_COLUMNS, ACTIVE_KEY);
/** Fails if the key is not active. */
const isActiveKey = guard(ACTIVE_KEY);
/** Sets a key to revoked and erases its seed; fails if there is none. */
const revokeKey = guard(
  "update issuer_keys set status = 'revoked', sealed_seed = null, retired_at = coalesce(retired_at, $3) where issuer_schema_id = $1 and key_id = $2 returning 1",
);
const resealKey = write(
  'update issuer_keys set sealed_seed = $4 where issuer_schema_id = $1 and key_id = $2 and sealed_seed = $3 returning 1',
);

/** Credential keys; each issuer schema has at most one active key. Rows are never removed. */
export type IssuerKeyStore = ReturnType<typeof createIssuerKeyStore>;

/** Creates the store of credential keys over a driver. */
export function createIssuerKeyStore(driver: Driver, audit: AuditWriter) {
  return {
    /** Lists the keys of an issuer schema: the active one, then by time of registration, the newest first. */
    list: (issuerSchemaId: string): Promise<IssuerKeyRow[]> => driver.read(keysOfSchema(issuerSchemaId)),
    /** Lists the keys of every issuer schema, each in the order of `list`. */
    listAll: (): Promise<IssuerKeyRow[]> => driver.scan(allKeys()),
    /**
     * Makes a key the active one in one transaction: adds it or reactivates it, and retires the former active
     * key.
     *
     * @param formerKeyId - The key that is active now; undefined if none is.
     * @returns False if another key has become active or this key is revoked; nothing is then written.
     */
    async activate(key: IssuerKeyRow, formerKeyId: string | undefined, at: number): Promise<boolean> {
      const { issuerSchemaId, keyId } = key;
      const statements = [
        ...(formerKeyId === undefined ? [] : [retireKey(issuerSchemaId, formerKeyId, at)]),
        insertKey(...KEY.values({ ...key, status: 'active', retiredAt: null })),
        reactivateKey(issuerSchemaId, keyId),
        isActiveKey(issuerSchemaId, keyId),
      ];
      const hasChanged = await auditAllOrNothing(audit, statements, {
        action: 'credential_key.activated',
        target: issuerSchemaId,
        ...(formerKeyId === undefined ? {} : { before: { active: formerKeyId } }),
        after: { active: keyId, origin: key.origin },
      });
      // Nodes that start at the same time activate the same configured key: the second finds it active.
      return hasChanged || (await driver.read(activeKey(issuerSchemaId, keyId))).length > 0;
    },
    /** Permanently sets a key to revoked and erases its seed; false if there is none. */
    revoke(issuerSchemaId: string, keyId: string, at: number): Promise<boolean> {
      const change = { action: 'credential_key.revoked', target: issuerSchemaId, after: { revoked: keyId } };
      return auditAllOrNothing(audit, [revokeKey(issuerSchemaId, keyId, at)], change);
    },
    /** Replaces the sealed seed if it is still `from`; otherwise returns false. */
    reseal: async (issuerSchemaId: string, keyId: string, from: string, to: string): Promise<boolean> =>
      (await writeOne(driver, resealKey(issuerSchemaId, keyId, from, to))) !== undefined,
  };
}
