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
  toRefusalRow,
  toUsageRow,
  usageFrom,
} from '../statements/usage.ts';
import { countRemoved, removeInBatches } from './batches.ts';
import { writeAll } from './guarded.ts';

const MAX_RESET_ROWS = 1000;

/** Creates the store of counts over a driver. */
export function createUsageStore(driver: Driver, audit: AuditWriter): UsageStore {
  return {
    async add({ usage, actions, refusals }) {
      const amounts = actions.map(({ action, ...row }) => ({ ...row, hash: actionHash(action) }));
      const statements = [...addUsage(usage), ...addActionAmounts(amounts), ...addRefusals(refusals)];
      if (statements.length > 0) await writeAll(driver, statements);
    },
    list: async (fromDay, appId) => (await driver.read(usageFrom(fromDay, appId))).map(toUsageRow),
    totals: async (fromDay) => (await driver.read(usageFrom(fromDay, ALL_APPS))).map(toUsageRow),
    listActions: async (appId, filter, limit) =>
      (await driver.read(actionsOf(appId, filter, limit))).map(toActionRow),
    async findAction(appId, environment, action) {
      const [row] = await driver.read(actionOf(appId, environment, actionHash(action)));
      return row === undefined ? undefined : toActionRow(row);
    },
    listRefusals: async (fromHour, limit) =>
      (await driver.read(refusalsFrom(fromHour, limit))).map(toRefusalRow),
    async resetStagingAction(appId, action) {
      // Recorded before the first row is removed: a reset that is interrupted is in the log, too.
      await auditAll(audit, [deleteStagingCount(appId, actionHash(action))], {
        ...{ action: 'action.reset', target: appId, after: { environment: 'staging', action } },
      });
      return await removeInBatches(
        (limit) => countRemoved(driver, deleteStagingNullifiers(appId, action, limit)),
        MAX_RESET_ROWS,
      );
    },
  };
}
