import { ServiceError } from '../../errors/service-error.ts';
import type { AuditWriter } from '../audit/audit-log.ts';
import { auditAllOrNothing, hexText } from '../audit/audit-writer.ts';
import { bytes, columns, integer, type RowOf, text, word } from '../columns.ts';
import type { Driver } from '../drivers/driver.ts';
import { guard, point, rowsTemplate, write } from '../sql.ts';
import type { Bytes32 } from '../values.ts';
import { RECORD_STATUSES } from './enrolments.ts';

const ORB_KEY = columns({
  orbId: text,
  /** SHA-256 of the DER public key (SPKI). */
  keyHash: bytes,
  /** `BEGIN PUBLIC KEY`, secp256k1. */
  pem: text,
  status: word(RECORD_STATUSES),
  /** Milliseconds since the epoch. */
  addedAt: integer,
});
/** A public key of an orb. */
export type OrbKeyRow = RowOf<typeof ORB_KEY>;

const orbKeysOf = point(
  ORB_KEY,
  `select ${ORB_KEY.list()} from orb_keys where orb_id = $1 order by status, added_at desc, key_hash`,
);
/** Adds the keys that are not stored yet; returns one row for each added key. */
const insertOrbKeys = rowsTemplate(
  ORB_KEY.width,
  (list) =>
    `insert into orb_keys (${ORB_KEY.list()}) values ${list} on conflict (orb_id, key_hash) do nothing returning 1`,
);
/**
 * Makes transactions that add keys wait for each other: otherwise none would count what the others have not committed
 * yet.
 */
const lockOrbKeys = write(
  "insert into record_versions as t (name, version) values ('orb_keys',1) on conflict (name) do update set version = t.version + 1",
);
/** Fails if the orb has more active keys than this. */
const hasAtMostActive = guard(
  "select 1 from (select count(*) as keys from orb_keys where orb_id = $1 and status = 'active') as active where keys <= $2",
);
/** Fails if there is no such key. */
const revokeOrbKey = guard(
  "update orb_keys set status = 'revoked' where orb_id = $1 and key_hash = $2 returning 1",
);

/** Public keys of orbs (spec/refresh.md#orb-keys). A write is one transaction, durable when it resolves. */
export type OrbKeyStore = ReturnType<typeof createOrbKeyStore>;

/** Creates the store of orb keys over a driver. */
export function createOrbKeyStore(driver: Driver, audit: AuditWriter) {
  return {
    /** Lists the keys of an orb, active ones first, the latest first. */
    list: (orbId: string): Promise<OrbKeyRow[]> => driver.read(orbKeysOf(orbId)),
    /**
     * Adds keys of one orb; a stored key is unchanged, including its status.
     *
     * @param maxActive - Maximum number of active keys of the orb after the call.
     * @returns The number of added keys, or `too_many`, and then nothing is written.
     */
    async add(
      rows: readonly OrbKeyRow[],
      maxActive: number,
      isDryRun: boolean,
    ): Promise<number | 'too_many'> {
      const [first] = rows;
      if (first === undefined) return 0;
      const { orbId } = first;
      if (rows.some((row) => row.orbId !== orbId)) {
        throw new ServiceError('store.invalid_value', 'add takes keys of one orb');
      }
      const expected = wouldAdd(await driver.read(orbKeysOf(orbId)), rows, maxActive);
      if (isDryRun || expected === 0) return expected;
      const inserts = insertOrbKeys(rows.map(ORB_KEY.values));
      const outcome = await audit.write([lockOrbKeys(), ...inserts, hasAtMostActive(orbId, maxActive)], {
        action: 'orb_keys.added',
        target: orbId,
        after: { key_hashes: rows.map(({ keyHash }) => hexText(keyHash)) },
      });
      if (!outcome.ok) return 'too_many';
      return outcome.results.slice(1, 1 + inserts.length).flat().length;
    },
    /** Sets a key to revoked; false if there is none. */
    revoke(orbId: string, keyHash: Bytes32): Promise<boolean> {
      const change = { action: 'orb_key.revoked', target: orbId, after: { key_hash: hexText(keyHash) } };
      return auditAllOrNothing(audit, [revokeOrbKey(orbId, keyHash)], change);
    },
  };
}

function wouldAdd(
  stored: readonly OrbKeyRow[],
  rows: readonly OrbKeyRow[],
  maxActive: number,
): number | 'too_many' {
  const keys = new Map(stored.map((row) => [nameOf(row), row]));
  for (const row of rows) if (!keys.has(nameOf(row))) keys.set(nameOf(row), row);
  const active = [...keys.values()].filter(({ status }) => status === 'active').length;
  return active > maxActive ? 'too_many' : keys.size - stored.length;
}

function nameOf({ keyHash }: OrbKeyRow): string {
  return Buffer.from(keyHash).toString('hex');
}
