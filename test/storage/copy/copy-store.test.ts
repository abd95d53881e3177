// Rules: spec/operations.md#store-copies
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimCopy } from '../../../src/storage/copy/copy-marks.ts';
import { copyStore, reopenStore, type StoreCopyOptions } from '../../../src/storage/copy/copy-store.ts';
import {
  type Driver,
  pointOf,
  type SqlRow,
  type Statement,
  type TableShape,
} from '../../../src/storage/drivers/driver.ts';
import { acquireServeLock } from '../../../src/storage/files/serve-lock.ts';
import { openDriver, openStore } from '../../../src/storage/open-store.ts';
import { storeOver } from '../../../src/storage/store.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { makeMigratedStore } from '../../support/server/migrated-store.ts';
import { wholeFile } from '../../support/server/used-folder.ts';
import { contentOf, copiedTables, fillEveryTable, tablesOfEachKey } from '../support/every-table.ts';
import { GROUP_SETTINGS } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const SETTINGS = { ...GROUP_SETTINGS, poolSize: 3, timeoutMs: 20_000 };
const NOW = 1_700_000_000_000;
/** One page and the begin of another, in a table for each kind of key. */
const ROWS = 66;
/** In the other tables. */
const FEW_ROWS = 10;

/** A store that is open besides the copy. */
interface OpenedStore {
  readonly url: string;
  readonly driver: Driver;
}

const opened: Driver[] = [];
let folder: string;
let templates: string;
let server: PostgresServer | undefined;

beforeAll(async () => {
  templates = mkdtempSync(join(tmpdir(), 'proofgate-copy-'));
  if (POSTGRES_BIN !== undefined) server = await PostgresServer.create({ fsync: 'off' });
});

afterAll(async () => {
  await server?.remove();
  rmSync(templates, { recursive: true });
});

const tempFolder = useTempFolders();

beforeEach(() => {
  folder = tempFolder();
});

afterEach(async () => {
  for (const driver of opened.splice(0)) await driver.close();
});

/** Opens a store; a new one has all migrations. */
async function open(url: string): Promise<OpenedStore> {
  const path = url.replace('libsql:', '');
  if (path !== url && !existsSync(path)) await makeMigratedStore(path);
  const driver = await openDriver({ ...SETTINGS, url }, { writesInline: true });
  opened.push(driver);
  return { url, driver };
}

const fileUrl = (name: string): string => `libsql:${join(folder, name)}`;

/** Makes a database, by default an empty one whose order of texts differs from that of their bytes. */
async function serverUrl(
  how = "template template0 locale_provider icu icu_locale 'en-US' locale 'C'",
): Promise<string> {
  return server?.url(await server.createDatabase(how)) ?? '';
}

let filledPath: Promise<string> | undefined;
let filledDatabase: Promise<string> | undefined;

/** Makes a store in a file with rows in every table: a copy of one made once. */
async function filledFile(): Promise<string> {
  filledPath ??= makeFilledFile();
  const url = fileUrl('one.db');
  copyFileSync(await filledPath, url.replace('libsql:', ''));
  return url;
}

async function makeFilledFile(): Promise<string> {
  const path = join(templates, 'filled.db');
  await makeMigratedStore(path);
  await fill(`libsql:${path}`);
  await wholeFile(path);
  return path;
}

/** Makes a store in PostgreSQL with rows in every table: a copy of one made once. */
async function filledUrl(): Promise<string> {
  filledDatabase ??= serverUrl().then(async (url) => {
    await fill(url);
    return new URL(url).pathname.slice(1);
  });
  return serverUrl(`template ${await filledDatabase}`);
}

async function fill(url: string): Promise<void> {
  const driver = await openDriver({ ...SETTINGS, url }, { writesInline: true });
  await storeOver(driver, GROUP_SETTINGS).migrate();
  await fillEveryTable(driver, rowsIn(await copiedTables(driver)));
  await driver.close();
}

/** Returns how many rows a table gets. */
function rowsIn(tables: readonly TableShape[]): (table: string) => number {
  const larger = tablesOfEachKey(tables);
  return (table) => (larger.has(table) ? ROWS : FEW_ROWS);
}

function copy(
  from: string,
  to: string,
  change: Partial<StoreCopyOptions> = {},
): ReturnType<typeof copyStore> {
  return copyStore({
    from,
    to,
    settings: SETTINGS,
    isAhead: false,
    keepsSource: false,
    now: () => NOW,
    ...change,
  });
}

async function stateOf(url: string): Promise<string> {
  const store = await openStore({ ...SETTINGS, url }, { writesInline: true });
  try {
    await store.migrationStatus();
    return 'in service';
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await store.close();
  }
}

/** Changes a row of each table that has a text outside its key, removes one and adds ten. */
async function changeRows(driver: Driver, tables: readonly TableShape[]): Promise<void> {
  for (const { name, columns, key } of tables) {
    const where = key.map((column, index) => `${column} = $${index + 1}`).join(' and ');
    const keyAt = async (offset: number): Promise<SqlRow> => {
      const sql = `select ${key.join(',')} from ${name} order by ${key.join(',')} limit 1 offset ${offset}`;
      return (await driver.read(pointOf(sql)))[0] ?? [];
    };
    const [one, other] = [await keyAt(0), await keyAt(5)];
    const others = columns.filter((column) => !key.includes(column));
    const [row = []] = await driver.read(pointOf(`select * from ${name} where ${where}`, one));
    const text = others.find((column) => typeof row[columns.indexOf(column)] === 'string');
    const changes: Statement[] = [{ sql: `delete from ${name} where ${where}`, params: other }];
    if (text !== undefined) {
      changes.push({ sql: `update ${name} set ${text} = ${text} || 'x' where ${where}`, params: one });
    }
    await driver.write(changes);
  }
  await fillEveryTable(driver, () => 10, ROWS);
}

const toFile = (): string => fileUrl('two.db');
const DIRECTIONS = [
  { name: 'a file to another', needsServer: false, from: filledFile, to: toFile },
  { name: 'a file to PostgreSQL', needsServer: true, from: filledFile, to: () => serverUrl() },
  { name: 'PostgreSQL to a file', needsServer: true, from: filledUrl, to: toFile },
];

for (const direction of DIRECTIONS) {
  const skip = direction.needsServer ? POSTGRES_SKIP : '';
  describe.skipIf(skip !== '')(`a copy from ${direction.name}${skip}`, () => {
    let source: OpenedStore;
    let to: string;
    let tables: TableShape[];
    let rowsOf: (table: string) => number;
    let allRows: number;

    beforeEach(async () => {
      source = await open(await direction.from());
      to = await direction.to();
      tables = await copiedTables(source.driver);
      rowsOf = rowsIn(tables);
      allRows = tables.reduce((sum, { name }) => sum + rowsOf(name), 0);
    });

    it('has every row of every table, is the only one that can be served afterwards, and goes back', async () => {
      const report = await copy(source.url, to);
      expect(report.tables.map(({ table, rows, added, removed }) => [table, rows, added, removed])).toEqual(
        tables.map(({ name }) => [name, rowsOf(name), rowsOf(name), 0]),
      );
      const target = await open(to);
      expect(await contentOf(target.driver, tables)).toEqual(await contentOf(source.driver, tables));
      expect([await stateOf(source.url), await stateOf(to)]).toEqual(['store.moved', 'in service']);
      await changeRows(target.driver, tables);
      await copy(to, source.url);
      expect(await contentOf(source.driver, tables)).toEqual(await contentOf(target.driver, tables));
      expect([await stateOf(source.url), await stateOf(to)]).toEqual(['in service', 'store.moved']);
    });

    it('made ahead takes over later what has changed, and is not served before', async () => {
      await copy(source.url, to, { isAhead: true });
      expect([await stateOf(source.url), await stateOf(to)]).toEqual(['in service', 'store.copy_unfinished']);
      await changeRows(source.driver, tables);
      const report = await copy(source.url, to);
      const target = await open(to);
      expect(await contentOf(target.driver, tables)).toEqual(await contentOf(source.driver, tables));
      for (const { added, removed } of report.tables) {
        expect(added - removed).toBe(9);
        expect(added).toBeLessThan(13);
      }
      expect(await stateOf(to)).toBe('in service');
    });

    it('continues after an interruption, and neither store is served before its end', async () => {
      const abort = new AbortController();
      const interrupted = copy(source.url, to, {
        signal: abort.signal,
        onProgress: (rows) => {
          if (rows > allRows) abort.abort();
        },
      });
      await expect(interrupted).rejects.toMatchObject({ code: 'copy.interrupted' });
      expect([await stateOf(source.url), await stateOf(to)]).toEqual([
        'store.moved',
        'store.copy_unfinished',
      ]);
      const { tables: copied } = await copy(source.url, to);
      const added = copied.reduce((sum, table) => sum + table.added, 0);
      expect(added).toBeGreaterThan(0);
      expect(added).toBeLessThan(allRows);
      const target = await open(to);
      expect(await contentOf(target.driver, tables)).toEqual(await contentOf(source.driver, tables));
    });
  });
}

describe('copyStore', () => {
  const setUp = async (): Promise<{ source: OpenedStore; target: OpenedStore; tables: TableShape[] }> => {
    const source = await open(await filledFile());
    return { source, target: await open(fileUrl('two.db')), tables: await copiedTables(source.driver) };
  };

  it('refuses a target with rows of its own, and leaves it as it is', async () => {
    const { source, target, tables } = await setUp();
    await fillEveryTable(target.driver, () => 1);
    const before = await contentOf(target.driver, tables);
    for (const isAhead of [true, false]) {
      await expect(copy(source.url, target.url, { isAhead })).rejects.toMatchObject({
        code: 'copy.target_in_service',
      });
    }
    expect(await contentOf(target.driver, tables)).toEqual(before);
    expect([await stateOf(source.url), await stateOf(target.url)]).toEqual(['in service', 'in service']);
  });

  it('refuses to run again once it has finished, since the target may have been served', async () => {
    const { source, target } = await setUp();
    await copy(source.url, target.url);
    await expect(copy(source.url, target.url)).rejects.toMatchObject({ code: 'store.moved' });
    await expect(copy(source.url, fileUrl('three.db'))).rejects.toMatchObject({ code: 'store.moved' });
  });

  it('refuses an unfinished copy as a source', async () => {
    const { source, target } = await setUp();
    await copy(source.url, target.url, { isAhead: true });
    await expect(copy(target.url, fileUrl('three.db'))).rejects.toMatchObject({
      code: 'store.copy_unfinished',
    });
  });

  it('leaves the source in service if it is to be kept', async () => {
    const { source, target } = await setUp();
    await copy(source.url, target.url, { keepsSource: true });
    expect([await stateOf(source.url), await stateOf(target.url)]).toEqual(['in service', 'in service']);
  });

  it('copies from a store that a server uses only ahead, and never to one', async () => {
    const { source, target } = await setUp();
    const lock = await acquireServeLock(join(folder, 'data'), { storageUrl: source.url });
    await expect(copy(source.url, target.url)).rejects.toMatchObject({ code: 'server.locked' });
    await copy(source.url, target.url, { isAhead: true });
    await lock.release();
    const other = await acquireServeLock(join(folder, 'data'), { storageUrl: target.url });
    await expect(copy(source.url, target.url, { isAhead: true })).rejects.toMatchObject({
      code: 'server.locked',
    });
    await other.release();
  });

  it('refuses stores from which nodes serve', async () => {
    const { source, target } = await setUp();
    const node = {
      nodeId: 'node-a',
      version: '1',
      keyIds: [],
      startedAt: NOW,
      seenAt: NOW - 20_000,
      state: null,
    };
    await storeOver(source.driver, GROUP_SETTINGS).nodes.report(node);
    await expect(copy(source.url, target.url)).rejects.toMatchObject({ code: 'store.in_use' });
    await copy(source.url, target.url, { isAhead: true });
    await copy(source.url, target.url, { now: () => NOW + 20_000 });
  });

  it('puts the source back into service if a node has begun to serve from it meanwhile', async () => {
    const { source, target } = await setUp();
    let checks = 0;
    const node = { nodeId: 'node-a', version: '1', keyIds: [], startedAt: NOW, seenAt: NOW, state: null };
    const copied = copy(source.url, target.url, {
      // The clock is read for the checks of both stores, for the marks of the target and of the source.
      now: () => {
        checks += 1;
        if (checks === 4) void storeOver(source.driver, GROUP_SETTINGS).nodes.report(node);
        return NOW;
      },
    });
    await expect(copied).rejects.toMatchObject({ code: 'store.in_use' });
    expect([await stateOf(source.url), await stateOf(target.url)]).toEqual([
      'in service',
      'store.copy_unfinished',
    ]);
  });

  it('takes over a unique value that has moved to a row before its former one', async () => {
    const { source, target, tables } = await setUp();
    const put = (first: number, status: string): Statement => ({
      sql: "insert into signup values ($1, 'same', 'orb', 1, $2, 1)",
      params: [Uint8Array.of(first), status],
    });
    await source.driver.write([put(255, 'active')]);
    await copy(source.url, target.url, { isAhead: true });
    await source.driver.write([
      { sql: "update signup set status = 'revoked' where signup_id = 'same'", params: [] },
      put(0, 'active'),
    ]);
    const { tables: copied } = await copy(source.url, target.url);
    expect(copied.find(({ table }) => table === 'signup')).toMatchObject({ removed: 1 });
    expect(await contentOf(target.driver, tables)).toEqual(await contentOf(source.driver, tables));
  });

  it('notices a row that another process removes from the target', async () => {
    const { source, target } = await setUp();
    let isRemoved = false;
    const copied = copy(source.url, target.url, {
      onProgress: () => {
        if (isRemoved) return;
        void target.driver
          .write([{ sql: 'delete from actions returning 1', params: [], isGuard: true }])
          .then(({ ok }) => {
            isRemoved ||= ok;
          });
      },
    });
    await expect(copied).rejects.toMatchObject({ code: 'copy.differs' });
    expect(await stateOf(target.url)).toBe('store.copy_unfinished');
  });

  it('stops a process once another one has taken the copy over or finished it', async () => {
    const { source, target } = await setUp();
    const first = await claimCopy(source.driver, target.driver, true, NOW);
    await copy(source.url, target.url, { isAhead: true });
    expect(await target.driver.write([first.guard])).toMatchObject({ ok: false });
    await expect(first.finish(false)).rejects.toMatchObject({ code: 'copy.taken_over' });
    const second = await claimCopy(source.driver, target.driver, false, NOW);
    expect(await target.driver.write([second.guard])).toMatchObject({ ok: true });
    await second.finish(false);
    expect(await target.driver.write([second.guard])).toMatchObject({ ok: false });
  });

  it('needs a migrated source, and two stores', async () => {
    const { source, target } = await setUp();
    await expect(copy(fileUrl('none.db'), target.url)).rejects.toMatchObject({ code: 'store.absent' });
    await expect(copy(source.url, source.url, { isAhead: true })).rejects.toMatchObject({
      code: 'cli.usage',
    });
    await source.driver.write([{ sql: 'delete from schema_migrations where version = 20', params: [] }]);
    await expect(copy(source.url, target.url)).rejects.toMatchObject({ code: 'store.migrations_pending' });
  });

  it('leaves out what describes the store and its processes, and nothing else', async () => {
    const { source } = await setUp();
    const all = (await source.driver.tables()).map(({ name }) => name);
    const copied = (await copiedTables(source.driver)).map(({ name }) => name);
    expect(all.filter((name) => !copied.includes(name))).toEqual([
      'backups',
      'nodes',
      'schema_migrations',
      'schema_requirements',
      'store_copies',
      'store_marks',
    ]);
    expect(copied.length).toBeGreaterThan(25);
  });
});

describe('reopenStore', () => {
  it('puts a store that was moved back into service', async () => {
    const source = await open(fileUrl('one.db'));
    await copy(source.url, fileUrl('two.db'));
    const settings = { ...SETTINGS, url: source.url };
    expect([await reopenStore(settings), await reopenStore(settings)]).toEqual([true, false]);
    expect(await stateOf(source.url)).toBe('in service');
  });
});
