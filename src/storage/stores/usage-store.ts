import { type AuditWriter, auditAll } from '../audit/audit-writer.ts';
import type { Driver } from '../drivers/driver.ts';
import type { UsageStore } from '../model/store-usage.ts';
import { actionHash } from '../nullifiers/nullifier-rows.ts';
import {
  ALL_APPS,
  actionOf,
  actionsOf,
  addActionAmounts,
  addRefusals,
  addUsage,
  deleteStagingCount,
  deleteStagingNullifiers,
  refusalsFrom,
  toActionRow,
  toAppUsage,
  toRefusalRow,
  toUsageRow,
  usageByApp,
  usageFrom,
} from '../statements/usage.ts';
import { countRemoved } from './batches.ts';
import { writeAll } from './guarded.ts';

/** Parts of the key of nullifiers, by its first byte. */
const KEY_RANGES = Array.from({ length: 256 }, (_, byte) => ({
  from: Uint8Array.of(byte),
  to: byte === 255 ? new Uint8Array(33).fill(255) : Uint8Array.of(byte + 1),
}));

/** Creates the store of counts over a driver. */
export function createUsageStore(driver: Driver, audit: AuditWriter): UsageStore {
  return {
    async add({ usage, actions, refusals }) {
      const amounts = actions.map(({ action, ...row }) => ({ ...row, hash: actionHash(action) }));
      const statements = [...addUsage(usage), ...addActionAmounts(amounts), ...addRefusals(refusals)];
      if (statements.length > 0) await writeAll(driver, statements);
    },
    list: async (fromDay, appId) => (await driver.scan(usageFrom(fromDay, appId))).map(toUsageRow),
    totals: async (fromDay) => (await driver.scan(usageFrom(fromDay, ALL_APPS))).map(toUsageRow),
    byApp: async (fromDay, limit, environment) =>
      (await driver.scan(usageByApp(fromDay, limit, environment))).map(toAppUsage),
    listActions: async (appId, filter, limit) =>
      (await driver.read(actionsOf(appId, filter, limit))).map(toActionRow),
    async findAction(appId, environment, action) {
      const [row] = await driver.read(actionOf(appId, environment, actionHash(action)));
      return row === undefined ? undefined : toActionRow(row);
    },
    listRefusals: async (fromHour, limit) =>
      (await driver.scan(refusalsFrom(fromHour, limit))).map(toRefusalRow),
    async resetStagingAction(appId, action) {
      // Recorded before the first row is removed: a reset that is interrupted is in the log, too.
      await auditAll(audit, [deleteStagingCount(appId, actionHash(action))], {
        ...{ action: 'action.reset', target: appId, after: { environment: 'staging', action } },
      });
      let removed = 0;
      // The rows of an action have no index, which every write would pay for: one pass over the key, part by part.
      for (const range of KEY_RANGES) {
        removed += await countRemoved(driver, deleteStagingNullifiers(appId, action, range));
      }
      return removed;
    },
  };
}
