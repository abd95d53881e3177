// Rules: spec/operations.md#connections
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isServiceError } from '../../../src/errors/service-error.ts';
import { pointOf } from '../../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../../src/storage/drivers/libsql.ts';
import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';
import { readMigrations } from '../../../src/storage/migrations/migration-files.ts';
import { type OpenStoreOptions, openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { casesOf } from '../../support/cases.ts';
import { makeMigratedStore } from '../../support/server/migrated-store.ts';
import { KillableThreads } from '../support/killable-threads.ts';
import { startChild } from '../support/processes/child.ts';
import { appRow, GROUP_SETTINGS, nullifierEntry, rootRow } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

describe('libsql driver', () => {
  const tempFolder = useTempFolders();
  const stores: Store[] = [];
  let path: string;
  let url: string;

  beforeEach(() => {
    path = join(tempFolder(), 'data', 'proofgate.db');
    url = `libsql:${path}`;
  });

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });

  const open = async (options: OpenStoreOptions = {}): Promise<Store> => {
    const store = await openStore({ url, ...GROUP_SETTINGS }, options);
    stores.push(store);
    return store;
  };

  const openMigrated = async (options: OpenStoreOptions = {}): Promise<Store> => {
    await makeMigratedStore(path);
    return await open(options);
  };

  describe('files', () => {
    it('are readable by their owner only, including side files', async () => {
      const store = await open();
      await store.migrate();
      await store.apps.create(appRow());
      const folder = dirname(path);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      const files = readdirSync(folder);
      expect(files.sort()).toEqual(['proofgate.db', 'proofgate.db-shm', 'proofgate.db-wal']);
      expect(files.map((file) => statSync(join(folder, file)).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    });

    it('are written with a write-ahead log and full synchronization', async () => {
      const store = await open();
      expect(store.health()).toEqual({
        isReachable: true,
        isWritable: true,
        durability: { text: 'journal_mode=wal synchronous=full', faults: [] },
      });
    });

    it('leave all data in the main file when the store is closed', async () => {
      const store = await openMigrated();
      await store.apps.create(appRow());
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
      await store.close();
      expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    });

    it('keep all data when the store is reopened', async () => {
      const first = await openMigrated();
      await first.apps.create(appRow());
      await first.close();
      const second = await open();
      expect(await second.apps.list()).toEqual([appRow()]);
      expect((await second.migrationStatus()).pending).toEqual([]);
    });
  });

  describe('opening', () => {
    it.each([
      ['a folder in place of the file', () => mkdirSync(path, { recursive: true })],
      ['a file in place of the folder', () => writeFileSync(dirname(path), '')],
      [
        'a file that is not a database',
        () => {
          mkdirSync(dirname(path));
          writeFileSync(path, 'x'.repeat(4096));
        },
      ],
    ])('refuses %s', async (_name, prepare) => {
      prepare();
      await expect(open()).rejects.toMatchObject({ code: 'store.unreachable' });
    });

    it('read-only creates no files', async () => {
      await expect(open({ readOnly: true })).rejects.toMatchObject({ code: 'store.absent' });
      expect(existsSync(dirname(path))).toBe(false);
    });

    it('read-only reads next to a writer and refuses to write', async () => {
      const writer = await openMigrated();
      const reader = await open({ readOnly: true });
      await writer.roots.put([rootRow()]);
      expect(await reader.roots.list()).toEqual([rootRow()]);
      expect(await reader.rowCounts()).toMatchObject({ roots: 1 });
      await expect(reader.roots.put([rootRow()])).rejects.toMatchObject({ code: 'store.failed' });
      expect(await reader.probe()).toMatchObject({ isReachable: true, isWritable: false });
      expect((await reader.migrate()).pending).toEqual([]);
    });
  });

  describe('a database that another connection has locked', () => {
    it('fails a write after a timeout, reports itself not writable, and recovers after the lock ends', async () => {
      const retries: string[] = [];
      const observer = {
        nullifierCommit: (): void => undefined,
        bridgeEviction: (): void => undefined,
        audited: (): void => undefined,
        retry: (operation: string): void => {
          retries.push(operation);
        },
      };
      const store = await openMigrated({ busyTimeoutMs: 20, observer });
      const other = new LibsqlConnection(path, 0);
      other.execute('begin immediate');
      const waiting = [nullifierEntry(), nullifierEntry()];
      const settled = await Promise.allSettled(waiting.map((entry) => store.nullifiers.record(entry)));
      for (const result of settled) {
        expect(result.status === 'rejected' && isServiceError(result.reason, 'store.unreachable')).toBe(true);
      }
      expect(retries).toEqual(['nullifiers.record']);
      expect(store.health()).toMatchObject({
        isReachable: true,
        isWritable: false,
        reason: expect.stringContaining('locked'),
      });
      expect(await store.probe()).toMatchObject({ isWritable: false });
      expect(await store.roots.listCurrent()).toEqual([]);
      other.execute('rollback');
      expect(await store.probe()).toMatchObject({ isWritable: true });
      expect(await Promise.all(waiting.map((entry) => store.nullifiers.record(entry)))).toEqual(
        waiting.map(({ createdAt }) => ({ isNew: true, createdAt })),
      );
      other.close();
    });

    it('delays a write until the lock ends', async () => {
      const store = await openMigrated();
      const other = new LibsqlConnection(path, 0);
      other.execute('begin immediate');
      const recorded = store.nullifiers.record(nullifierEntry());
      expect(await store.roots.listCurrent()).toEqual([]);
      other.execute('rollback');
      expect(await recorded).toMatchObject({ isNew: true });
      other.close();
    });

    /** Makes a database without write-ahead log, where a writer blocks readers; returns a connection to it. */
    const rollbackJournal = (): LibsqlConnection => {
      mkdirSync(dirname(path));
      const connection = new LibsqlConnection(path, 0);
      for (const sql of readMigrations().flatMap(({ statements }) => statements)) {
        // The driver, which is not used here, knows the columns that there are.
        connection.execute(sql.replace('add column if not exists', 'add column'));
      }
      return connection;
    };

    it('delays a read until the lock ends, without blocking the event loop', async () => {
      const other = rollbackJournal();
      const store = await open({ readOnly: true });
      other.execute('begin exclusive');
      let turns = 0;
      const ticker = setInterval(() => {
        turns++;
        if (turns === 20) other.execute('rollback');
      }, 1);
      expect(await store.roots.listCurrent()).toEqual([]);
      clearInterval(ticker);
      expect(turns).toBeGreaterThanOrEqual(20);
      other.close();
    });

    it('fails a read after a timeout, and reports itself not reachable', async () => {
      const other = rollbackJournal();
      const store = await open({ readOnly: true, busyTimeoutMs: 20 });
      other.execute('begin exclusive');
      await expect(store.roots.listCurrent()).rejects.toMatchObject({ code: 'store.unreachable' });
      expect(store.health()).toMatchObject({ isReachable: false, isWritable: false });
      other.execute('rollback');
      expect(await store.roots.listCurrent()).toEqual([]);
      expect(store.health()).toMatchObject({ isReachable: true });
      other.close();
    });
  });

  describe('a writer thread that ends', () => {
    it('is replaced, and no acknowledged nullifier is lost or counted as new twice', async () => {
      const threads = new KillableThreads();
      const reasons: object[] = [];
      const log = { warn: (fields: object) => reasons.push(fields) };
      const store = await openMigrated({ startWorker: threads.start, log });
      let refused = 0;
      const acknowledged: string[] = [];
      const rounds = casesOf(8, 4);
      for (let round = 0; round < rounds; round++) {
        const entries = Array.from({ length: 150 }, (_, index) =>
          nullifierEntry({ createdAt: round * 1000 + index }),
        );
        const writing = entries.map(async (entry, index) => {
          // Callers join at different times, so that the thread ends in the middle of a group.
          for (let turn = 0; turn < index % 20; turn++) await new Promise(setImmediate);
          return store.nullifiers.record(entry);
        });
        await threads.endAfter(round + 1);
        const settled = await Promise.allSettled(writing);
        const again = await Promise.all(
          entries.map((entry) => store.nullifiers.record({ ...entry, requestId: 'again', createdAt: 9 })),
        );
        settled.forEach((result, index) => {
          const { createdAt } = entries[index] ?? nullifierEntry();
          if (result.status === 'rejected') {
            expect(isServiceError(result.reason, 'store.unreachable')).toBe(true);
            refused++;
            return;
          }
          expect(result.value).toEqual({ isNew: true, createdAt });
          expect(again[index]).toEqual({ isNew: false, createdAt });
          acknowledged.push(`${round}-${index}`);
        });
      }
      // At most one thread dies per group, so the retry on the next thread stores the whole group.
      expect(refused).toBe(0);
      expect(acknowledged).toHaveLength(150 * rounds);
      expect(threads.workers.length).toBe(rounds + 1);
      expect(reasons).toHaveLength(rounds);
    });

    it('makes the store not writable until the next write', async () => {
      const threads = new KillableThreads();
      const store = await openMigrated({ startWorker: threads.start });
      await threads.endIdle();
      expect(store.health()).toMatchObject({
        isReachable: true,
        isWritable: false,
        reason: 'the thread of the database ended',
      });
      expect(await store.probe()).toMatchObject({ isWritable: true });
      expect(store.health()).not.toHaveProperty('reason');
    });

    it('fails a write when each of its threads ends, and recovers afterwards', async () => {
      const threads = new KillableThreads();
      let isFailing = false;
      const store = await openMigrated({
        startWorker: (file, options) => {
          const worker = threads.start(file, options);
          if (isFailing) void worker.terminate();
          return worker;
        },
      });
      isFailing = true;
      await threads.endIdle();
      await expect(store.nullifiers.record(nullifierEntry())).rejects.toMatchObject({
        code: 'store.unreachable',
      });
      expect(store.health()).toMatchObject({ isWritable: false });
      isFailing = false;
      expect(await store.nullifiers.record(nullifierEntry())).toMatchObject({ isNew: true });
      expect(store.health()).toMatchObject({ isWritable: true });
    });
  });

  it('reports a full disk as store.unreachable, leaves no change of the write, and recovers', async () => {
    const store = await openMigrated();
    const limit = new LibsqlConnection(path, 1000);
    const pages = Number(limit.all({ sql: 'pragma page_count', params: [] })[0]?.[0]);
    limit.close();
    const driver = await openLibsqlDriver({ path });
    await driver.write([{ sql: `pragma max_page_count = ${pages + 3}`, params: [] }]);
    const big = {
      sql: 'insert into apps values ($1,$2,$3,$4,$5,null,1,1)',
      params: ['a', 'b', 'x'.repeat(99_999), 'active', 'none'],
    };
    await expect(driver.write([big])).rejects.toMatchObject({
      code: 'store.unreachable',
      message: expect.stringContaining('full'),
    });
    expect(driver.health()).toMatchObject({ isReachable: true, isWritable: false });
    expect(await driver.read(pointOf('select count(*) from apps'))).toEqual([[0]]);
    // The limit belongs to the connection that failed; the next one has none.
    await driver.write([big]);
    expect(driver.health()).toMatchObject({ isWritable: true });
    await driver.close();
    expect(await store.apps.list()).toHaveLength(1);
  });

  describe('a file that was removed or replaced', () => {
    const isGone = { code: 'store.unreachable', message: expect.stringContaining('removed or replaced') };
    const WAYS: [string, () => void][] = [
      ['removed', () => renameSync(path, `${path}.away`)],
      [
        'replaced by an empty one',
        () => {
          renameSync(path, `${path}.away`);
          writeFileSync(path, '');
        },
      ],
      [
        'replaced by a copy',
        () => {
          copyFileSync(path, `${path}.copy`);
          renameSync(path, `${path}.away`);
          renameSync(`${path}.copy`, path);
        },
      ],
    ];

    it.each(WAYS)('and is %s, takes no more writes and reads, also once it is back', async (_, replace) => {
      const store = await openMigrated();
      replace();
      await expect(store.nullifiers.record(nullifierEntry())).rejects.toMatchObject(isGone);
      await expect(store.roots.listCurrent()).rejects.toMatchObject(isGone);
      const { reason = '' } = await store.probe();
      expect(reason).toContain('stop this process');
      rmSync(path, { force: true });
      renameSync(`${path}.away`, path);
      expect(await store.probe()).toMatchObject({ isReachable: false, isWritable: false, reason });
      await expect(store.nullifiers.record(nullifierEntry())).rejects.toMatchObject(isGone);
      await store.close();
      const reopened = await open();
      expect(await reopened.nullifiers.record(nullifierEntry())).toMatchObject({ isNew: true });
    });

    it.each(['-wal', '-shm'])(
      'takes no more writes once its %s is removed, and keeps what it acknowledged',
      async (suffix) => {
        const store = await openMigrated();
        const entry = nullifierEntry();
        await store.nullifiers.record(entry);
        rmSync(`${path}${suffix}`);
        await expect(store.nullifiers.record(nullifierEntry({ createdAt: 2 }))).rejects.toMatchObject(isGone);
        expect(await store.probe()).toMatchObject({ isReachable: false, isWritable: false });
        await store.close();
        const reopened = await open();
        expect(await reopened.nullifiers.record(entry)).toMatchObject({ isNew: false });
      },
    );

    it('is noticed in a probe', async () => {
      const store = await openMigrated();
      renameSync(path, `${path}.away`);
      expect(await store.probe()).toMatchObject({ isReachable: false, isWritable: false });
      // A read before it succeeded, and none after it makes the store readable again.
      await expect(store.roots.listCurrent()).rejects.toMatchObject(isGone);
      expect(store.health()).toMatchObject({ isReachable: false, isWritable: false });
    });
  });

  it('does not keep a process alive that forgets to close', async () => {
    const child = startChild('no-close-process.ts', [url]);
    expect(await child.exited).toBe(0);
    expect(child.lines).toEqual(['true']);
  });

  it('keeps the exit code of a process that exits while its thread works', async () => {
    const child = startChild('exit-process.ts', [join(tempFolder(), 'exit.db')]);
    expect(await child.exited).toBe(7);
  });
});
