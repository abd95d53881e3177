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
import { writeAll } from './guarded.ts';

/** Creates the store of World ID 4.0 keys over a driver. */
export function createWorldId4KeyStore(driver: Driver): WorldId4KeyStore {
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
      if (statements.length > 0) await driver.write(statements);
    },
    removeIssuer: async (environment, issuerSchemaId, now) => {
      const [removed = []] = await writeAll(driver, [removeIssuerKey4(environment, issuerSchemaId, now)]);
      return removed.length > 0;
    },
    removeOprfKey: async (environment, rpId, now) => {
      const [removed = []] = await writeAll(driver, [removeOprfKey4(environment, rpId, now)]);
      return removed.length > 0;
    },
  };
}
