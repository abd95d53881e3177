import { existsSync, statSync } from 'node:fs';
import { link, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ServiceError } from '../../errors/service-error.ts';
import { sideFiles, syncToDisk, WITHOUT_LINKS } from './database-file.ts';

/**
 * Links the file of a database to a second name, so that it is kept when the database is replaced. A log that
 * could not be moved into the file is renamed with it. The file is linked and not copied, because closing the
 * source of a copy would drop the locks that this process has on it.
 *
 * @param now - Milliseconds since the epoch; part of the name.
 * @returns The second name.
 * @throws ServiceError `backup.not_written` on a file system without hard links
 */
export async function keepAside(path: string, now: number): Promise<string> {
  const aside = freeName(path, now);
  await link(path, aside).catch((cause: NodeJS.ErrnoException) => {
    if (!WITHOUT_LINKS.includes(cause.code ?? '')) throw cause;
    throw new ServiceError(
      'backup.not_written',
      `the file system of ${path} has no hard links: move ${path} to another place and restore again`,
      {},
      { cause },
    );
  });
  await moveLogs(path, aside);
  return aside;
}

/** Renames the logs of a database, so that the next database under its name does not use them. */
export async function moveLogs(path: string, aside: string): Promise<void> {
  for (const side of sideFiles(path)) {
    if (!existsSync(side)) continue;
    // The -shm file is an index that SQLite rebuilds from the log.
    if (side.endsWith('-shm')) await rm(side, { force: true });
    else await rename(side, `${aside}${side.slice(path.length)}`);
  }
  await syncToDisk(dirname(path));
}

/** Returns an unused name in the folder of the database. */
export function freeName(path: string, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '');
  const name = `${path}.replaced-${time}Z`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (![candidate, ...sideFiles(candidate)].some((file) => existsSync(file))) return candidate;
  }
}

/** Removes second names of the current database, left by a restore that was killed before the replacement. */
export async function removeTwins(path: string): Promise<void> {
  const { dev, ino } = statSync(path);
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.replaced-`)) continue;
    const twin = join(dirname(path), name);
    const stats = statSync(twin, { throwIfNoEntry: false });
    if (stats?.dev === dev && stats.ino === ino) await rm(twin);
  }
}
