import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireServeLock } from '../../src/storage/index.ts';
import { startChild } from './support/child.ts';
import { useTempFolders } from './support/temp-folder.ts';

describe('serve lock', () => {
  const tempFolder = useTempFolders();

  it('refuses a second holder, naming the folder, and lets one in after the release', async () => {
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

  it('keeps out another process, also after a refused attempt of its own process', async () => {
    const folder = tempFolder();
    const lock = await acquireServeLock(folder);
    await expect(acquireServeLock(folder)).rejects.toMatchObject({ code: 'server.locked' });
    const child = startChild('lock-process.ts', [folder]);
    child.endInput();
    expect(await child.exited).not.toBe(0);
    expect(child.lines).toEqual([]);
    await lock.release();
  });

  it('is free after kill -9 of its holder', async () => {
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

  it('says when the folder cannot be made', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    await expect(acquireServeLock(join(file, 'data'))).rejects.toMatchObject({ code: 'store.unreachable' });
  });
});
