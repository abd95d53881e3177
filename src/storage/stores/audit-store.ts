import type { AuditWriter } from '../audit/audit-writer.ts';
import { readHead } from '../audit/audit-writer.ts';
import type { Driver } from '../drivers/driver.ts';
import type { AuditStore } from '../model/store-audit.ts';
import { auditRowsAfter, latestAuditRows, toAuditRow } from '../statements/audit.ts';

/** Creates the store of the audit log over a driver. */
export function createAuditStore(driver: Driver, audit: AuditWriter): AuditStore {
  return {
    head: () => readHead(driver),
    list: async (filter, limit, before = Number.MAX_SAFE_INTEGER) =>
      (await driver.scan(latestAuditRows(filter, limit, before))).map(toAuditRow),
    listAfter: async (seq, limit) => (await driver.read(auditRowsAfter(seq, limit))).map(toAuditRow),
    record: async (change) => {
      await audit.write([], change);
    },
  };
}
