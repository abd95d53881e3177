import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ServiceError } from '../../errors/service-error.ts';
import { LibsqlConnection } from '../drivers/libsql-connection.ts';
import { toServiceError } from '../drivers/libsql-error.ts';
import { libsqlFailure } from '../drivers/libsql-failure.ts';
import { ensureFolder, ensurePrivateFile } from './data-folder.ts';
import { lockInode } from './inode-lock.ts';
import { requireStoreFile } from './store-url.ts';

/** The right to be the one server of a data folder and of a database. */
export interface ServeLock {
  release(): Promise<void>;
}

/** Options of a serve lock. */
export interface ServeLockOptions {
  /** Address of the store to lock; if absent, only the folder is locked. */
  readonly storageUrl?: string;
}

type Release = () => Promise<void> | void;

// A garbage collected connection releases its lock, so the connections that hold locks are kept here.
const held = new Set<LibsqlConnection>();

/**
 * Takes the lock of a data folder (`serve.lock` in it) and that of a database, until the release or the end of the
 * process. The kernel releases them at any end of the process, so a lock is never stale. The database is identified by
 * the file itself, not by its path; a missing file is created empty.
 *
 * @throws ServiceError `server.locked` if another server holds one of them, `store.unreachable` if it cannot be created
 */
export async function acquireServeLock(
  dataDir: string,
  { storageUrl }: ServeLockOptions = {},
): Promise<ServeLock> {
  return collectLocks(async (releases) => {
    const folder = resolve(dataDir);
    releases.push(lockFile(join(folder, 'serve.lock'), `data folder ${folder}`));
    if (storageUrl !== undefined) await lockDatabase(requireStoreFile(storageUrl), releases);
  });
}

/**
 * Takes the lock of a database alone, as `acquireServeLock` does.
 *
 * @throws ServiceError `server.locked`, `store.unreachable`
 */
export async function acquireDatabaseLock(path: string): Promise<ServeLock> {
  return collectLocks((releases) => lockDatabase(path, releases));
}

/** Takes locks, all or none. */
async function collectLocks(take: (releases: Release[]) => Promise<void>): Promise<ServeLock> {
  const releases: Release[] = [];
  const release = async (): Promise<void> => {
    for (const step of releases.splice(0).reverse()) await step();
  };
  try {
    await take(releases);
    return { release };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Takes two locks: a lock file next to the database covers every path to its folder, also from another
 * container; the inode lock covers hard links and a file that is mounted elsewhere.
 */
async function lockDatabase(path: string, releases: Release[]): Promise<void> {
  ensureFolder(dirname(path));
  ensurePrivateFile(path);
  const file = realPathOf(path);
  const what = `database file ${file}`;
  releases.push(lockFile(`${file}-lock`, what));
  const release = await lockInode(file);
  if (release === 'taken') throw locked(what);
  releases.push(release);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new ServiceError('store.unreachable', `cannot follow ${path}: ${String(cause)}`, {}, { cause });
  }
}

/** Takes an exclusive lock on a lock file. */
function lockFile(file: string, what: string): Release {
  ensureFolder(dirname(file));
  ensurePrivateFile(file);
  let connection: LibsqlConnection | undefined;
  try {
    connection = new LibsqlConnection(file, 0);
    connection.execute('begin exclusive');
  } catch (error) {
    connection?.close();
    const failure = libsqlFailure(error);
    throw failure.isBusy ? locked(what) : toServiceError(failure);
  }
  const holder = connection;
  held.add(holder);
  return () => {
    if (held.delete(holder)) holder.close();
  };
}

function locked(what: string): ServiceError {
  return new ServiceError('server.locked', `another server runs on the ${what}`);
}
