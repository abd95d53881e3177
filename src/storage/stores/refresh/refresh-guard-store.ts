import type { AuditWriter } from '../../audit/audit-log.ts';
import { auditAll } from '../../audit/audit-writer.ts';
import type { Driver } from '../../drivers/driver.ts';
import type { RefreshGuardStore } from '../../model/store-refresh.ts';
import {
  addAttempt,
  attemptsReached,
  deleteChallenge,
  insertChallenge,
  liveChallenge,
  putSwitch,
  switchedOff,
} from '../../statements/refresh/refresh-guards.ts';
import { allOrNothing } from '../../transaction.ts';

/** Creates the store of refresh counters, challenges and the refresh switch over a driver. */
export function createRefreshGuardStore(driver: Driver, audit: AuditWriter): RefreshGuardStore {
  return {
    countAttempt: async (addressKey, minute, limit) => {
      if (limit < 1) return false;
      // A flood from one address is answered without the writer.
      const reached = await driver.read(attemptsReached(addressKey, minute, limit));
      return reached.length === 0 && allOrNothing(driver, [addAttempt(addressKey, minute, limit)]);
    },
    addChallenge: async (hash, expiresAt) => {
      await driver.write([insertChallenge(hash, expiresAt)]);
    },
    hasChallenge: async (hash, now) => (await driver.read(liveChallenge(hash, now))).length > 0,
    takeChallenge: (hash, now) => allOrNothing(driver, [deleteChallenge(hash, now)]),
    isSwitchedOn: async () => (await driver.read(switchedOff())).length === 0,
    switch: async (isOn, at) => {
      const change = { action: 'refresh.switched', target: 'refresh', after: { enabled: isOn } };
      await auditAll(audit, [putSwitch(isOn, at)], change);
    },
  };
}
