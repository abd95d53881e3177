import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_MODE = 0o700;
const WORK_PREFIX = '.work-';
/** Far more than a setup takes, so that no run loses its folder to another one. */
const LEFT_OVER_MS = 24 * 60 * 60 * 1000;

/**
 * Hands a new folder inside `parent` to `use` and removes it afterwards. Folders that interrupted runs left there a
 * day ago or earlier are removed too.
 *
 * @param parent - Created where it is missing, for its owner only.
 * @param time - Milliseconds since the epoch.
 */
export async function withWorkFolder<T>(
  parent: string,
  time: number,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(parent, { recursive: true, mode: FOLDER_MODE });
  await removeLeftOvers(parent, time);
  const work = await mkdtemp(join(parent, WORK_PREFIX));
  try {
    return await use(work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Renames the folder `from` to `to`, whatever is there.
 *
 * @param work - Takes what was there: a folder cannot be renamed over a full one.
 */
export async function replaceFolder(from: string, to: string, work: string): Promise<void> {
  for (;;) {
    try {
      await rename(to, join(work, `before-${randomBytes(4).toString('hex')}`));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    try {
      await rename(from, to);
      return;
    } catch (error) {
      // another run was faster in between
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function removeLeftOvers(parent: string, time: number): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(WORK_PREFIX)) continue;
    const folder = join(parent, name);
    try {
      if (time - (await stat(folder)).mtimeMs > LEFT_OVER_MS) await rm(folder, { recursive: true });
    } catch (error) {
      // its own run removed it in between
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
