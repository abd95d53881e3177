import type { Driver } from '../../drivers/driver.ts';
import type { PushedRequestStore } from '../../model/store-pushed.ts';
import { insertUsedProof } from '../../statements/signin/grants.ts';
import {
  insertPushedRequest,
  pushedRequestByHash,
  toPushedRequestRow,
} from '../../statements/signin/pushed-requests.ts';
import { usageOfPushed } from '../../statements/signin/signin-usage.ts';
import { guarded, type Step } from '../../transaction.ts';
import { type PendingRefusal, pendingSteps } from './pending-steps.ts';

/** Creates the store of pushed requests over a driver. */
export function createPushedRequestStore(driver: Driver): PushedRequestStore {
  return {
    add(row, bounds, now, proof) {
      const steps: Step<PendingRefusal | 'proof_used'>[] = [
        [insertPushedRequest(row)],
        ...pendingSteps(usageOfPushed(row), row.clientId, bounds, now),
      ];
      if (proof !== undefined) steps.push([insertUsedProof(proof), 'proof_used']);
      return guarded(driver, steps, 'stored');
    },
    find: async (referenceHash, now) => {
      const [row] = await driver.read(pushedRequestByHash(referenceHash, now));
      return row === undefined ? undefined : toPushedRequestRow(row);
    },
  };
}
