import { isEqual } from '../bytes.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { AuditWriter } from './audit/audit-log.ts';
import { hexText } from './audit/audit-writer.ts';
import { bytes, columns, integer, optional, type RowOf, text, word } from './columns.ts';
import type { Driver } from './drivers/driver.ts';
import { guard, list, point } from './sql.ts';

const KEY = columns({
  keyId: text,
  origin: word(['ceremony', 'development', 'trapdoor', 'imported']),
  depth: optional(integer),
  source: text,
  /** Bytes in the form of `Engine.registerKey`. */
  key: bytes,
  /** SHA-256 of `key`. */
  fingerprint: bytes,
  createdAt: integer,
});
/** A verifying key that an operator imported. */
export type VerifyingKeyRow = RowOf<typeof KEY>;
/** Origin of a verifying key. */
export type KeyOrigin = VerifyingKeyRow['origin'];

const keyById = point(KEY, `select ${KEY.list()} from verifying_keys where key_id = $1`);
const allKeys = list(KEY, `select ${KEY.list()} from verifying_keys order by key_id`);
/** Fails if the id is taken, since a stored key never changes. */
const insertKey = guard(
  `insert into verifying_keys (${KEY.list()}) values (${KEY.slots()}) on conflict (key_id) do nothing returning 1`,
);

/** Imported verifying keys; built-in keys are not stored. */
export type VerifyingKeyStore = ReturnType<typeof createVerifyingKeyStore>;

/** Creates the store of imported verifying keys over a driver. */
export function createVerifyingKeyStore(driver: Driver, audit: AuditWriter) {
  const findKey = async (keyId: string): Promise<VerifyingKeyRow | undefined> =>
    (await driver.read(keyById(keyId)))[0];
  return {
    find: (keyId: string): Promise<VerifyingKeyRow | undefined> => findKey(keyId),
    list: (): Promise<VerifyingKeyRow[]> => driver.scan(allKeys()),
    /**
     * Adds a key; idempotent.
     *
     * @throws ServiceError `key.conflict` if the id is stored with another fingerprint
     */
    async put(key: VerifyingKeyRow): Promise<void> {
      const { keyId, origin, depth, source, fingerprint } = key;
      const after = { origin, depth, source, fingerprint: hexText(fingerprint) };
      const change = { action: 'vkey.imported', target: keyId, after };
      if ((await audit.write([insertKey(...KEY.values(key))], change)).ok) return;
      const stored = await findKey(keyId);
      if (stored === undefined || !isEqual(stored.fingerprint, fingerprint)) {
        throw new ServiceError('key.conflict', `another key has the id ${key.keyId}`);
      }
    },
  };
}
