// Rules: spec/verification.md#nullifier-races
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pointOf } from '../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../src/storage/drivers/libsql.ts';
import { openStore } from '../../src/storage/open-store.ts';
import { type Store, storeOver } from '../../src/storage/store.ts';
import { runTogether, startChild } from './support/processes/child.ts';
import { bridgeSender, GROUP_SETTINGS, nullifierEntry } from './support/rows.ts';
import { useTempFolders } from './support/temp-folder.ts';

describe('several processes on one libsql store', () => {
  const tempFolder = useTempFolders();
  const openNew = async (): Promise<{ url: string; store: Store }> => {
    const url = `libsql:${join(tempFolder(), 'proofgate.db')}`;
    const store = await openStore({ url, ...GROUP_SETTINGS });
    await store.migrate();
    return { url, store };
  };

  it('let exactly one process win each nullifier, and return the time of the winner to both', async () => {
    const { url, store } = await openNew();
    const count = 400;
    const runs = ['1000', '2000'].map((time) => [url, String(count), time]);
    const answers = (await runTogether('record-process.ts', runs)).map((lines) => {
      const records = lines.map((line) => line.split(' '));
      return new Map(records.map(([number, isNew, createdAt]) => [number, { isNew, createdAt }]));
    });
    expect((await store.rowCounts()).nullifiers).toBe(count);
    await store.close();
    for (let number = 0; number < count; number++) {
      const [first, second] = answers.map((answer) => answer.get(String(number)));
      expect([first?.isNew, second?.isNew].sort()).toEqual(['false', 'true']);
      expect(first?.createdAt).toBe(first?.isNew === 'true' ? '1000' : '2000');
      expect(second?.createdAt).toBe(first?.createdAt);
    }
  });

  it('hand each bridge message to one of two processes, and accept one answer', async () => {
    const { url, store } = await openNew();
    const message = { iv: 'aXY=', payload: 'cmVxdWVzdA==' };
    const count = 200;
    for (let number = 0; number < count; number++) {
      await store.bridge.createRequest(`request-${number}`, message, bridgeSender(), 1000);
    }
    const names = ['first', 'second'];
    const runs = names.map((name) => [url, String(count), name]);
    const rows = (await runTogether('bridge-process.ts', runs)).map((lines) =>
      lines.map((line) => line.split(' ')),
    );
    for (let number = 0; number < count; number++) {
      const both = rows.map((lines) => lines.find(([found]) => found === String(number)) ?? []);
      // If one process answers before the other takes the request, the request is gone.
      expect(both.filter(([, hasRequest]) => hasRequest === 'true').length).toBeLessThanOrEqual(1);
      const winner = names[both.findIndex(([, , stored]) => stored === 'stored')];
      expect(both.map(([, , stored]) => stored).sort()).toEqual(['no_status', 'stored']);
      expect(both.map(([, , , by]) => by).sort()).toEqual([winner, 'nothing'].sort());
    }
    expect(rows.flat().some(([, hasRequest]) => hasRequest === 'true')).toBe(true);
    expect((await store.rowCounts()).bridge_messages).toBe(0);
    await store.close();
  });

  it('keep every acknowledged nullifier when the writing process is killed with SIGKILL', async () => {
    const { url, store: prepared } = await openNew();
    await prepared.close();
    for (const acknowledged of [1, 300, 1500]) {
      const child = startChild('endless-process.ts', [url]);
      await child.waitForLines(acknowledged);
      child.kill();
      expect(await child.exited).toBeNull();

      const store = await openStore({ url, ...GROUP_SETTINGS });
      const records = await Promise.all(
        child.lines.map(async (line) => {
          const [hex = '', createdAt] = line.split(' ');
          const nullifier = new Uint8Array(Buffer.from(hex, 'hex'));
          const record = await store.nullifiers.record(nullifierEntry({ nullifier, createdAt: 1 }));
          return { ...record, expected: Number(createdAt) };
        }),
      );
      await store.close();
      expect(records.length).toBeGreaterThanOrEqual(acknowledged);
      expect(records.filter(({ isNew, createdAt, expected }) => isNew || createdAt !== expected)).toEqual([]);
    }
  });

  it('charge for exactly the stored bridge messages after processes that change them are killed with SIGKILL', async () => {
    const path = join(tempFolder(), 'proofgate.db');
    const driver = await openLibsqlDriver({ path });
    await storeOver(driver, GROUP_SETTINGS).migrate();
    for (const created of [50, 200, 400]) {
      const children = [0, 1].map(() => startChild('endless-bridge-process.ts', [`libsql:${path}`]));
      await Promise.all(children.map((child) => child.waitForLines(created)));
      for (const child of children) child.kill();
      await Promise.all(children.map((child) => child.exited));

      const read = (sql: string): Promise<unknown[]> => driver.read(pointOf(sql));
      const keys = await read('select id, kind, expires_at from bridge_messages order by id, kind');
      expect(keys.length).toBeGreaterThan(0);
      expect(await read('select id, kind, expires_at from bridge_charges order by id, kind')).toEqual(keys);
      const counted = await read(
        "select network_key, entries, bytes from bridge_usage where network_key <> '' order by network_key",
      );
      expect(counted).toEqual(
        await read(
          'select network_key, count(*), sum(bytes) from bridge_charges group by network_key order by network_key',
        ),
      );
      const all = await read("select entries, bytes from bridge_usage where network_key = ''");
      expect(all).toEqual(await read('select count(*), sum(bytes) from bridge_charges'));
    }
    await driver.close();
  });

  it('migrate a new store once when two processes migrate at the same time', async () => {
    const url = `libsql:${join(tempFolder(), 'new', 'proofgate.db')}`;
    const statuses = await runTogether('migrate-process.ts', [[url], [url]]);
    const [first, second] = statuses.map(([line = '']) => JSON.parse(line));
    expect(first).toEqual(second);
    expect(first.pending).toEqual([]);
    expect(first.applied.length).toBeGreaterThan(0);
  });

  it('see a write of another process in the next read', async () => {
    const url = `libsql:${join(tempFolder(), 'proofgate.db')}`;
    const store = await openStore({ url, ...GROUP_SETTINGS });
    expect((await store.migrationStatus()).applied).toEqual([]);
    const child = startChild('migrate-process.ts', [url]);
    child.endInput();
    await child.waitForLines(2);
    expect((await store.migrationStatus()).pending).toEqual([]);
    expect(await store.apps.list()).toEqual([]);
    expect(await child.exited).toBe(0);
    await store.close();
  });
});
