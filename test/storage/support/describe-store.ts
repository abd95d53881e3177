import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isServiceError } from '../../../src/errors/index.ts';
import type { Driver } from '../../../src/storage/drivers/driver.ts';
import type { NullifierRecord, RootRow, Store } from '../../../src/storage/index.ts';
import { storeOver } from '../../../src/storage/open-store.ts';
import { sweep } from '../../../src/storage/sweep.ts';
import { appRow, bytes32, GROUP_SETTINGS, nullifierEntry, rootRow, verifyingKeyRow } from './rows.ts';

/** One database engine under test: gives an empty database, and removes it. */
export interface StoreSubject {
  readonly name: string;
  open(): Promise<{ readonly driver: Driver; remove(): Promise<void> }>;
}

/** The suite that every driver passes: each statement, each conflict, values at their limits. */
export function describeStore(subject: StoreSubject): void {
  describe(`store on ${subject.name}`, () => {
    let driver: Driver;
    let store: Store;
    let remove: () => Promise<void>;

    beforeEach(async () => {
      ({ driver, remove } = await subject.open());
      store = storeOver(driver, GROUP_SETTINGS);
      await store.migrate();
    });

    afterEach(async () => {
      await store.close();
      await remove();
    });

    describe('values', () => {
      const roundTrip = async (source: string, key: Uint8Array): Promise<unknown> => {
        await store.verifyingKeys.put(verifyingKeyRow({ source, key, depth: null }));
        return store.verifyingKeys.find('key-a');
      };

      it('keeps every byte value, empty bytes, empty text and missing numbers', async () => {
        const every = Uint8Array.from({ length: 256 }, (_, value) => value);
        expect(await roundTrip('', every)).toEqual(verifyingKeyRow({ source: '', key: every, depth: null }));
        await store.verifyingKeys.put(verifyingKeyRow({ keyId: 'key-b', key: new Uint8Array(0) }));
        expect((await store.verifyingKeys.find('key-b'))?.key).toEqual(new Uint8Array(0));
      });

      it('keeps text beyond ASCII, quotes and placeholders in text', async () => {
        const text = `ünï ☃ 👋🏽 ' " ; -- $1 ?1 :a \n\t`;
        expect(await roundTrip(text, new Uint8Array([0]))).toMatchObject({ source: text });
      });

      it('gives bytes as Uint8Array and not as Buffer', async () => {
        await store.verifyingKeys.put(verifyingKeyRow());
        const row = await store.verifyingKeys.find('key-a');
        expect(row?.key.constructor).toBe(Uint8Array);
        expect(row?.fingerprint.constructor).toBe(Uint8Array);
      });

      it('keeps whole numbers up to 2^53 - 1', async () => {
        await store.apps.create(appRow({ createdAt: Number.MAX_SAFE_INTEGER, updatedAt: 0 }));
        expect(await store.apps.list()).toEqual([
          appRow({ createdAt: Number.MAX_SAFE_INTEGER, updatedAt: 0 }),
        ]);
      });

      it('refuses values that the engine would change, and goes on working', async () => {
        for (const value of [
          true,
          undefined,
          Number.NaN,
          Number.POSITIVE_INFINITY,
          2 ** 53,
          'a\0b',
          '\ud800',
          {},
        ]) {
          const name = value as string;
          await expect(store.apps.create(appRow({ name }))).rejects.toMatchObject({
            code: 'store.invalid_value',
          });
        }
        expect(await store.apps.list()).toEqual([]);
      });
    });

    describe('transactions', () => {
      it('keeps nothing of a transaction that fails in its middle', async () => {
        const failing = driver.write([
          { sql: "insert into roots values ('staging', 'orb', $1, 1, 2, 's', null)", params: [bytes32(1)] },
          {
            sql: "insert into roots values ('staging', 'orb', $1, null, 2, 's', null)",
            params: [bytes32(2)],
          },
        ]);
        await expect(failing).rejects.toMatchObject({ code: 'store.failed' });
        expect(await store.roots.list()).toEqual([]);
      });

      it('says that a table is missing', async () => {
        await expect(driver.read({ sql: 'select 1 from no_such_table', params: [] })).rejects.toMatchObject({
          code: 'store.migrations_pending',
        });
        await expect(driver.write([{ sql: 'delete from no_such_table', params: [] }])).rejects.toMatchObject({
          code: 'store.migrations_pending',
        });
      });

      it('reports health and writes for real in a probe', async () => {
        expect(await store.probe()).toMatchObject({ isReachable: true, isWritable: true });
        expect(store.health()).not.toHaveProperty('reason');
        await store.close();
        expect(store.health()).toMatchObject({ isReachable: false, isWritable: false });
        expect(await store.probe()).toMatchObject({ isReachable: false, isWritable: false });
        await expect(store.apps.list()).rejects.toMatchObject({ code: 'store.unreachable' });
        await expect(store.nullifiers.record(nullifierEntry())).rejects.toMatchObject({
          code: 'store.unreachable',
        });
      });
    });

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
      const currentRoots = async (): Promise<RootRow[]> =>
        (await store.roots.list()).filter((row) => row.supersededAt === null);

      it('finds a root by environment, tree and value', async () => {
        await store.roots.put([rootRow({ keyId: 'key-a' })]);
        expect(await store.roots.find('production', 'orb', bytes32(1))).toEqual(rootRow({ keyId: 'key-a' }));
        expect(await store.roots.find('staging', 'orb', bytes32(1))).toBeUndefined();
        expect(await store.roots.find('production', 'device', bytes32(1))).toBeUndefined();
        expect(await store.roots.find('production', 'orb', bytes32(2))).toBeUndefined();
      });

      it('supersedes the former root of the tree at the time of receipt of the new one', async () => {
        await store.roots.put([rootRow({ root: bytes32(1), receivedAt: 1000 })]);
        await store.roots.put([rootRow({ tree: 'face', root: bytes32(9), receivedAt: 1500 })]);
        await store.roots.put([rootRow({ root: bytes32(2), receivedAt: 2000 })]);
        expect(await store.roots.list({ tree: 'orb' })).toEqual([
          rootRow({ root: bytes32(1), receivedAt: 1000, supersededAt: 2000 }),
          rootRow({ root: bytes32(2), receivedAt: 2000 }),
        ]);
        expect(await currentRoots()).toHaveLength(2);
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

      it('takes a past root without ending the current one', async () => {
        await store.roots.put([rootRow({ root: bytes32(1), receivedAt: 5000 })]);
        await store.roots.put([rootRow({ root: bytes32(2), receivedAt: 1000, supersededAt: 2000 })]);
        expect(await currentRoots()).toEqual([rootRow({ root: bytes32(1), receivedAt: 5000 })]);
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

      it('allows no second current root of a tree, whoever writes it', async () => {
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
          // Several rows of one time, so that a page ends among them.
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
      it('takes the same key again and refuses another under its id', async () => {
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

    describe('nullifiers', () => {
      const actions = async (): Promise<unknown> =>
        driver.read({
          sql: 'select app_id, action, environment, action_description, created_at from actions order by action, environment',
          params: [],
        });

      it('is new once, then answers the first time of recording', async () => {
        const entry = nullifierEntry({ createdAt: 1000 });
        expect(await store.nullifiers.record(entry)).toEqual({ isNew: true, createdAt: 1000 });
        const later = { ...entry, requestId: 'another', createdAt: 2000 };
        expect(await store.nullifiers.record(later)).toEqual({ isNew: false, createdAt: 1000 });
      });

      it('is not new a second time under the same request id, which a proxy may repeat', async () => {
        const entry = nullifierEntry({ requestId: 'repeated-by-proxy' });
        expect(await store.nullifiers.record(entry)).toMatchObject({ isNew: true });
        expect(await store.nullifiers.record(entry)).toMatchObject({ isNew: false });
        const both = await Promise.all([0, 0].map(() => store.nullifiers.record(entry)));
        expect(both.map((record) => record.isNew)).toEqual([false, false]);
      });

      it('keeps the environments apart', async () => {
        const entry = nullifierEntry({ environment: 'staging', createdAt: 1000 });
        await store.nullifiers.record(entry);
        const other = nullifierEntry({ nullifier: entry.nullifier, createdAt: 2000 });
        expect(await store.nullifiers.record(other)).toEqual({ isNew: true, createdAt: 2000 });
      });

      it('tells nullifiers apart that differ in their first or last byte only', async () => {
        const values = [bytes32(0), bytes32(255), bytes32(0).with(0, 1), bytes32(0).with(31, 255)];
        const records = await Promise.all(
          values.map((nullifier) => store.nullifiers.record(nullifierEntry({ nullifier }))),
        );
        expect(records.map((record) => record.isNew)).toEqual([true, true, true, true]);
      });

      it('has one winner among 64 callers of one group, all with the time of the winner', async () => {
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

      it('refuses a bad value without failing its neighbours', async () => {
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

      it('does not see a change of the buffer that the caller makes later', async () => {
        const entry = nullifierEntry();
        const original = new Uint8Array(entry.nullifier);
        const recorded = store.nullifiers.record(entry);
        entry.nullifier.fill(0);
        await recorded;
        expect(await store.nullifiers.record(nullifierEntry({ nullifier: original }))).toMatchObject({
          isNew: false,
        });
      });

      it('keeps the first sight of each action', async () => {
        const long = 'x'.repeat(4096);
        const first = { action: 'act', actionDescription: 'first', createdAt: 1 };
        await store.nullifiers.record(nullifierEntry(first));
        await Promise.all([
          store.nullifiers.record(
            nullifierEntry({ action: 'act', actionDescription: 'later', createdAt: 2 }),
          ),
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

      it('commits what waits before it closes', async () => {
        const waiting = Array.from({ length: 100 }, () => store.nullifiers.record(nullifierEntry()));
        const closed = store.close();
        expect((await Promise.all(waiting)).every((record) => record.isNew)).toBe(true);
        await closed;
      });
    });

    describe('growth', () => {
      it('counts rows by table', async () => {
        await store.apps.create(appRow());
        await Promise.all([0, 1, 2].map(() => store.nullifiers.record(nullifierEntry())));
        expect(await store.rowCounts()).toEqual({
          apps: 1,
          roots: 0,
          verifying_keys: 0,
          nullifiers: 3,
          actions: 1,
        });
      });

      it('sweeps ended rows in bounded batches', async () => {
        const table = { name: 'things', key: ['a', 'b'] };
        await driver.write([
          { sql: 'create table things (a bigint not null, b text not null, expires_at bigint)', params: [] },
          ...Array.from({ length: 30 }, (_, index) => ({
            sql: 'insert into things values ($1, $2, $3)',
            params: [index, 'x', index],
          })),
          { sql: "insert into things values (99, 'x', null)", params: [] },
        ]);
        expect(await sweep(driver, 24, 2, [table])).toEqual({ things: 20 });
        expect(await sweep(driver, 24, 2, [table])).toEqual({ things: 5 });
        expect(await sweep(driver, 24, 2, [table])).toEqual({ things: 0 });
        const left = await driver.read({ sql: 'select a from things order by a', params: [] });
        expect(left.flat()).toEqual([25, 26, 27, 28, 29, 99]);
      });

      it('sweeps no table of verification, whose rows do not end', async () => {
        await store.nullifiers.record(nullifierEntry());
        expect(await store.sweep(Number.MAX_SAFE_INTEGER, 1000)).toEqual({});
        expect((await store.rowCounts()).nullifiers).toBe(1);
      });
    });
  });
}
