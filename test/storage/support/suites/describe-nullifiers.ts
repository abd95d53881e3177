import { describe, expect, it } from 'vitest';
import { isServiceError } from '../../../../src/errors/service-error.ts';
import { pointOf } from '../../../../src/storage/drivers/driver.ts';
import type { NullifierRecord } from '../../../../src/storage/nullifiers/nullifier-rows.ts';
import { bytes32, nullifierEntry } from '../rows.ts';
import { driver, store } from '../subject.ts';

/** Tests for nullifiers and actions. */
export function describeNullifiers(): void {
  describe('nullifiers', () => {
    const actions = async (): Promise<unknown> =>
      driver.read(
        pointOf(
          'select app_id, action, environment, action_description, created_at from actions order by action, environment',
        ),
      );

    it('records a nullifier as new once, and then returns the time of the first record', async () => {
      const entry = nullifierEntry({ createdAt: 1000 });
      expect(await store.nullifiers.record(entry)).toEqual({ isNew: true, createdAt: 1000 });
      const later = { ...entry, requestId: 'another', createdAt: 2000 };
      expect(await store.nullifiers.record(later)).toEqual({ isNew: false, createdAt: 1000 });
    });

    it('records a nullifier as new once even under a repeated request id, as a proxy may send', async () => {
      const entry = nullifierEntry({ requestId: 'repeated-by-proxy' });
      expect(await store.nullifiers.record(entry)).toMatchObject({ isNew: true });
      expect(await store.nullifiers.record(entry)).toMatchObject({ isNew: false });
      const both = await Promise.all([0, 0].map(() => store.nullifiers.record(entry)));
      expect(both.map((record) => record.isNew)).toEqual([false, false]);
    });

    it('keeps the environments separate', async () => {
      const entry = nullifierEntry({ environment: 'staging', createdAt: 1000 });
      await store.nullifiers.record(entry);
      const other = nullifierEntry({ nullifier: entry.nullifier, createdAt: 2000 });
      expect(await store.nullifiers.record(other)).toEqual({ isNew: true, createdAt: 2000 });
    });

    it('distinguishes nullifiers that differ in their first or last byte only', async () => {
      const values = [bytes32(0), bytes32(255), bytes32(0).with(0, 1), bytes32(0).with(31, 255)];
      const records = await Promise.all(
        values.map((nullifier) => store.nullifiers.record(nullifierEntry({ nullifier }))),
      );
      expect(records.map((record) => record.isNew)).toEqual([true, true, true, true]);
    });

    it('lets one of 64 callers in one group win, and returns the time of the winner to all', async () => {
      const nullifier = bytes32(3);
      const records = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          store.nullifiers.record(nullifierEntry({ nullifier, createdAt: 1000 + index })),
        ),
      );
      const winners = records.filter((record) => record.isNew);
      expect(winners).toHaveLength(1);
      expect(new Set(records.map((record) => record.createdAt))).toEqual(new Set([winners[0]?.createdAt]));
    });

    it('records a group with new, repeated and known nullifiers of both environments', async () => {
      const known = Array.from({ length: 40 }, (_, index) =>
        nullifierEntry({ createdAt: index, environment: index % 2 === 0 ? 'staging' : 'production' }),
      );
      await Promise.all(known.map((entry) => store.nullifiers.record(entry)));
      const fresh = Array.from({ length: 40 }, (_, index) => nullifierEntry({ createdAt: 100 + index }));
      const group = [...known, ...fresh, ...fresh].map((entry, index) => ({
        ...entry,
        requestId: `second-${index}`,
      }));
      const records = await Promise.all(group.map((entry) => store.nullifiers.record(entry)));
      const expected: NullifierRecord[] = [
        ...known.map(({ createdAt }) => ({ isNew: false, createdAt })),
        ...fresh.map(({ createdAt }) => ({ isNew: true, createdAt })),
        ...fresh.map(({ createdAt }) => ({ isNew: false, createdAt })),
      ];
      expect(records).toEqual(expected);
    });

    it('finds one known nullifier among new ones of several statements, in consecutive groups', async () => {
      const known = nullifierEntry({ createdAt: 1 });
      await store.nullifiers.record(known);
      for (const place of [0, 70, 139, undefined, 70]) {
        const fresh = Array.from({ length: 140 }, (_, index) => nullifierEntry({ createdAt: 100 + index }));
        const group = fresh.map((entry, index) =>
          index === place ? { ...known, createdAt: 100 + index } : entry,
        );
        const records = await Promise.all(group.map((entry) => store.nullifiers.record(entry)));
        expect(records).toEqual(
          group.map(({ createdAt }, index) =>
            index === place ? { isNew: false, createdAt: 1 } : { isNew: true, createdAt },
          ),
        );
        const again = await Promise.all(group.map((entry) => store.nullifiers.record(entry)));
        expect(again.some(({ isNew }) => isNew)).toBe(false);
      }
    });

    it('distinguishes new and known nullifiers in groups with any share of known ones, in any order', async () => {
      const known = Array.from({ length: 100 }, () => nullifierEntry({ createdAt: 1 }));
      await Promise.all(known.map((entry) => store.nullifiers.record(entry)));
      for (const share of [100, 60, 100, 49, 50, 1, 100, 0, 99, 0, 30, 100, 100]) {
        const group = known.map((entry, index) =>
          index < share ? { ...entry, createdAt: 2 } : nullifierEntry({ createdAt: 2 }),
        );
        const twice = [...group, ...group].map((entry, index) => ({ ...entry, requestId: `again-${index}` }));
        const records = await Promise.all(twice.map((entry) => store.nullifiers.record(entry)));
        expect(records).toEqual(
          twice.map((_entry, index) => {
            const isKnown = index % 100 < share;
            return { isNew: !isKnown && index < 100, createdAt: isKnown ? 1 : 2 };
          }),
        );
      }
    });

    it('records a nullifier as new once under several parallel actions, and the first use of each action', async () => {
      const nullifiers = Array.from({ length: 20 }, () => nullifierEntry().nullifier);
      for (const times of [1, 2, 3]) {
        const group = ['c', 'a', 'b'].flatMap((action, index) =>
          nullifiers.map((nullifier) => nullifierEntry({ nullifier, action, createdAt: times * 10 + index })),
        );
        const records = await Promise.all(group.map((entry) => store.nullifiers.record(entry)));
        const isFirst = (index: number): boolean => times === 1 && index < nullifiers.length;
        expect(records).toEqual(group.map((_entry, index) => ({ isNew: isFirst(index), createdAt: 10 })));
      }
      const seen = (await actions()) as unknown[][];
      expect(seen.map((row) => [row[1], row[4]])).toEqual([
        ['a', 11],
        ['b', 12],
        ['c', 10],
      ]);
    });

    it('records the first use of an action that comes with known nullifiers only', async () => {
      const entries = [nullifierEntry(), nullifierEntry()];
      for (const action of ['one', 'two', 'three', 'two']) {
        await Promise.all(entries.map((entry) => store.nullifiers.record({ ...entry, action })));
      }
      const seen = (await actions()) as unknown[][];
      expect(seen.map((row) => row[1])).toEqual(['one', 'three', 'two']);
    });

    it('refuses an invalid value without failing others of its group', async () => {
      const bad = [
        nullifierEntry({ nullifier: new Uint8Array(31) }),
        nullifierEntry({ action: 'a\0b' }),
        nullifierEntry({ createdAt: 1.5 }),
        nullifierEntry({ environment: 'dev' as 'staging' }),
        nullifierEntry({ requestId: undefined as unknown as string }),
      ];
      const settled = await Promise.allSettled(
        [nullifierEntry(), ...bad, nullifierEntry()].map((entry) => store.nullifiers.record(entry)),
      );
      expect(settled.map((result) => result.status)).toEqual([
        'fulfilled',
        ...bad.map(() => 'rejected'),
        'fulfilled',
      ]);
      for (const result of settled) {
        if (result.status === 'rejected') {
          expect(isServiceError(result.reason, 'store.invalid_value')).toBe(true);
        }
      }
    });

    it("is not affected by later changes of the caller's buffer", async () => {
      const entry = nullifierEntry();
      const original = new Uint8Array(entry.nullifier);
      const recorded = store.nullifiers.record(entry);
      entry.nullifier.fill(0);
      await recorded;
      expect(await store.nullifiers.record(nullifierEntry({ nullifier: original }))).toMatchObject({
        isNew: false,
      });
    });

    it('keeps the first use of each action', async () => {
      const long = 'x'.repeat(4096);
      const first = { action: 'act', actionDescription: 'first', createdAt: 1 };
      await store.nullifiers.record(nullifierEntry(first));
      await Promise.all([
        store.nullifiers.record(nullifierEntry({ action: 'act', actionDescription: 'later', createdAt: 2 })),
        store.nullifiers.record(nullifierEntry({ ...first, environment: 'staging', createdAt: 3 })),
        store.nullifiers.record(nullifierEntry({ action: long, actionDescription: '', createdAt: 4 })),
      ]);
      const { appId } = nullifierEntry();
      expect(await actions()).toEqual([
        [appId, 'act', 'production', 'first', 1],
        [appId, 'act', 'staging', 'first', 3],
        [appId, long, 'production', '', 4],
      ]);
    });
  });
}
