import { lstatSync, realpathSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { refuseAbsent } from '../drivers/libsql.ts';
import { requireStoreFile } from '../files/store-url.ts';
import { copySnapshot } from './copy-snapshot.ts';
import { publishNew, publishOver, removeLeftovers, sideFiles, temporaryName } from './database-file.ts';
import { examineDatabase } from './examine.ts';
import type { CopyWatch, RowCounts } from './types.ts';

/** Source and target of a backup. */
export interface BackupOptions extends CopyWatch {
  /** Address of the store. */
  readonly storageUrl: string;
  /** Path of the backup; its folder must exist. */
  readonly file: string;
  /** Whether an existing file may be replaced. */
  readonly overwrites: boolean;
}

/** A finished backup, checked. */
export interface BackupReport {
  /** Absolute path. */
  readonly file: string;
  readonly bytes: number;
  /** SHA-256 of the file, 64 hex digits. */
  readonly sha256: string;
  readonly rows: RowCounts;
  /** Names of the migrations applied to it, the oldest first. */
  readonly migrations: readonly string[];
}

/**
 * Copies the store into one file; servers and commands may use the store during the copy. The copy has every commit
 * acknowledged before the call. It is complete, checked and durable before it gets its name.
 *
 * @throws ServiceError `store.absent`, `store.unreachable`, `backup.exists`, `backup.not_written`, `backup.damaged`,
 *   `backup.interrupted`
 */
export async function backUpStore(options: BackupOptions): Promise<BackupReport> {
  const path = requireStoreFile(options.storageUrl);
  refuseAbsent(path);
  const file = targetOf(options.file, path);
  if (!options.overwrites) refuseExisting(file);
  const temporary = temporaryName(file, 'backup');
  try {
    await removeLeftovers(file, 'backup');
    const { bytes, sha256, rows } = await copySnapshot(path, temporary, options);
    options.onCheck?.();
    const examined = await examineDatabase(temporary);
    if (!isDeepStrictEqual(examined.rows, rows)) {
      throw new ServiceError('backup.damaged', 'the copy has other row counts than the store');
    }
    if (options.signal?.aborted === true) throw new ServiceError('backup.interrupted');
    await (options.overwrites ? publishOver(temporary, file) : publishNew(temporary, file));
    return { file, bytes, sha256, rows, migrations: examined.migrations };
  } catch (error) {
    await rm(temporary, { force: true });
    if (isServiceError(error)) throw error;
    throw failure(file, error);
  }
}

/** Returns the absolute path of the backup, folder links resolved; refuses a file of the store itself. */
function targetOf(given: string, storePath: string): string {
  const asked = resolve(given);
  try {
    const file = join(realpathSync(dirname(asked)), basename(asked));
    const store = realpathSync(storePath);
    if ([store, ...sideFiles(store), `${store}-lock`].includes(file)) {
      throw new ServiceError('cli.usage', `${file} is a file of the store itself`);
    }
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isDirectory()) throw new ServiceError('cli.usage', `${file} is a folder: name a file in it`);
    const { dev, ino } = statSync(store);
    if (stats !== undefined && stats.dev === dev && stats.ino === ino) {
      throw new ServiceError('cli.usage', `${file} is another name of the store itself`);
    }
    return file;
  } catch (error) {
    if (isServiceError(error)) throw error;
    throw failure(asked, error);
  }
}

/** Refuses side files too: SQLite would take a log next to a file of this name for the backup's own. */
function refuseExisting(file: string): void {
  const found = [file, ...sideFiles(file)].find(
    (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  );
  if (found !== undefined) throw new ServiceError('backup.exists', `${found} exists`);
}

function failure(file: string, cause: unknown): ServiceError {
  if ((cause as NodeJS.ErrnoException | null)?.code === 'EEXIST') {
    return new ServiceError('backup.exists', `${file} exists`, {}, { cause });
  }
  return new ServiceError('backup.not_written', `${file}: ${String(cause)}`, {}, { cause });
}
