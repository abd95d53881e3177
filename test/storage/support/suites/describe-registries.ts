import { describe, expect, it } from 'vitest';
import { type Driver, pointOf, type Statement } from '../../../../src/storage/drivers/driver.ts';
import { OutcomeUnknownError } from '../../../../src/storage/drivers/outcome-unknown.ts';
import type { RootRow } from '../../../../src/storage/roots.ts';
import { createUseStore, type Use } from '../../../../src/storage/uses.ts';
import { appRow, bytes32, rootRow, verifyingKeyRow } from '../rows.ts';
import { driver, store } from '../subject.ts';

const USE: Use = { hash: bytes32(1), bound: bytes32(2), expiresAt: 1_800_000_000_000 };

/** Tests for apps, roots, verifying keys and uses of device attestations. */
export function describeRegistries(): void {
  describe('apps', () => {
    it('finds an app by either id, exactly', async () => {
      await store.apps.create(appRow({ isDevelopment: true }));
      expect(await store.apps.findByAppId(appRow().appId)).toEqual(appRow({ isDevelopment: true }));
      expect(await store.apps.findByRpId(appRow().rpId)).toEqual(appRow({ isDevelopment: true }));
      expect(await store.apps.findByAppId(appRow().appId.toUpperCase())).toBeUndefined();
      expect(await store.apps.findByRpId('rp_0')).toBeUndefined();
    });

    it('refuses a taken app_id and a taken rp_id', async () => {
      await store.apps.create(appRow());
      for (const taken of [{ rpId: 'rp_other' }, { appId: 'app_other' }]) {
        await expect(store.apps.create(appRow(taken))).rejects.toMatchObject({ code: 'app.exists' });
      }
      expect(await store.apps.list()).toEqual([appRow()]);
    });

    it('lists the oldest first', async () => {
      for (const [id, createdAt] of [['b', 2000] as const, ['c', 1000] as const, ['a', 2000] as const]) {
        await store.apps.create(appRow({ appId: id, rpId: `rp_${id}`, createdAt }));
      }
      expect((await store.apps.list()).map((app) => app.appId)).toEqual(['c', 'a', 'b']);
    });

    it('changes the given fields only', async () => {
      await store.apps.create(appRow());
      const disabled = appRow({ status: 'disabled', updatedAt: 2000 });
      expect(await store.apps.update(appRow().appId, { status: 'disabled' }, 2000)).toEqual(disabled);
      const renamed = { ...disabled, name: 'Other', verification: 'failed', updatedAt: 3000 };
      expect(
        await store.apps.update(appRow().appId, { name: 'Other', verification: 'failed' }, 3000),
      ).toEqual(renamed);
      expect(await store.apps.findByAppId(appRow().appId)).toEqual(renamed);
    });

    it('changes an rp_id unless another app has it', async () => {
      const other = { appId: 'app_other', rpId: 'rp_other' };
      await store.apps.create(appRow());
      await store.apps.create(appRow(other));
      const refused = store.apps.update(appRow().appId, { rpId: 'rp_other', name: 'x' }, 2000);
      await expect(refused).rejects.toMatchObject({ code: 'app.rp_id_taken' });
      expect(await store.apps.findByAppId(appRow().appId)).toEqual(appRow());
      expect((await store.apps.update('app_other', { rpId: 'rp_other' }, 2000)).rpId).toBe('rp_other');
      expect((await store.apps.update('app_other', { rpId: 'rp_new' }, 3000)).rpId).toBe('rp_new');
      expect((await store.apps.update(appRow().appId, { rpId: 'rp_other' }, 4000)).rpId).toBe('rp_other');
      const races = ['app_other', appRow().appId].map((id) =>
        store.apps.update(id, { rpId: 'rp_race' }, 5000),
      );
      const outcomes = (await Promise.allSettled(races)).map((race) =>
        race.status === 'rejected' ? race.reason.code : race.value.rpId,
      );
      expect(outcomes.sort()).toEqual(['app.rp_id_taken', 'rp_race']);
      await expect(store.apps.update('app_x', { rpId: 'rp_x' }, 1)).rejects.toMatchObject({
        code: 'app.unknown',
      });
    });

    it('refuses to change or remove an unknown app', async () => {
      await expect(store.apps.update('app_x', { name: 'x' }, 1)).rejects.toMatchObject({
        code: 'app.unknown',
      });
      await expect(store.apps.remove('app_x')).rejects.toMatchObject({ code: 'app.unknown' });
    });

    it('removes an app and frees its ids', async () => {
      await store.apps.create(appRow());
      await store.apps.remove(appRow().appId);
      expect(await store.apps.findByAppId(appRow().appId)).toBeUndefined();
      await store.apps.create(appRow());
    });
  });

  describe('roots', () => {
    it('finds a root by environment, tree and value', async () => {
      await store.roots.put([rootRow({ keyId: 'key-a' })]);
      expect(await store.roots.find('production', 'orb', bytes32(1))).toEqual(rootRow({ keyId: 'key-a' }));
      expect(await store.roots.find('staging', 'orb', bytes32(1))).toBeUndefined();
      expect(await store.roots.find('production', 'device', bytes32(1))).toBeUndefined();
      expect(await store.roots.find('production', 'orb', bytes32(2))).toBeUndefined();
    });

    it('supersedes the former root of a tree when a new one is received', async () => {
      await store.roots.put([rootRow({ root: bytes32(1), receivedAt: 1000 })]);
      await store.roots.put([rootRow({ tree: 'face', root: bytes32(9), receivedAt: 1500 })]);
      await store.roots.put([rootRow({ root: bytes32(2), receivedAt: 2000 })]);
      expect(await store.roots.list({ tree: 'orb' })).toEqual([
        rootRow({ root: bytes32(1), receivedAt: 1000, supersededAt: 2000 }),
        rootRow({ root: bytes32(2), receivedAt: 2000 }),
      ]);
      expect(await store.roots.listCurrent()).toEqual([
        rootRow({ tree: 'face', root: bytes32(9), receivedAt: 1500 }),
        rootRow({ root: bytes32(2), receivedAt: 2000 }),
      ]);
    });

    it('makes a superseded root current again with its new time of receipt', async () => {
      await store.roots.put([rootRow({ root: bytes32(1), receivedAt: 1000 })]);
      await store.roots.put([rootRow({ root: bytes32(2), receivedAt: 2000 })]);
      await store.roots.put([rootRow({ root: bytes32(1), receivedAt: 3000 })]);
      expect(await store.roots.list()).toEqual([
        rootRow({ root: bytes32(2), receivedAt: 2000, supersededAt: 3000 }),
        rootRow({ root: bytes32(1), receivedAt: 3000 }),
      ]);
    });

    it('accepts a past root without superseding the current one', async () => {
      await store.roots.put([rootRow({ root: bytes32(1), receivedAt: 5000 })]);
      await store.roots.put([rootRow({ root: bytes32(2), receivedAt: 1000, supersededAt: 2000 })]);
      expect(await store.roots.listCurrent()).toEqual([rootRow({ root: bytes32(1), receivedAt: 5000 })]);
    });

    it('puts rows in order, and none of them when one fails', async () => {
      await store.roots.put([
        rootRow({ root: bytes32(1), receivedAt: 1000 }),
        rootRow({ root: bytes32(2), receivedAt: 2000 }),
        rootRow({ root: bytes32(3), receivedAt: 3000 }),
      ]);
      expect((await store.roots.list()).map((row) => row.supersededAt)).toEqual([2000, 3000, null]);
      const bad = [rootRow({ root: bytes32(4) }), rootRow({ root: bytes32(5), receivedAt: Number.NaN })];
      await expect(store.roots.put(bad)).rejects.toMatchObject({ code: 'store.invalid_value' });
      expect(await store.roots.list()).toHaveLength(3);
    });

    it('allows no second current root of a tree, even by a direct write', async () => {
      await store.roots.put([rootRow()]);
      const second = driver.write([
        {
          sql: "insert into roots values ('production', 'orb', $1, 1, null, 's', null)",
          params: [bytes32(2)],
        },
      ]);
      await expect(second).rejects.toMatchObject({ code: 'store.failed' });
    });

    it('lists long trees completely and in order', async () => {
      const rows = Array.from({ length: 257 }, (_, index) => {
        const root = new Uint8Array(32);
        new DataView(root.buffer).setUint32(28, 1000 - index);
        // Several rows per time, so that a page ends between rows of the same time.
        const receivedAt = Math.floor(index / 7);
        return rootRow({ environment: 'staging', root, receivedAt, supersededAt: receivedAt + 1 });
      });
      await store.roots.put([...rows, rootRow()]);
      const listed = await store.roots.list({ environment: 'staging' });
      const order = (row: RootRow): string =>
        `${String(row.receivedAt).padStart(5, '0')}${Buffer.from(row.root).toString('hex')}`;
      expect(listed.map(order)).toEqual(rows.map(order).sort());
      expect(await store.roots.list()).toHaveLength(258);
      expect((await store.roots.list())[0]).toEqual(rootRow());
    });

    it('lists the roots of a tree page by page, the oldest or the newest first', async () => {
      // Two of them were received at the same time.
      await store.roots.put(
        [1, 2, 3, 4].map((number) =>
          rootRow({ root: bytes32(number), receivedAt: 1000 * (number === 4 ? 3 : number) }),
        ),
      );
      await store.roots.put([rootRow({ tree: 'face', root: bytes32(9) })]);
      for (const order of ['oldest', 'newest'] as const) {
        const first = await store.roots.page('production', 'orb', 3, undefined, order);
        const rest = await store.roots.page('production', 'orb', 3, first.at(-1), order);
        const numbers = [...first, ...rest].map(({ root }) => root.find((byte) => byte !== 0));
        expect(numbers).toEqual(order === 'oldest' ? [1, 2, 3, 4] : [4, 3, 2, 1]);
      }
    });

    it('prunes superseded roots received before a time, never a current one', async () => {
      await store.roots.put([
        rootRow({ root: bytes32(1), receivedAt: 1000 }),
        rootRow({ root: bytes32(2), receivedAt: 2000 }),
        rootRow({ root: bytes32(3), receivedAt: 3000 }),
        rootRow({ tree: 'face', root: bytes32(4), receivedAt: 1 }),
      ]);
      expect(await store.roots.prune(2000)).toBe(1);
      expect(await store.roots.prune(9000)).toBe(1);
      expect((await store.roots.list()).map((row) => row.root[0])).toEqual([4, 3]);
    });
  });

  describe('verifying keys', () => {
    it('accepts the same key again and refuses another key under its id', async () => {
      await store.verifyingKeys.put(verifyingKeyRow());
      await store.verifyingKeys.put(verifyingKeyRow({ createdAt: 9000 }));
      expect(await store.verifyingKeys.list()).toEqual([verifyingKeyRow()]);
      await expect(
        store.verifyingKeys.put(verifyingKeyRow({ fingerprint: bytes32(8) })),
      ).rejects.toMatchObject({ code: 'key.conflict' });
      expect(await store.verifyingKeys.find('key-b')).toBeUndefined();
    });

    it('lists by id', async () => {
      await store.verifyingKeys.put(verifyingKeyRow({ keyId: 'b' }));
      await store.verifyingKeys.put(verifyingKeyRow({ keyId: 'a' }));
      expect((await store.verifyingKeys.list()).map((row) => row.keyId)).toEqual(['a', 'b']);
    });
  });

  // Rules: spec/worldid4.md#integrity-bundle and spec/worldid4.md#sessions
  describe.each([
    { table: 'integrity_uses', uses: () => store.integrityUses },
    { table: 'session_proof_uses', uses: () => store.sessionProofUses },
  ] as const)('$table', ({ table, uses }) => {
    it('admits a use again for what it is bound to, and for nothing else', async () => {
      expect(await uses().claim(USE)).toBe(true);
      expect(await uses().claim({ ...USE, expiresAt: USE.expiresAt + 1 })).toBe(true);
      expect(await uses().claim({ ...USE, bound: bytes32(3) })).toBe(false);
      expect(await uses().claim({ ...USE, hash: bytes32(4), bound: bytes32(3) })).toBe(true);
    });

    it('keeps the time of the first use', async () => {
      await uses().claim(USE);
      await uses().claim({ ...USE, expiresAt: USE.expiresAt + 1 });
      const sql = `select use_hash, bound, expires_at from ${table}`;
      expect(await driver.read(pointOf(sql))).toEqual([[USE.hash, USE.bound, USE.expiresAt]]);
    });

    it('admits a use whose commit was answered by nobody, and no other', async () => {
      let isLost = true;
      const losing: Driver = Object.create(driver, {
        write: {
          value: async (statements: readonly Statement[]) => {
            const outcome = await driver.write(statements);
            if (!isLost) return outcome;
            isLost = false;
            throw new OutcomeUnknownError('the connection broke');
          },
        },
      });
      expect(await createUseStore(losing, table).claim(USE)).toBe(true);
      expect(await uses().claim({ ...USE, bound: bytes32(3) })).toBe(false);
    });

    it('admits one of several that arrive at once', async () => {
      const claims = [1, 2, 3, 4, 5, 6, 7, 8].map((bound) => uses().claim({ ...USE, bound: bytes32(bound) }));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    });
  });
}
