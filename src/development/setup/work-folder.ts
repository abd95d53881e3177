import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_MODE = 0o700;
const WORK_PREFIX = '.work-';
/** Far longer than a setup takes, so that no run removes the folder of one in progress. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Passes a new folder inside `parent` to `use` and removes it afterwards. Also removes folders of interrupted runs that
 * are older than a day.
 *
 * @param parent - Created if it is missing, for its owner only.
 * @param time - Milliseconds since the epoch.
 */
export async function withWorkFolder<T>(
  parent: string,
  time: number,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(parent, { recursive: true, mode: FOLDER_MODE });
  await removeAbandoned(parent, time);
  const work = await mkdtemp(join(parent, WORK_PREFIX));
  try {
    return await use(work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Renames the folder `from` to `to`, replacing an existing folder.
 *
 * @param work - Receives the replaced folder: a rename cannot overwrite a folder that is not empty.
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
      // Another run renamed its folder in between: retry.
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function removeAbandoned(parent: string, time: number): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(WORK_PREFIX)) continue;
    const folder = join(parent, name);
    try {
      if (time - (await stat(folder)).mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true });
    } catch (error) {
      // The run that created it removed it in between.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
