import type { AuditedChange, AuditWriter } from '../../audit/audit-log.ts';
import type { Driver, Statement } from '../../drivers/driver.ts';
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
import { writeOne } from '../../transaction.ts';

/** Creates the store of signing keys over a driver. */
export function createSigningKeyStore(driver: Driver, audit: AuditWriter): SigningKeyStore {
  const changed = async (statements: readonly Statement[], change: AuditedChange): Promise<boolean> =>
    (await audit.write(statements, change)).ok;
  return {
    list: async (use, now) => (await driver.read(publishedKeys(use, now))).map(toSigningKeyRow),
    initialise: (active, next) =>
      changed([insertKey(active), insertKey(next)], {
        ...{ action: 'signing_keys.created', target: active.use },
        after: { active: active.kid, next: next.kid },
      }),
    rotate: ({ use, activeKid, nextKid, newNext, at, retiredUntil }) =>
      changed(
        [
          retiredUntil === null
            ? deleteKey(activeKid, 'active')
            : retireKey(use, activeKid, at, retiredUntil),
          activateKey(use, nextKid, at),
          insertKey(newNext),
        ],
        {
          ...{ action: retiredUntil === null ? 'signing_key.removed' : 'signing_key.rotated', target: use },
          before: { active: activeKid, next: nextKid },
          after: { active: nextKid, next: newNext.kid },
        },
      ),
    replaceNext: (kid, newNext) =>
      changed([deleteKey(kid, 'next'), insertKey(newNext)], {
        ...{ action: 'signing_key.removed', target: newNext.use },
        before: { next: kid },
        after: { next: newNext.kid },
      }),
    removeRetired: (kid) =>
      changed([deleteKey(kid, 'retired')], {
        ...{ action: 'signing_key.removed', target: 'signin' },
        before: { retired: kid },
      }),
    reseal: async (kid, from, to) => (await writeOne(driver, resealKey(kid, from, to))) !== undefined,
  };
}
