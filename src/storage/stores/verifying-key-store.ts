import { isEqual } from '../../bytes.ts';
import { ServiceError } from '../../errors/index.ts';
import { type AuditWriter, hexText } from '../audit/audit-writer.ts';
import type { Driver } from '../drivers/driver.ts';
import type { VerifyingKeyStore } from '../model/store.ts';
import {
  allVerifyingKeys,
  insertVerifyingKey,
  toVerifyingKeyRow,
  verifyingKeyById,
} from '../statements/verifying-keys.ts';

/** Creates the store of imported verifying keys over a driver. */
export function createVerifyingKeyStore(driver: Driver, audit: AuditWriter): VerifyingKeyStore {
  const find: VerifyingKeyStore['find'] = async (keyId) => {
    const [row] = await driver.read(verifyingKeyById(keyId));
    return row === undefined ? undefined : toVerifyingKeyRow(row);
  };
  return {
    find,
    list: async () => (await driver.read(allVerifyingKeys())).map(toVerifyingKeyRow),
    put: async (key) => {
      const { keyId, origin, depth, source, fingerprint } = key;
      const after = { origin, depth, source, fingerprint: hexText(fingerprint) };
      const change = { action: 'vkey.imported', target: keyId, after };
      if ((await audit.write([insertVerifyingKey(key)], change)).ok) return;
      const stored = await find(keyId);
      if (stored === undefined || !isEqual(stored.fingerprint, fingerprint)) {
        throw new ServiceError('key.conflict', `another key has the id ${key.keyId}`);
      }
    },
  };
}
