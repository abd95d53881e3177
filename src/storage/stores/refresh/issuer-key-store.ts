import type { AuditWriter } from '../../audit/audit-log.ts';
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
import { writeOne } from '../../transaction.ts';

/** Creates the store of credential keys over a driver. */
export function createIssuerKeyStore(driver: Driver, audit: AuditWriter): IssuerKeyStore {
  return {
    list: async (issuerSchemaId) => (await driver.read(issuerKeysOf(issuerSchemaId))).map(toIssuerKeyRow),
    listAll: async () => (await driver.read(allIssuerKeys())).map(toIssuerKeyRow),
    activate: async (key, formerKeyId, at) => {
      const { issuerSchemaId, keyId } = key;
      const isActive = isActiveIssuerKey(issuerSchemaId, keyId);
      const { ok: hasChanged } = await audit.write(
        [
          ...(formerKeyId === undefined ? [] : [retireIssuerKey(issuerSchemaId, formerKeyId, at)]),
          insertIssuerKey(key),
          reactivateIssuerKey(issuerSchemaId, keyId),
          isActive,
        ],
        {
          action: 'credential_key.activated',
          target: issuerSchemaId,
          ...(formerKeyId === undefined ? {} : { before: { active: formerKeyId } }),
          after: { active: keyId, origin: key.origin },
        },
      );
      // Nodes that start at the same time activate the same configured key: the second finds it active.
      return hasChanged || (await driver.read(isActive)).length > 0;
    },
    revoke: async (issuerSchemaId, keyId, at) => {
      const change = { action: 'credential_key.revoked', target: issuerSchemaId, after: { revoked: keyId } };
      return (await audit.write([revokeIssuerKey(issuerSchemaId, keyId, at)], change)).ok;
    },
    reseal: async (issuerSchemaId, keyId, from, to) =>
      (await writeOne(driver, resealIssuerKey(issuerSchemaId, keyId, from, to))) !== undefined,
  };
}
