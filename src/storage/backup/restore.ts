import { existsSync, realpathSync, statSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isServiceError, ServiceError } from '../../errors/index.ts';
import { ownerForRoot } from '../files/data-folder.ts';
import { acquireServeLock } from '../files/serve-lock.ts';
import { parseStoreUrl } from '../files/store-url.ts';
import { copyDatabaseFile } from './copy-file.ts';
import { publishOver, removeLeftovers, temporaryName } from './database-file.ts';
import { examineDatabase } from './examine.ts';
import { holdExclusively, refuseHolders } from './exclusive-hold.ts';
import { freeName, keepAside, moveLogs, removeTwins } from './replaced-files.ts';
import type { CopyWatch, ExaminedDatabase, RowCounts } from './types.ts';

/** What is restored, and where. */
export interface RestoreOptions extends CopyWatch {
  /** Path of the backup. */
  readonly file: string;
  /** Address of the store. */
  readonly storageUrl: string;
  readonly dataDir: string;
  /** Asked before a store is replaced; throws to leave it. */
  readonly confirm: (replacement: Replacement) => Promise<void>;
  /** Milliseconds since the epoch; part of the name that the replaced file gets. */
  readonly now: number;
}

/** What a restore is about to do. */
export interface Replacement {
  /** The database file. */
  readonly path: string;
  /** Rows that it has; undefined where it cannot be read. */
  readonly present: RowCounts | undefined;
  readonly backup: RowCounts;
}

/** A restore that was looked through. */
export interface RestoreReport extends ExaminedDatabase {
  /** The database file. */
  readonly path: string;
  /** Where the file is that was replaced; undefined where there was none. */
  readonly replaced: string | undefined;
  /** Of the backup, 64 hex digits. */
  readonly sha256: string;
}

/**
 * Puts a backup in the place of the store. The store is locked meanwhile as by a server; the backup is copied beside it
 * and looked through before the store is touched; the file that was there is kept under another name. At every moment
 * the name of the store has the former file or the new one, whole, so that the process may be killed at any time.
 *
 * @throws ServiceError `server.locked`, `store.in_use`, `store.newer`, `store.unreachable`, `backup.damaged`,
 *   `backup.not_written`, `backup.interrupted`, `cli.usage`, and what `confirm` throws
 */
export async function restoreStore(options: RestoreOptions): Promise<RestoreReport> {
  const { dataDir, storageUrl } = options;
  const source = resolve(options.file);
  const stats = await stat(source).catch((cause: unknown) => {
    throw new ServiceError('backup.damaged', `${source}: ${String(cause)}`, {}, { cause });
  });
  const { path: named } = parseStoreUrl(storageUrl);
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
    // The lock was taken on an empty file, which must not stay in the place of a store.
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
    // Run by root, the service still has to be able to open what was restored.
    const sha256 = await copyDatabaseFile(source, temporary, options, ownerForRoot(path));
    options.onCheck?.();
    const backup = await examineDatabase(temporary);
    const replaced = await replace(path, temporary, backup, options);
    const restored = await examineDatabase(path);
    if (!isDeepStrictEqual(restored, backup)) {
      throw new ServiceError('backup.damaged', `${path} is not as the backup was`);
    }
    return { ...restored, path, replaced, sha256 };
  } catch (error) {
    await rm(temporary, { force: true });
    if (isServiceError(error)) throw error;
    throw new ServiceError('backup.not_written', `${path}: ${String(error)}`, {}, { cause: error });
  }
}

/** Gives the new file the name of the store; returns the other name of the former one, where there was one. */
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
