// Rules: spec/worldid4.md#integrity-bundle
import { describe, expect, it } from 'vitest';
import { pointOf } from '../../../../src/storage/drivers/driver.ts';
import type { IntegrityUse } from '../../../../src/storage/integrity-uses.ts';
import { bytes32, type StoreUnderTest } from '../rows.ts';

const USE: IntegrityUse = { hash: bytes32(1), bound: bytes32(2), expiresAt: 1_800_000_000_000 };

/** Tests for the uses of device attestations. */
export function describeIntegrityUses(subject: () => StoreUnderTest): void {
  describe('uses of device attestations', () => {
    it('may be repeated for the same responses, and refused for others', async () => {
      const { integrityUses } = subject().store;
      expect(await integrityUses.claim(USE)).toBe(true);
      expect(await integrityUses.claim({ ...USE, expiresAt: USE.expiresAt + 1 })).toBe(true);
      expect(await integrityUses.claim({ ...USE, bound: bytes32(3) })).toBe(false);
      expect(await integrityUses.claim({ ...USE, hash: bytes32(4), bound: bytes32(3) })).toBe(true);
    });

    it('keep the time of the first use', async () => {
      const { store, driver } = subject();
      await store.integrityUses.claim(USE);
      await store.integrityUses.claim({ ...USE, expiresAt: USE.expiresAt + 1 });
      const sql = 'select use_hash, bound, expires_at from integrity_uses';
      expect(await driver.read(pointOf(sql))).toEqual([[USE.hash, USE.bound, USE.expiresAt]]);
    });

    it('are claimed for one set of responses if several arrive at once', async () => {
      const { integrityUses } = subject().store;
      const claims = [1, 2, 3, 4, 5, 6, 7, 8].map((bound) =>
        integrityUses.claim({ ...USE, bound: bytes32(bound) }),
      );
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    });
  });
}
