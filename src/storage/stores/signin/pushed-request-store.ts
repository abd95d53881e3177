import type { Driver } from '../../drivers/driver.ts';
import type { PushedRequestStore } from '../../model/store-pushed.ts';
import {
  insertPushedRequest,
  pushedRequestByHash,
  toPushedRequestRow,
} from '../../statements/signin/pushed-requests.ts';
import { usageOfPushed } from '../../statements/signin/signin-usage.ts';
import { guarded } from '../guarded.ts';
import { pendingSteps } from './pending-steps.ts';

/** Creates the store of pushed requests over a driver. */
export function createPushedRequestStore(driver: Driver): PushedRequestStore {
  return {
    add: (row, bounds, now) =>
      guarded(
        driver,
        [[insertPushedRequest(row)], ...pendingSteps(usageOfPushed(row), row.clientId, bounds, now)],
        'stored',
      ),
    find: async (referenceHash, now) => {
      const [row] = await driver.read(pushedRequestByHash(referenceHash, now));
      return row === undefined ? undefined : toPushedRequestRow(row);
    },
  };
}
