// Rules: spec/operations.md#serve-lock
import { linkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireServeLock, type ServeLock } from '../../../src/storage/files/serve-lock.ts';
import { type Child, startChild } from '../support/processes/child.ts';
import { useTempFolders } from '../support/temp-folder.ts';

describe('serve lock', () => {
  const tempFolder = useTempFolders();

  it('refuses a second holder, naming the folder, and admits one after the release', async () => {
    const folder = join(tempFolder(), 'data');
    const lock = await acquireServeLock(folder);
    await expect(acquireServeLock(folder)).rejects.toMatchObject({
      code: 'server.locked',
      message: expect.stringContaining(folder),
    });
    await lock.release();
    await lock.release();
    await (await acquireServeLock(folder)).release();
  });

  it('refuses another process, also after a refused attempt in the holding process', async () => {
    const folder = tempFolder();
    const lock = await acquireServeLock(folder);
    await expect(acquireServeLock(folder)).rejects.toMatchObject({ code: 'server.locked' });
    const child = startChild('lock-process.ts', [folder]);
    child.endInput();
    expect(await child.exited).not.toBe(0);
    expect(child.lines).toEqual([]);
    await lock.release();
  });

  it('is free after its holder is killed with SIGKILL', async () => {
    const folder = tempFolder();
    const child = startChild('lock-process.ts', [folder]);
    await child.waitForLines(1);
    await expect(acquireServeLock(folder)).rejects.toMatchObject({ code: 'server.locked' });
    child.kill();
    await child.exited;
    await (await acquireServeLock(folder)).release();
  });

  it('makes folder and file readable by their owner only', async () => {
    const folder = join(tempFolder(), 'a', 'b');
    const lock = await acquireServeLock(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'serve.lock')).mode & 0o777).toBe(0o600);
    await lock.release();
  });

  it('fails with store.unreachable when the folder cannot be made', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    await expect(acquireServeLock(join(file, 'data'))).rejects.toMatchObject({ code: 'store.unreachable' });
  });
});

describe('serve lock of a database', () => {
  const tempFolder = useTempFolders();

  /** Makes a data folder with an empty database, whose lock another process holds. */
  async function lockedDatabase(): Promise<{ folder: string; file: string; holder: Child }> {
    const folder = tempFolder();
    const file = join(folder, 'one', 'proofgate.db');
    const holder = startChild('lock-process.ts', [join(folder, 'one'), `libsql:${file}`]);
    await holder.waitForLines(1);
    return { folder, file, holder };
  }

  const lockFrom = (folder: string, path: string): Promise<ServeLock> =>
    acquireServeLock(join(folder, 'two'), { storageUrl: `libsql:${path}` });

  it('refuses a server with another data folder, naming the file, until the holder is killed', async () => {
    const { folder, file, holder } = await lockedDatabase();
    await expect(lockFrom(folder, file)).rejects.toMatchObject({
      code: 'server.locked',
      message: `another server runs on the database file ${file}`,
    });
    holder.kill();
    await holder.exited;
    await (await lockFrom(folder, file)).release();
  });

  it('releases the data folder when the database is refused', async () => {
    const { folder, file, holder } = await lockedDatabase();
    await expect(lockFrom(folder, file)).rejects.toMatchObject({ code: 'server.locked' });
    await (await acquireServeLock(join(folder, 'two'))).release();
    holder.endInput();
    await holder.exited;
  });

  it.each([
    ['a symbolic link to the file', (file: string, path: string) => symlinkSync(file, path)],
    ['a hard link', (file: string, path: string) => linkSync(file, path)],
  ])('recognises the database through %s', async (_what, link) => {
    const { folder, file, holder } = await lockedDatabase();
    const path = join(folder, 'another-name.db');
    link(file, path);
    await expect(lockFrom(folder, path)).rejects.toMatchObject({ code: 'server.locked' });
    holder.kill();
    await holder.exited;
    await (await lockFrom(folder, path)).release();
  });

  it('recognises the database through a symbolic link to the folder and through dots in the path', async () => {
    const { folder, file, holder } = await lockedDatabase();
    symlinkSync(join(folder, 'one'), join(folder, 'link'));
    for (const path of [join(folder, 'link', 'proofgate.db'), `${folder}/one/../one/./proofgate.db`]) {
      await expect(lockFrom(folder, path)).rejects.toMatchObject({
        code: 'server.locked',
        message: expect.stringContaining(file),
      });
    }
    holder.endInput();
    await holder.exited;
  });

  it('allows two servers on two databases of one folder, and keeps no process alive', async () => {
    const folder = tempFolder();
    const one = await acquireServeLock(join(folder, 'a'), { storageUrl: `libsql:${folder}/a.db` });
    const two = await acquireServeLock(join(folder, 'b'), { storageUrl: `libsql:${folder}/b.db` });
    await one.release();
    await two.release();
    const child = startChild('lock-process.ts', [join(folder, 'a'), `libsql:${folder}/a.db`]);
    await child.waitForLines(1);
    child.endInput();
    expect(await child.exited).toBe(0);
  });

  it('admits one of two servers that start at the same time under different names', async () => {
    const folder = tempFolder();
    const file = join(folder, 'x.db');
    writeFileSync(file, '', { mode: 0o600 });
    linkSync(file, join(folder, 'y.db'));
    const attempts = await Promise.allSettled(
      ['x', 'y'].map((name) =>
        acquireServeLock(join(folder, name), { storageUrl: `libsql:${folder}/${name}.db` }),
      ),
    );
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const attempt of attempts) if (attempt.status === 'fulfilled') await attempt.value.release();
  });

  it('creates the target of a dangling link', async () => {
    const folder = tempFolder();
    symlinkSync(join(folder, 'later.db'), join(folder, 'link.db'));
    const lock = await acquireServeLock(folder, { storageUrl: `libsql:${folder}/link.db` });
    expect(statSync(join(folder, 'later.db')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'later.db-lock')).mode & 0o777).toBe(0o600);
    await lock.release();
  });
});
