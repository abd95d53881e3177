import type { Driver } from '../../drivers/driver.ts';
import type { IssuerKeyStore } from '../../model/store-refresh.ts';
import {
  allIssuerKeys,
  insertIssuerKey,
  isActiveIssuerKey,
  issuerKeysOf,
  reactivateIssuerKey,
  resealIssuerKey,
  retireIssuerKey,
  revokeIssuerKey,
  toIssuerKeyRow,
} from '../../statements/refresh/issuer-keys.ts';
import { allOrNothing, writeOne } from '../guarded.ts';

/** Creates the store of credential keys over a driver. */
export function createIssuerKeyStore(driver: Driver): IssuerKeyStore {
  return {
    list: async (issuerSchemaId) => (await driver.read(issuerKeysOf(issuerSchemaId))).map(toIssuerKeyRow),
    listAll: async () => (await driver.read(allIssuerKeys())).map(toIssuerKeyRow),
    activate: async (key, formerKeyId, at) => {
      const { issuerSchemaId, keyId } = key;
      const isActive = isActiveIssuerKey(issuerSchemaId, keyId);
      const hasChanged = await allOrNothing(driver, [
        ...(formerKeyId === undefined ? [] : [retireIssuerKey(issuerSchemaId, formerKeyId, at)]),
        insertIssuerKey(key),
        reactivateIssuerKey(issuerSchemaId, keyId),
        isActive,
      ]);
      // Nodes that start at the same time activate the same configured key: the second finds it active.
      return hasChanged || (await driver.read(isActive)).length > 0;
    },
    revoke: async (issuerSchemaId, keyId, at) =>
      (await writeOne(driver, revokeIssuerKey(issuerSchemaId, keyId, at))) !== undefined,
    reseal: async (issuerSchemaId, keyId, from, to) =>
      (await writeOne(driver, resealIssuerKey(issuerSchemaId, keyId, from, to))) !== undefined,
  };
}
