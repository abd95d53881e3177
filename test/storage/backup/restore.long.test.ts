// Rules: spec/operations.md#backup-and-restore
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUpStore } from '../../../src/storage/backup/back-up.ts';
import {
  type Replacement,
  type RestoreOptions,
  type RestoreReport,
  restoreStore,
} from '../../../src/storage/backup/restore.ts';
import { acquireServeLock } from '../../../src/storage/files/serve-lock.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import { corruptFile, inspectDatabase, makeStore, runSql } from '../support/database-files.ts';
import { startChild } from '../support/processes/child.ts';
import { GROUP_SETTINGS } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const NOW = Date.UTC(2026, 5, 1, 12, 30, 15);

interface World {
  readonly dataDir: string;
  readonly path: string;
  /** Path of the backup. */
  readonly file: string;
  /** Nullifiers of the store; below, those of the backup. */
  readonly present: Set<string>;
  readonly backup: Set<string>;
  /** Replacements that were presented for confirmation. */
  readonly asked: Replacement[];
  restore(options?: Partial<RestoreOptions>): Promise<RestoreReport>;
}

describe('a restore', () => {
  const tempFolder = useTempFolders();

  /** Makes a store, and a backup with other nullifiers. */
  async function world(): Promise<World> {
    const folder = tempFolder();
    const dataDir = join(folder, 'data');
    const path = join(dataDir, 'proofgate.db');
    const file = join(folder, 'backup.db');
    const backup = new Set(await makeStore(path, 300));
    await backUpStore({ storageUrl: `libsql:${path}`, file, overwrites: false });
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    const present = new Set(await makeStore(path, 200));
    const asked: Replacement[] = [];
    const restore: World['restore'] = (options) =>
      restoreStore({
        dataDir,
        storageUrl: `libsql:${path}`,
        file,
        confirm: async (replacement) => {
          asked.push(replacement);
        },
        now: NOW,
        ...options,
      });
    return { dataDir, path, file, present, backup, asked, restore };
  }

  const aside = (path: string): string => `${path}.replaced-2026-06-01T123015Z`;

  it('replaces the store, keeps the former one under another name, and reports both', async () => {
    const { dataDir, path, file, present, backup, asked, restore } = await world();
    const report = await restore();
    expect(report).toMatchObject({ path, replaced: aside(path), pending: [], rows: { nullifiers: 300 } });
    expect(report.sha256).toBe(createHash('sha256').update(readFileSync(file)).digest('hex'));
    expect(asked).toMatchObject([{ path, present: { nullifiers: 200 }, backup: { nullifiers: 300 } }]);
    expect(inspectDatabase(path)).toEqual({ integrity: 'ok', nullifiers: backup });
    expect(inspectDatabase(aside(path))).toEqual({ integrity: 'ok', nullifiers: present });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const names = [
      'proofgate.db',
      'proofgate.db-lock',
      'proofgate.db.replaced-2026-06-01T123015Z',
      'serve.lock',
    ];
    expect(readdirSync(dataDir).sort()).toEqual(names);
    await restore();
    expect(existsSync(`${aside(path)}-2`)).toBe(true);
    const store = await openStore({ url: `libsql:${path}`, ...GROUP_SETTINGS });
    expect((await store.migrationStatus()).pending).toEqual([]);
    await store.close();
  });

  it('makes a store without confirmation when there is none, and moves a left-over log aside', async () => {
    const { dataDir, path, backup, asked, restore } = await world();
    rmSync(path);
    writeFileSync(`${path}-wal`, 'the log of a database that is gone');
    writeFileSync(`${path}-shm`, 'its index');
    expect(await restore()).toMatchObject({ replaced: undefined });
    expect(asked).toEqual([]);
    expect(inspectDatabase(path)).toEqual({ integrity: 'ok', nullifiers: backup });
    expect(readFileSync(`${aside(path)}-wal`, 'utf8')).toContain('gone');
    expect(existsSync(`${path}-wal`) || existsSync(`${path}-shm`)).toBe(false);
    rmSync(dataDir, { recursive: true });
    await restore();
    expect(inspectDatabase(path).nullifiers).toEqual(backup);
  });

  it('leaves the store unchanged when it is not confirmed, is interrupted, or has no backup to restore', async () => {
    const { dataDir, path, file, present, restore } = await world();
    const refusal = new Error('no');
    await expect(restore({ confirm: () => Promise.reject(refusal) })).rejects.toMatchObject({
      message: expect.stringContaining('no'),
    });
    const abort = new AbortController();
    const ended = restore({ signal: abort.signal, onProgress: () => abort.abort() });
    await expect(ended).rejects.toMatchObject({ code: 'backup.interrupted' });
    await expect(restore({ file: `${file}x` })).rejects.toMatchObject({ code: 'backup.damaged' });
    await expect(restore({ file: dataDir })).rejects.toMatchObject({ code: 'backup.damaged' });
    await expect(restore({ file: path })).rejects.toMatchObject({ code: 'cli.usage' });
    expect(inspectDatabase(path)).toEqual({ integrity: 'ok', nullifiers: present });
    expect(readdirSync(dataDir).sort()).toEqual(['proofgate.db', 'proofgate.db-lock', 'serve.lock']);
  });

  it.each<[what: string, spoil: (file: string) => void]>([
    ['is cut at a page', (file) => truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096)],
    ['is cut within a page', (file) => truncateSync(file, statSync(file).size - 100)],
    ['has wrong bytes', (file) => corruptFile(file)],
    ['is empty', (file) => truncateSync(file, 0)],
    ['is a text file', (file) => writeFileSync(file, 'SQLite format 3, or so\n'.repeat(500))],
    ['lacks its log', (file) => appendFileSync(`${file}-wal`, 'commits that are not in the file')],
    [
      'lacks an index entry',
      (file) =>
        runSql(
          file,
          "pragma writable_schema = on; delete from sqlite_schema where name = (select name from sqlite_schema where type = 'index' limit 1)",
        ),
    ],
    [
      'is of another program',
      (file) => {
        rmSync(file);
        runSql(file, 'create table theirs (x text)');
      },
    ],
  ])('refuses a file that %s, and leaves the store unchanged', async (_what, spoil) => {
    const { dataDir, path, file, present, asked, restore } = await world();
    spoil(file);
    await expect(restore()).rejects.toMatchObject({ code: 'backup.damaged' });
    expect(asked).toEqual([]);
    expect(inspectDatabase(path)).toEqual({ integrity: 'ok', nullifiers: present });
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    await expect(restore()).rejects.toMatchObject({ code: 'backup.damaged' });
    expect(readdirSync(dataDir).sort()).toEqual(['proofgate.db-lock', 'serve.lock']);
  });

  it('refuses the backup of a newer program, and accepts that of an older one', async () => {
    const { path, file, present, backup, restore } = await world();
    const newer = `${file}.newer`;
    copyFileSync(file, newer);
    runSql(newer, "insert into schema_migrations values (9999, 'later', 'x', 'x', 1, 1)");
    await expect(restore({ file: newer })).rejects.toMatchObject({ code: 'store.newer' });
    const changed = `${file}.changed`;
    copyFileSync(file, changed);
    runSql(changed, "update schema_migrations set checksum = 'other' where version = 1");
    await expect(restore({ file: changed })).rejects.toMatchObject({ code: 'store.newer' });
    expect(inspectDatabase(path).nullifiers).toEqual(present);
    runSql(
      file,
      'delete from schema_migrations where version = (select max(version) from schema_migrations)',
    );
    expect((await restore()).pending).toHaveLength(1);
    expect(inspectDatabase(path).nullifiers).toEqual(backup);
  });

  it('refuses a store in use by a server or opened by any other process', async () => {
    const { dataDir, path, present, restore } = await world();
    const lock = await acquireServeLock(join(dataDir, 'other'), { storageUrl: `libsql:${path}` });
    await expect(restore()).rejects.toMatchObject({ code: 'server.locked' });
    await lock.release();
    const writer = startChild('endless-process.ts', [`libsql:${path}`]);
    await writer.waitForLines(5);
    await expect(restore()).rejects.toMatchObject({
      code: 'store.in_use',
      message: expect.stringMatching(/proofgate\.db: \S+ \(process \d+\) has it open$/),
    });
    writer.kill();
    await writer.exited;
    // A plain reader, without a database connection.
    const reader = spawn('tail', ['-f', path]);
    await once(reader.stdout, 'data');
    await expect(restore()).rejects.toMatchObject({ code: 'store.in_use' });
    reader.kill();
    await once(reader, 'exit');
    expect(inspectDatabase(path).integrity).toBe('ok');
    expect([...present].every((nullifier) => inspectDatabase(path).nullifiers.has(nullifier))).toBe(true);
    await restore();
  });

  it('keeps the commits that a killed process left in the log with the replaced file', async () => {
    const { path, backup, restore } = await world();
    const child = startChild('endless-process.ts', [`libsql:${path}`]);
    await child.waitForLines(100);
    child.kill();
    await child.exited;
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await restore();
    expect(inspectDatabase(path)).toEqual({ integrity: 'ok', nullifiers: backup });
    const { integrity, nullifiers } = inspectDatabase(aside(path));
    expect(integrity).toBe('ok');
    const acknowledged = child.lines.map((line) => line.split(' ')[0] ?? '');
    expect(acknowledged.filter((nullifier) => !nullifiers.has(nullifier))).toEqual([]);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('replaces a store that cannot be read, and keeps all its files', async () => {
    const { path, backup, asked, restore } = await world();
    writeFileSync(path, 'no database any more'.repeat(1000));
    writeFileSync(`${path}-wal`, 'its log');
    await restore();
    expect(asked).toMatchObject([{ present: undefined }]);
    expect(inspectDatabase(path)).toEqual({ integrity: 'ok', nullifiers: backup });
    expect(readFileSync(aside(path), 'utf8')).toContain('no database any more');
    expect(readFileSync(`${aside(path)}-wal`, 'utf8')).toBe('its log');
  });

  it('replaces the target of a link, and leaves the link', async () => {
    const { dataDir, path, backup, restore } = await world();
    const link = join(dataDir, 'link.db');
    symlinkSync(path, link);
    expect(await restore({ storageUrl: `libsql:${link}` })).toMatchObject({ path, replaced: aside(path) });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(inspectDatabase(link).nullifiers).toEqual(backup);
  });

  it('leaves a dangling link unchanged when it fails', async () => {
    const { dataDir, file, restore } = await world();
    const target = join(dataDir, 'later.db');
    const link = join(dataDir, 'link.db');
    symlinkSync(target, link);
    corruptFile(file);
    await expect(restore({ storageUrl: `libsql:${link}` })).rejects.toMatchObject({ code: 'backup.damaged' });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(existsSync(target)).toBe(false);
  });

  it('accepts a file in WAL mode without a log, such as a plain copy of a closed store', async () => {
    const { path, file, backup, restore } = await world();
    runSql(file, 'pragma journal_mode = wal');
    rmSync(`${file}-wal`, { force: true });
    rmSync(`${file}-shm`, { force: true });
    await restore();
    expect(inspectDatabase(path).nullifiers).toEqual(backup);
  });
});
