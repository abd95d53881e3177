import { isEqual } from '../../bytes.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Driver } from '../drivers/driver.ts';
import type { VerifyingKeyStore } from '../model/store.ts';
import {
  allVerifyingKeys,
  insertVerifyingKey,
  toVerifyingKeyRow,
  verifyingKeyById,
} from '../statements/verifying-keys.ts';
import { writeAll } from './guarded.ts';

/** Creates the store of imported verifying keys over a driver. */
export function createVerifyingKeyStore(driver: Driver): VerifyingKeyStore {
  return {
    find: async (keyId) => {
      const [row] = await driver.read(verifyingKeyById(keyId));
      return row === undefined ? undefined : toVerifyingKeyRow(row);
    },
    list: async () => (await driver.read(allVerifyingKeys())).map(toVerifyingKeyRow),
    put: async (key) => {
      const [, rows = []] = await writeAll(driver, [insertVerifyingKey(key), verifyingKeyById(key.keyId)]);
      const stored = rows[0] === undefined ? undefined : toVerifyingKeyRow(rows[0]);
      if (stored === undefined || !isEqual(stored.fingerprint, key.fingerprint)) {
        throw new ServiceError('key.conflict', `another key has the id ${key.keyId}`);
      }
    },
  };
}
