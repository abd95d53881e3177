// Rules: spec/operations.md#backup-and-restore
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BackupOptions, type BackupReport, backUpStore } from '../../../src/storage/backup/back-up.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import { corruptFile, inspectDatabase, makeStore, runSql } from '../support/database-files.ts';
import { startChild } from '../support/processes/child.ts';
import { GROUP_SETTINGS, nullifierEntry } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

describe('a backup', () => {
  const tempFolder = useTempFolders();

  /** Makes a folder with a store, and a function that backs it up into another folder. */
  async function world(nullifiers = 100) {
    const folder = tempFolder();
    const path = join(folder, 'data', 'proofgate.db');
    const target = join(folder, 'copies');
    mkdirSync(target);
    const known = await makeStore(path, nullifiers);
    const backUp = (name: string, options: Partial<BackupOptions> = {}): Promise<BackupReport> =>
      backUpStore({ storageUrl: `libsql:${path}`, file: join(target, name), overwrites: false, ...options });
    return { folder, path, target, known, backUp };
  }

  it('is one file of mode 0600 with all rows, whatever the umask of the process', async () => {
    const { target, known, backUp } = await world();
    const mask = process.umask(0);
    const report = await backUp('one.db').finally(() => process.umask(mask));
    expect(report).toMatchObject({ file: join(target, 'one.db'), rows: { nullifiers: 100, apps: 0 } });
    expect(report.migrations.at(0)).toBe('apps');
    expect(report.bytes).toBe(statSync(report.file).size);
    expect(report.sha256).toBe(createHash('sha256').update(readFileSync(report.file)).digest('hex'));
    expect(statSync(report.file).mode & 0o777).toBe(0o600);
    expect(inspectDatabase(report.file)).toEqual({ integrity: 'ok', nullifiers: new Set(known) });
    // Neither the check nor `inspectDatabase` left other files next to it.
    expect(readdirSync(target)).toEqual(['one.db']);
  });

  it('has the state at its start, although rows are added while pages are copied', async () => {
    const { path, known, backUp } = await world(4000);
    const store = await openStore({ url: `libsql:${path}`, ...GROUP_SETTINGS });
    const added: Promise<unknown>[] = [];
    const add = (): void => {
      for (let count = 0; count < 50; count++) added.push(store.nullifiers.record(nullifierEntry()));
    };
    const { rows, file } = await backUp('one.db', { onProgress: add });
    await Promise.all(added);
    await store.close();
    expect(added.length).toBeGreaterThan(50);
    expect(rows.nullifiers).toBe(known.length);
    expect(inspectDatabase(file).nullifiers).toEqual(new Set(known));
    expect(inspectDatabase(path).nullifiers.size).toBe(known.length + added.length);
  });

  it('contains commits that are only in the write-ahead log of a killed process', async () => {
    const { path, known, backUp } = await world(10);
    const child = startChild('endless-process.ts', [`libsql:${path}`]);
    await child.waitForLines(200);
    child.kill();
    await child.exited;
    const acknowledged = child.lines.map((line) => line.split(' ')[0] ?? '');
    const { file } = await backUp('one.db');
    const { integrity, nullifiers } = inspectDatabase(file);
    expect(integrity).toBe('ok');
    expect([...known, ...acknowledged].filter((nullifier) => !nullifiers.has(nullifier))).toEqual([]);
  });

  it('overwrites existing files and links only when it is allowed to, and then removes a foreign log', async () => {
    const { target, backUp } = await world();
    const { file } = await backUp('one.db');
    const before = readFileSync(file);
    await expect(backUp('one.db')).rejects.toMatchObject({ code: 'backup.exists' });
    expect(readFileSync(file).equals(before)).toBe(true);
    writeFileSync(join(target, 'two.db-wal'), 'the log of another');
    await expect(backUp('two.db')).rejects.toMatchObject({ code: 'backup.exists' });
    symlinkSync(join(target, 'nowhere'), join(target, 'three.db'));
    await expect(backUp('three.db')).rejects.toMatchObject({ code: 'backup.exists' });
    for (const name of ['one.db', 'two.db', 'three.db']) await backUp(name, { overwrites: true });
    expect(readdirSync(target)).toEqual(['one.db', 'three.db', 'two.db']);
    expect(inspectDatabase(join(target, 'three.db')).integrity).toBe('ok');
  });

  it('is refused when its target is a file of the store itself', async () => {
    const { folder, path, target, backUp } = await world();
    const other = join(target, 'hard-link.db');
    linkSync(path, other);
    symlinkSync(join(folder, 'data'), join(folder, 'link'));
    for (const file of [
      path,
      `${path}-wal`,
      `${path}-shm`,
      `${path}-lock`,
      join(folder, 'link', 'proofgate.db'),
      other,
      target,
    ]) {
      const refused = backUp('', { file, overwrites: true });
      await expect(refused, file).rejects.toMatchObject({ code: 'cli.usage' });
    }
    expect(inspectDatabase(path).integrity).toBe('ok');
  });

  it('is refused when it cannot be written, or when there is no store', async () => {
    const { folder, target, backUp } = await world();
    await expect(backUp('none/one.db')).rejects.toMatchObject({ code: 'backup.not_written' });
    const storageUrl = `libsql:${folder}/none.db`;
    await expect(backUp('one.db', { storageUrl })).rejects.toMatchObject({ code: 'store.absent' });
    writeFileSync(join(folder, 'none.db'), '');
    await expect(backUp('one.db', { storageUrl })).rejects.toMatchObject({ code: 'store.absent' });
    expect(readdirSync(target)).toEqual([]);
  });

  it('leaves no files when it is interrupted', async () => {
    const { target, backUp } = await world();
    const abort = new AbortController();
    const refused = backUp('one.db', { signal: abort.signal, onProgress: () => abort.abort() });
    await expect(refused).rejects.toMatchObject({ code: 'backup.interrupted' });
    const late = new AbortController();
    const checked = backUp('one.db', { signal: late.signal, onCheck: () => late.abort() });
    await expect(checked).rejects.toMatchObject({ code: 'backup.interrupted' });
    expect(readdirSync(target)).toEqual([]);
  });

  it('leaves no file when the store is damaged', async () => {
    const { path, target, backUp } = await world(2000);
    corruptFile(path);
    await expect(backUp('one.db')).rejects.toMatchObject({
      code: expect.stringMatching(/^(backup\.damaged|store\.unreachable)$/),
    });
    expect(readdirSync(target)).toEqual([]);
  });

  it('is refused for the store of a newer program', async () => {
    const { path, target, backUp } = await world();
    runSql(path, "insert into schema_migrations values (9999, 'later', 'x', 'x', 1, 1)");
    await expect(backUp('one.db')).rejects.toMatchObject({ code: 'store.newer' });
    expect(readdirSync(target)).toEqual([]);
  });

  it('removes only the files that killed backups of the same name left', async () => {
    const { target, backUp } = await world();
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(join(target, `one.db.backup-${dead}`), 'x');
    const others = [`one.db.backup-${process.ppid}`, 'one.db.backup-x', `two.db.backup-${dead}`];
    for (const name of others) writeFileSync(join(target, name), 'x');
    await backUp('one.db');
    expect(readdirSync(target).sort()).toEqual(['one.db', ...others].sort());
  });
});
