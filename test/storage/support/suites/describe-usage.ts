import { describe, expect, it } from 'vitest';
import { pointOf } from '../../../../src/storage/drivers/driver.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { appRow, nullifierEntry, numberedNullifier } from '../rows.ts';
import { driver, store } from '../subject.ts';

const APP = appRow().appId;
const NONE = { usage: [], actions: [], refusals: [] };

/** Tests for the counts of usage. */
export function describeUsage(): void {
  describe('usage', () => {
    const row = { appId: APP, day: 20_000, environment: 'production', kind: 'signed_in', amount: 2 } as const;

    it('adds up by app, day, environment and kind, also from several nodes at the same time', async () => {
      const rows = [
        row,
        { ...row, day: 20_001 },
        { ...row, appId: 'app_2' },
        { ...row, kind: 'verified_new' as const },
      ];
      await Promise.all(
        [rows, [...rows].reverse(), rows].map((usage) => store.usage.add({ ...NONE, usage })),
      );
      expect(await store.usage.list(20_000, APP)).toEqual([
        { ...row, amount: 6 },
        { ...row, kind: 'verified_new', amount: 6 },
        { ...row, day: 20_001, amount: 6 },
      ]);
      expect(await store.usage.list(20_001, APP)).toEqual([{ ...row, day: 20_001, amount: 6 }]);
      expect(await store.usage.totals(20_000)).toEqual([
        { ...row, appId: '', amount: 12 },
        { ...row, appId: '', kind: 'verified_new', amount: 6 },
        { ...row, appId: '', day: 20_001, amount: 6 },
      ]);
      await store.usage.add(NONE);
    });

    it('sums by app and kind, the apps with most of it, in one environment or in both', async () => {
      await store.usage.add({
        ...NONE,
        usage: [
          { ...row, amount: 5 },
          { ...row, day: 20_001, amount: 6 },
          { ...row, environment: 'staging', kind: 'verified_new', amount: 1 },
          { ...row, appId: 'app_2', amount: 30 },
          { ...row, appId: 'app_3', day: 19_999, amount: 90 },
          { ...row, appId: 'app_4', amount: 7 },
        ],
      });
      const sums = async (...query: Parameters<Store['usage']['byApp']>): Promise<string[]> =>
        (await store.usage.byApp(...query))
          .map(({ appId, kind, amount }) => `${appId === APP ? 'first' : appId} ${kind} ${amount}`)
          .sort();
      const first = ['first signed_in 11', 'first verified_new 1'];
      expect(await sums(20_000, 2)).toEqual(['app_2 signed_in 30', ...first]);
      expect(await sums(20_000, 9, 'production')).toEqual([
        'app_2 signed_in 30',
        'app_4 signed_in 7',
        'first signed_in 11',
      ]);
      expect(await sums(20_000, 9, 'staging')).toEqual(['first verified_new 1']);
      expect(await sums(20_002, 9)).toEqual([]);
    });

    it('lists actions page by page, with the number of their nullifiers', async () => {
      for (const action of ['a', 'b', 'c']) {
        await store.nullifiers.record(
          nullifierEntry({ appId: APP, action, nullifier: numberedNullifier(action.charCodeAt(0)) }),
        );
      }
      const counted = { appId: APP, environment: nullifierEntry().environment, amount: 3 };
      await store.usage.add({ ...NONE, actions: [{ ...counted, action: 'b' }] });
      await store.usage.add({ ...NONE, actions: [{ ...counted, action: 'b', amount: 1 }] });
      const first = await store.usage.listActions(APP, {}, 2);
      const rest = await store.usage.listActions(APP, { after: first.at(-1) }, 2);
      const all = [...first, ...rest];
      expect(Object.fromEntries(all.map(({ action, amount }) => [action, amount]))).toEqual({
        a: 0,
        b: 4,
        c: 0,
      });
      expect(all).toHaveLength(3);
      expect(await store.usage.listActions('app_2', {}, 2)).toEqual([]);
      expect(await store.usage.findAction(APP, counted.environment, 'b')).toMatchObject({ amount: 4 });
      expect(await store.usage.findAction(APP, counted.environment, 'd')).toBeUndefined();
    });

    it('adds up refusals, the most frequent first, with the time of the last', async () => {
      const refusal = { hour: 5, code: 'a.b', route: '/r', amount: 1, lastAt: 10 };
      await store.usage.add({ ...NONE, refusals: [refusal, { ...refusal, code: 'c.d', amount: 5 }] });
      await store.usage.add({ ...NONE, refusals: [{ ...refusal, hour: 6, lastAt: 20 }] });
      expect(await store.usage.listRefusals(5, 10)).toEqual([
        { ...refusal, code: 'c.d', amount: 5 },
        { ...refusal, hour: 6, amount: 2, lastAt: 20 },
      ]);
      expect(await store.usage.listRefusals(6, 10)).toHaveLength(1);
      expect(await store.usage.listRefusals(5, 1)).toHaveLength(1);
    });

    it('forgets the nullifiers of one action in staging only', async () => {
      const record = async (
        changes: Parameters<typeof nullifierEntry>[0],
        number: number,
      ): Promise<boolean> =>
        (
          await store.nullifiers.record(
            nullifierEntry({ appId: APP, action: 'a', ...changes, nullifier: numberedNullifier(number) }),
          )
        ).isNew;
      const kept = [{ environment: 'production' }, { environment: 'staging', action: 'b' }] as const;
      for (let number = 0; number < 200; number++) await record({ environment: 'staging' }, number);
      const greatest = new Uint8Array(32).fill(255);
      await store.nullifiers.record(
        nullifierEntry({ appId: APP, action: 'a', environment: 'staging', nullifier: greatest }),
      );
      await record(kept[0], 1000);
      await record(kept[1], 1001);
      const usage = { appId: APP, environment: 'staging', action: 'a', amount: 200 } as const;
      await store.usage.add({ ...NONE, actions: [usage] });
      expect(await store.by({ actor: 'api:ops' }).usage.resetStagingAction(APP, 'a')).toBe(201);
      expect(await record({ environment: 'staging' }, 7)).toBe(true);
      expect(await Promise.all([record(kept[0], 1000), record(kept[1], 1001)])).toEqual([false, false]);
      expect(await store.usage.findAction(APP, 'staging', 'a')).toMatchObject({ amount: 0 });
      const [reset] = await store.audit.list({ action: 'action.reset' }, 1);
      expect(reset).toMatchObject({ actor: 'api:ops', target: APP });
      const plan = await driver.read(pointOf('select count(*) from nullifiers'));
      expect(Number(plan[0]?.[0])).toBe(3);
    });
  });

  describe('pages of apps', () => {
    it('begin with the latest, and search in id, rp_id and name without regard to case or wildcards', async () => {
      const apps = Array.from({ length: 5 }, (_, index) =>
        appRow({
          appId: `app_${index}`,
          rpId: `rp_${index}`,
          name: index === 3 ? '100% Shop_A' : `Name ${index}`,
          createdAt: index < 2 ? 10 : index * 10,
        }),
      );
      for (const app of apps) await store.apps.create(app);
      const ids = async (...page: Parameters<Store['apps']['page']>): Promise<string[]> =>
        (await store.apps.page(...page)).map(({ appId }) => appId);
      expect(await ids(3)).toEqual(['app_4', 'app_3', 'app_2']);
      expect(await ids(3, undefined, { createdAt: 20, appId: 'app_2' })).toEqual(['app_1', 'app_0']);
      expect(await ids(3, undefined, { createdAt: 10, appId: 'app_1' })).toEqual(['app_0']);
      expect(await ids(9, '% SHOP_a')).toEqual(['app_3']);
      expect(await ids(9, 'name_')).toEqual([]);
      expect(await ids(9, 'RP_4')).toEqual(['app_4']);
      expect(await ids(9, '\\')).toEqual([]);
    });
  });
}
