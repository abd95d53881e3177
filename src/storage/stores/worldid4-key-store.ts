import type { AuditWriter } from '../audit/audit-log.ts';
import { auditAll } from '../audit/audit-writer.ts';
import type { Driver } from '../drivers/driver.ts';
import type { WorldId4KeyStore } from '../model/store-worldid4.ts';
import {
  countKeys4,
  issuerKey4,
  issuerKeys4,
  oprfKey4,
  oprfKeys4,
  putIssuerKey4,
  putOprfKey4,
  removeIssuerKey4,
  removeOprfKey4,
  toIssuerKey4Row,
  toKeyCount4,
  toOprfKey4Row,
} from '../statements/worldid4-keys.ts';

/** Creates the store of World ID 4.0 keys over a driver. */
export function createWorldId4KeyStore(driver: Driver, audit: AuditWriter): WorldId4KeyStore {
  return {
    findIssuer: async (environment, issuerSchemaId) => {
      const [row] = await driver.read(issuerKey4(environment, issuerSchemaId));
      return row === undefined ? undefined : toIssuerKey4Row(row);
    },
    findOprfKey: async (environment, rpId) => {
      const [row] = await driver.read(oprfKey4(environment, rpId));
      return row === undefined ? undefined : toOprfKey4Row(row);
    },
    listIssuers: async () => (await driver.read(issuerKeys4())).map(toIssuerKey4Row),
    listOprfKeys: async () => (await driver.read(oprfKeys4())).map(toOprfKey4Row),
    countKeys: async () => (await driver.scan(countKeys4())).map(toKeyCount4),
    put: async (issuers, oprfKeys) => {
      const statements = [...issuers.map(putIssuerKey4), ...oprfKeys.map(putOprfKey4)];
      if (statements.length === 0) return;
      const after = {
        issuers: issuers.map(({ environment, issuerSchemaId }) => `${environment}/${issuerSchemaId}`),
        oprf_keys: oprfKeys.map(({ environment, rpId }) => `${environment}/${rpId}`),
      };
      await auditAll(audit, statements, { action: 'worldid4_keys.put', target: 'worldid4_keys', after });
    },
    removeIssuer: async (environment, issuerSchemaId, now) => {
      const change = { action: 'issuer.removed', target: `${environment}/${issuerSchemaId}` };
      return (await audit.write([removeIssuerKey4(environment, issuerSchemaId, now)], change)).ok;
    },
    removeOprfKey: async (environment, rpId, now) => {
      const change = { action: 'oprf_key.removed', target: `${environment}/${rpId}` };
      return (await audit.write([removeOprfKey4(environment, rpId, now)], change)).ok;
    },
  };
}
