// Rules: spec/operations.md#backup-and-restore
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { backUpStore } from '../../../src/storage/backup/back-up.ts';
import { holdExclusively } from '../../../src/storage/backup/exclusive-hold.ts';
import { restoreStore } from '../../../src/storage/backup/restore.ts';
import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';
import { inspectDatabase, makeStore, runSql } from '../support/database-files.ts';
import { useTempFolders } from '../support/temp-folder.ts';

/** Opens a database in another process, reads a row, and prints the outcome. */
const READER = `
  import Database from 'libsql';
  try {
    const database = new Database(process.argv[1]);
    database.exec('pragma busy_timeout = 0');
    console.log(database.prepare('select count(*) from nullifiers').raw().get()[0]);
  } catch (error) {
    console.log(error.message);
  }`;

const readElsewhere = (path: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', READER, '--', path], {
    encoding: 'utf8',
  }).trim();

describe('a store that is being replaced', () => {
  const tempFolder = useTempFolders();
  const open: LibsqlConnection[] = [];

  afterEach(() => {
    vi.restoreAllMocks();
    for (const connection of open.splice(0)) connection.close();
  });

  async function store(): Promise<string> {
    const path = join(tempFolder(), 'proofgate.db');
    await makeStore(path, 3);
    return path;
  }

  it('is locked for other processes while the replacement is confirmed', async () => {
    const folder = tempFolder();
    const [path, file] = [join(folder, 'data', 'proofgate.db'), join(folder, 'backup.db')];
    const storageUrl = `libsql:${path}`;
    const other = join(folder, 'other.db');
    const known = await makeStore(other, 2);
    await backUpStore({ storageUrl: `libsql:${other}`, file, overwrites: false });
    await makeStore(path, 3);
    expect(readElsewhere(path)).toBe('3');
    const seen: string[] = [];
    const confirm = async (): Promise<void> => {
      seen.push(readElsewhere(path));
    };
    await restoreStore({ dataDir: join(folder, 'data'), storageUrl, file, confirm, now: 0 });
    expect(seen).toEqual(['database is locked']);
    expect(readElsewhere(path)).toBe('2');
    expect(inspectDatabase(path)).toEqual({ integrity: 'ok', nullifiers: new Set(known) });
  });

  it('is free again after the release', async () => {
    const path = await store();
    const { rows, release } = holdExclusively(path);
    const seen = readElsewhere(path);
    release();
    expect(rows).toMatchObject({ nullifiers: 3 });
    expect(seen).toBe('database is locked');
    expect(readElsewhere(path)).toBe('3');
  });

  // Processes of other containers are not listed in /proc; a connection of this process is not listed either.
  it('is not replaced while a holder that is not visible reads it', async () => {
    const path = await store();
    runSql(path, 'pragma journal_mode = wal');
    const holder = new LibsqlConnection(path, 0);
    open.push(holder);
    holder.execute('begin');
    holder.all({ sql: 'select count(*) from nullifiers', params: [] });
    expect(() => holdExclusively(path)).toThrow(
      expect.objectContaining({
        code: 'store.in_use',
        message: expect.stringContaining('another process has it open'),
      }),
    );
    expect(holder.all({ sql: 'select count(*) from nullifiers', params: [] })).toEqual([[3]]);
  });

  it('is not replaced when another process turns the log on again before the lock', async () => {
    const path = await store();
    const execute = LibsqlConnection.prototype.execute;
    vi.spyOn(LibsqlConnection.prototype, 'execute').mockImplementation(function (
      this: LibsqlConnection,
      sql: string,
    ) {
      for (const part of sql.split('; ')) {
        if (part === 'begin exclusive') {
          const other = new LibsqlConnection(path, 0);
          open.push(other);
          execute.call(other, 'pragma journal_mode = wal');
        }
        execute.call(this, part);
      }
    });
    expect(() => holdExclusively(path)).toThrow(
      expect.objectContaining({
        code: 'store.in_use',
        message: expect.stringContaining('another process opened it just now'),
      }),
    );
  });
});
