import type { Driver } from '../../drivers/driver.ts';
import type { SigningKeyStore } from '../../model/store-signin.ts';
import {
  activateKey,
  deleteKey,
  insertKey,
  publishedKeys,
  resealKey,
  retireKey,
  toSigningKeyRow,
} from '../../statements/signin/signing-keys.ts';
import { allOrNothing, writeOne } from '../guarded.ts';

/** Creates the store of signing keys over a driver. */
export function createSigningKeyStore(driver: Driver): SigningKeyStore {
  return {
    list: async (use, now) => (await driver.read(publishedKeys(use, now))).map(toSigningKeyRow),
    initialise: (active, next) => allOrNothing(driver, [insertKey(active), insertKey(next)]),
    rotate: ({ use, activeKid, nextKid, newNext, at, retiredUntil }) =>
      allOrNothing(driver, [
        retiredUntil === null ? deleteKey(activeKid, 'active') : retireKey(use, activeKid, at, retiredUntil),
        activateKey(use, nextKid, at),
        insertKey(newNext),
      ]),
    replaceNext: (kid, newNext) => allOrNothing(driver, [deleteKey(kid, 'next'), insertKey(newNext)]),
    removeRetired: (kid) => allOrNothing(driver, [deleteKey(kid, 'retired')]),
    reseal: async (kid, from, to) => (await writeOne(driver, resealKey(kid, from, to))) !== undefined,
  };
}
