import type { Driver } from '../../../src/storage/drivers/driver.ts';
import type { Store } from '../../../src/storage/store.ts';

/** An open, migrated store and its driver. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly driver: Driver;
}

/** Store of the running test. */
export let store: Store;
/** Driver of the running test. */
export let driver: Driver;

/** Sets the store of the tests that follow, for the suites that every driver must pass. */
export function setSubject(subject: StoreUnderTest): void {
  ({ store, driver } = subject);
}
