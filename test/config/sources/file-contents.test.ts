// Rules: spec/operations.md#reload
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { digestOf, readAgain } from '../../../src/config/sources/file-contents.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const makeFile = (text: string): string => {
  const path = join(temporaryFolder('contents', onTestFinished), 'file');
  writeFileSync(path, text);
  return path;
};

describe('the digest of files', () => {
  it.each<[what: string, change: (path: string) => void]>([
    ['another content of the same size', (path) => writeFileSync(path, 'two')],
    [
      'another content with the former time',
      (path) => {
        writeFileSync(path, 'two');
        utimesSync(path, 1, 1);
      },
    ],
    ['an empty file', (path) => truncateSync(path)],
    ['no file', (path) => rmSync(path)],
    [
      'a folder',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      'a link to another content',
      (path) => {
        writeFileSync(`${path}-2`, 'two');
        symlinkSync(`${path}-2`, `${path}-link`);
        renameSync(`${path}-link`, path);
      },
    ],
  ])('differs after %s', async (_, change) => {
    const path = makeFile('one');
    utimesSync(path, 1, 1);
    const former = await digestOf([path]);
    change(path);
    expect(await digestOf([path])).not.toBe(former);
  });

  it('stays the same for the same content, and tells which file has it', async () => {
    const [one, two] = [makeFile('one'), makeFile('two')];
    const former = await digestOf([one, two]);
    writeFileSync(one, 'one');
    expect(await digestOf([one, two])).toBe(former);
    expect(await digestOf([two, one])).not.toBe(former);
    expect(await digestOf([])).toBe(await digestOf([]));
  });

  it('takes a text that reads as a fault for no fault', async () => {
    const path = makeFile('ENOENT');
    const former = await digestOf([path]);
    rmSync(path);
    expect(await digestOf([path])).not.toBe(former);
  });
});

describe('a file that is read again', () => {
  it('has at most 4 MiB', async () => {
    const path = makeFile('');
    truncateSync(path, 4 * 1_048_576);
    expect(await readAgain(path)).toHaveLength(4 * 1_048_576);
    truncateSync(path, 4 * 1_048_576 + 1);
    await expect(readAgain(path)).rejects.toThrow('expected a file of at most');
  });

  it('is neither a device nor a pipe that nobody writes', async () => {
    await expect(readAgain('/dev/zero')).rejects.toThrow('expected a file');
    const pipe = `${makeFile('')}-pipe`;
    execFileSync('mkfifo', [pipe]);
    await expect(readAgain(pipe)).rejects.toThrow('expected a file');
  });
});
