import type { Driver } from '../drivers/driver.ts';
import type { IntegrityUseStore } from '../model/store-worldid4.ts';
import { claimIntegrityUse } from '../statements/integrity-uses.ts';
import { allOrNothing } from './guarded.ts';

/** Creates the store of the uses of device attestations over a driver. */
export function createIntegrityUseStore(driver: Driver): IntegrityUseStore {
  return { claim: (use) => allOrNothing(driver, [claimIntegrityUse(use)]) };
}
