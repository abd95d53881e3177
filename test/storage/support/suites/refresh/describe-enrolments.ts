import { describe, expect, it } from 'vitest';
import type { Driver } from '../../../../../src/storage/drivers/driver.ts';
import type {
  EnrolmentImport,
  EnrolmentOutcome,
  EnrolmentRow,
} from '../../../../../src/storage/refresh/enrolments.ts';
import { storeOver } from '../../../../../src/storage/store.ts';
import { boundDriver } from '../../bound-driver.ts';
import { enrolment, identity, orbKey, START } from '../../refresh-rows.ts';
import { bytes32, GROUP_SETTINGS } from '../../rows.ts';
import { driver, store } from '../../subject.ts';

/** Tests for enrolments and orb keys. */
export function describeEnrolments(): void {
  const put = (
    rows: readonly EnrolmentRow[],
    options: Partial<EnrolmentImport> = {},
  ): Promise<EnrolmentOutcome[]> =>
    store.enrolments.import(rows, { replaces: false, isDryRun: false, ...options });
  const find = (number: number): Promise<EnrolmentRow | undefined> => store.enrolments.find(identity(number));

  describe('enrolments', () => {
    it('are added once, and unchanged by a second import', async () => {
      const rows = [enrolment(1), enrolment(2, { status: 'revoked', orbId: `ünï ' $1` })];
      expect(await put(rows)).toEqual(['added', 'added']);
      expect(await put(rows.map((row) => ({ ...row, updatedAt: START + 1 })))).toEqual([
        'unchanged',
        'unchanged',
      ]);
      expect(await Promise.all([find(1), find(2), find(3)])).toEqual([...rows, undefined]);
    });

    it.each([
      ['status', { status: 'revoked' }],
      ['enrolled_at', { enrolledAt: START + 1000 }],
    ] as const)('are updated when %s changes', async (_, change) => {
      await put([enrolment(1)]);
      const changed = enrolment(1, { ...change, updatedAt: START + 5 });
      expect(await put([changed])).toEqual(['updated']);
      expect(await find(1)).toEqual(changed);
    });

    it.each([
      ['signup', { signupId: 'another' }],
      ['orb', { orbId: 'another' }],
    ])('keep their %s unless the import replaces it', async (_, change) => {
      await put([enrolment(1)]);
      expect(await put([enrolment(1, change)])).toEqual(['conflict']);
      expect(await find(1)).toEqual(enrolment(1));
      expect(await put([enrolment(1, change)], { replaces: true })).toEqual(['updated']);
      expect(await find(1)).toEqual(enrolment(1, change));
    });

    it('are refused with the signup of another active enrolment, while others of the import are added', async () => {
      await put([enrolment(1)]);
      const rows = [enrolment(2), enrolment(3, { signupId: 'signup-1' }), enrolment(4)];
      expect(await put(rows)).toEqual(['added', 'signup_taken', 'added']);
      expect(await find(3)).toBeUndefined();
      expect(await put([enrolment(2, { signupId: 'signup-1' })], { replaces: true })).toEqual([
        'signup_taken',
      ]);
      expect(await find(2)).toEqual(enrolment(2));
    });

    it('may share a signup if at most one of them is active', async () => {
      const revoked = enrolment(2, { signupId: 'signup-1', status: 'revoked' });
      expect(await put([enrolment(1), revoked])).toEqual(['added', 'added']);
      expect(await put([{ ...revoked, status: 'active' }])).toEqual(['signup_taken']);
      await put([enrolment(1, { status: 'revoked' })]);
      expect(await put([{ ...revoked, status: 'active' }])).toEqual(['updated']);
    });

    it('of one import are checked against the earlier ones of it', async () => {
      const rows = [
        enrolment(1),
        enrolment(1),
        enrolment(2, { signupId: 'signup-1' }),
        enrolment(1, { status: 'revoked' }),
        enrolment(2, { signupId: 'signup-1' }),
        enrolment(1),
        enrolment(1, { signupId: 'another' }),
      ];
      expect(await put(rows)).toEqual([
        'added',
        'unchanged',
        'signup_taken',
        'updated',
        'added',
        'signup_taken',
        'conflict',
      ]);
      expect(await find(1)).toEqual(enrolment(1, { status: 'revoked' }));
      expect(await find(2)).toEqual(enrolment(2, { signupId: 'signup-1' }));
    });

    it('can swap their signups within one import', async () => {
      await put([enrolment(1), enrolment(2)]);
      const rows = [
        enrolment(1, { status: 'revoked' }),
        enrolment(2, { signupId: 'signup-1' }),
        enrolment(1, { signupId: 'signup-2' }),
      ];
      expect(await put(rows, { replaces: true })).toEqual(['updated', 'updated', 'updated']);
      expect(await find(1)).toEqual(rows[2]);
      expect(await find(2)).toEqual(rows[1]);
    });

    it('of a thousand lines are written in one import', async () => {
      const rows = Array.from({ length: 1000 }, (_, number) => enrolment(number));
      expect(new Set(await put(rows))).toEqual(new Set(['added']));
      const half = rows.map((row, number) =>
        number % 2 === 0 ? { ...row, status: 'revoked' as const } : row,
      );
      const outcomes = await put(half);
      expect(outcomes.filter((outcome) => outcome === 'updated')).toHaveLength(500);
      expect(outcomes.filter((outcome) => outcome === 'unchanged')).toHaveLength(500);
      expect((await store.rowCounts()).signup).toBe(1000);
      expect(await find(998)).toEqual(half[998]);
      expect(await find(999)).toEqual(half[999]);
    });

    it('are reported and not stored in a dry run', async () => {
      await put([enrolment(1)]);
      const rows = [
        enrolment(1, { status: 'revoked' }),
        enrolment(2, { signupId: 'signup-1' }),
        enrolment(3, { signupId: 'signup-1' }),
      ];
      expect(await put(rows, { isDryRun: true })).toEqual(['updated', 'added', 'signup_taken']);
      expect(await Promise.all([find(1), find(2), find(3)])).toEqual([enrolment(1), undefined, undefined]);
    });

    it('are decided again when others change them during the import', async () => {
      await put([enrolment(1), enrolment(2)]);
      let writes = 0;
      const busy: Driver = {
        ...boundDriver(driver),
        write: async (statements) => {
          writes += 1;
          if (writes === 1) await store.enrolments.revoke(identity(1), START);
          if (writes === 2) await put([enrolment(4)]);
          return driver.write(statements);
        },
      };
      const { enrolments } = storeOver(busy, GROUP_SETTINGS);
      const rows = [enrolment(3, { signupId: 'signup-2' }), enrolment(1, { enrolledAt: 0 }), enrolment(4)];
      const outcomes = await enrolments.import(rows, { replaces: false, isDryRun: false });
      expect(outcomes).toEqual(['signup_taken', 'updated', 'unchanged']);
      expect(writes).toBe(3);
      expect(await Promise.all([find(1), find(3)])).toEqual([enrolment(1, { enrolledAt: 0 }), undefined]);
    });

    it('of parallel imports keep every rule', async () => {
      const imports = Array.from({ length: 8 }, (_, importer) =>
        put(
          Array.from({ length: 40 }, (_, number) =>
            enrolment(importer * 40 + number, { signupId: `signup-${number}` }),
          ),
        ),
      );
      const outcomes = (await Promise.all(imports)).flat();
      expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(40);
      expect(outcomes.filter((outcome) => outcome === 'signup_taken')).toHaveLength(280);
      expect((await store.rowCounts()).signup).toBe(40);
    });

    it('are revoked individually, with the time of the first revocation', async () => {
      await put([enrolment(1)]);
      const revoked = enrolment(1, { status: 'revoked', updatedAt: START + 5 });
      expect(await store.enrolments.revoke(identity(1), START + 5)).toEqual(revoked);
      expect(await store.enrolments.revoke(identity(1), START + 6)).toEqual(revoked);
      expect(await store.enrolments.revoke(identity(2), START)).toBeUndefined();
      expect(await put([enrolment(2, { signupId: 'signup-1' })])).toEqual(['added']);
    });
  });

  describe('orb keys', () => {
    it('are added once, and listed active ones first, then the latest first', async () => {
      expect(await store.orbKeys.add([orbKey(1), orbKey(2), orbKey(1)], 16, false)).toBe(2);
      expect(await store.orbKeys.add([orbKey(3, { addedAt: START + 1 }), orbKey(2)], 16, false)).toBe(1);
      expect(await store.orbKeys.revoke('orb', bytes32(3))).toBe(true);
      const latest = orbKey(4, { addedAt: START + 2 });
      expect(await store.orbKeys.add([latest], 16, false)).toBe(1);
      expect(await store.orbKeys.list('orb')).toEqual([
        latest,
        orbKey(1),
        orbKey(2),
        orbKey(3, { addedAt: START + 1, status: 'revoked' }),
      ]);
      expect(await store.orbKeys.list('another')).toEqual([]);
    });

    it('stay revoked when they are added again', async () => {
      await store.orbKeys.add([orbKey(1)], 16, false);
      await store.orbKeys.revoke('orb', bytes32(1));
      expect(await store.orbKeys.add([orbKey(1)], 16, false)).toBe(0);
      expect(await store.orbKeys.list('orb')).toEqual([orbKey(1, { status: 'revoked' })]);
      expect(await store.orbKeys.revoke('orb', bytes32(2))).toBe(false);
      expect(await store.orbKeys.revoke('another', bytes32(1))).toBe(false);
    });

    it.each([true, false])('are bounded per orb without revoked ones (dry run %s)', async (isDryRun) => {
      const keys = Array.from({ length: 17 }, (_, number) => orbKey(number));
      expect(await store.orbKeys.add(keys.slice(0, 16), 16, false)).toBe(16);
      expect(await store.orbKeys.add(keys, 16, isDryRun)).toBe('too_many');
      expect(await store.orbKeys.list('orb')).toHaveLength(16);
      expect(await store.orbKeys.add([orbKey(17, { orbId: 'another' })], 16, isDryRun)).toBe(1);
      await store.orbKeys.revoke('orb', bytes32(0));
      expect(await store.orbKeys.add(keys, 16, isDryRun)).toBe(1);
      expect(await store.orbKeys.list('orb')).toHaveLength(isDryRun ? 16 : 17);
    });

    it('are bounded when several are added in parallel', async () => {
      const adding = Array.from({ length: 20 }, (_, number) =>
        store.orbKeys.add([orbKey(number)], 16, false),
      );
      const results = await Promise.all(adding);
      expect(results.filter((result) => result === 1)).toHaveLength(16);
      expect(results.filter((result) => result === 'too_many')).toHaveLength(4);
    });

    it('are added for one orb at a time', async () => {
      expect(await store.orbKeys.add([], 16, false)).toBe(0);
      const mixed = [orbKey(1), orbKey(2, { orbId: 'another' })];
      await expect(store.orbKeys.add(mixed, 16, false)).rejects.toMatchObject({
        code: 'store.invalid_value',
      });
    });
  });
}
