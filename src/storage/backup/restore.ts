import { existsSync, realpathSync, statSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { ownerForRoot } from '../files/data-folder.ts';
import { acquireServeLock } from '../files/serve-lock.ts';
import { requireStoreFile } from '../files/store-url.ts';
import { copyDatabaseFile } from './copy-file.ts';
import { publishOver, removeLeftovers, temporaryName } from './database-file.ts';
import { examineDatabase } from './examine.ts';
import { holdExclusively, refuseHolders } from './exclusive-hold.ts';
import { freeName, keepAside, moveLogs, removeTwins } from './replaced-files.ts';
import type { CopyWatch, ExaminedDatabase, RowCounts } from './types.ts';

/** Source and target of a restore. */
export interface RestoreOptions extends CopyWatch {
  /** Path of the backup. */
  readonly file: string;
  /** Address of the store. */
  readonly storageUrl: string;
  readonly dataDir: string;
  /** Called before a store is replaced; throws to keep it. */
  readonly confirm: (replacement: Replacement) => Promise<void>;
  /** Milliseconds since the epoch; part of the name that the replaced file gets. */
  readonly now: number;
}

/** The replacement that a restore is about to make. */
export interface Replacement {
  /** The database file. */
  readonly path: string;
  /** Row counts of the current store; undefined if it cannot be read. */
  readonly present: RowCounts | undefined;
  readonly backup: RowCounts;
}

/** A finished restore, checked. */
export interface RestoreReport extends ExaminedDatabase {
  /** The database file. */
  readonly path: string;
  /** Path of the replaced file; undefined if there was none. */
  readonly replaced: string | undefined;
  /** SHA-256 of the backup, 64 hex digits. */
  readonly sha256: string;
}

/**
 * Replaces the store by a backup. During the restore the store is locked as by a server. The backup is copied next to
 * the store and checked before the store is touched; the former file is kept under another name. At every moment the
 * name of the store refers to the complete former file or the complete new one, so the process may be killed at any
 * time.
 *
 * @throws ServiceError `server.locked`, `store.in_use`, `store.newer`, `store.unreachable`, `backup.damaged`,
 *   `backup.not_written`, `backup.interrupted`, `cli.usage`, and errors of `confirm`
 */
export async function restoreStore(options: RestoreOptions): Promise<RestoreReport> {
  const { dataDir, storageUrl } = options;
  const source = resolve(options.file);
  const stats = await stat(source).catch((cause: unknown) => {
    throw new ServiceError('backup.damaged', `${source}: ${String(cause)}`, {}, { cause });
  });
  const named = requireStoreFile(storageUrl);
  const wasThere = existsSync(named);
  const lock = await acquireServeLock(dataDir, { storageUrl });
  try {
    const path = realpathSync(named);
    const present = statSync(path);
    if (stats.dev === present.dev && stats.ino === present.ino) {
      throw new ServiceError('cli.usage', `${source} is the store itself`);
    }
    return await restore(path, source, options);
  } finally {
    // The lock was taken on an empty file, which must not remain as if it were a store.
    if (!wasThere && statSync(named).size === 0) await rm(realpathSync(named));
    await lock.release();
  }
}

async function restore(path: string, source: string, options: RestoreOptions): Promise<RestoreReport> {
  const temporary = temporaryName(path, 'restore');
  try {
    refuseHolders(path);
    await removeLeftovers(path, 'restore');
    await removeTwins(path);
    // If root runs the restore, the service's user must still be able to open the file.
    const sha256 = await copyDatabaseFile(source, temporary, options, ownerForRoot(path));
    options.onCheck?.();
    const backup = await examineDatabase(temporary);
    const replaced = await replace(path, temporary, backup, options);
    const restored = await examineDatabase(path);
    if (!isDeepStrictEqual(restored, backup)) {
      throw new ServiceError('backup.damaged', `${path} differs from the backup`);
    }
    return { ...restored, path, replaced, sha256 };
  } catch (error) {
    await rm(temporary, { force: true });
    if (isServiceError(error)) throw error;
    throw new ServiceError('backup.not_written', `${path}: ${String(error)}`, {}, { cause: error });
  }
}

/** Gives the new file the name of the store; returns the second name of the former file, if there was one. */
async function replace(
  path: string,
  temporary: string,
  { rows: backup }: ExaminedDatabase,
  { confirm, signal, now }: RestoreOptions,
): Promise<string | undefined> {
  if (statSync(path).size === 0) {
    await moveLogs(path, freeName(path, now));
    await publishOver(temporary, path);
    return undefined;
  }
  const hold = holdExclusively(path);
  try {
    await confirm({ path, present: hold.rows, backup });
    if (signal?.aborted === true) throw new ServiceError('backup.interrupted');
    const aside = await keepAside(path, now);
    await publishOver(temporary, path);
    return aside;
  } finally {
    hold.release();
  }
}
