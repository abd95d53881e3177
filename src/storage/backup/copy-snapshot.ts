import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../errors/service-error.ts';
import { LibsqlConnection } from '../drivers/libsql-connection.ts';
import { toServiceError } from '../drivers/libsql-error.ts';
import { libsqlFailure } from '../drivers/libsql-failure.ts';
import { FILE_MODE, markAsSingleFile } from './database-file.ts';
import {
  BEGIN_SNAPSHOT,
  PAGE_COUNT,
  PAGE_SIZE,
  pagesBetween,
  readAll,
  rowCount,
  TABLE_NAMES,
} from './database-reads.ts';
import type { CopyWatch, RowCounts } from './types.ts';

const BUSY_TIMEOUT_MS = 5000;
const PAGES_AT_ONCE = 256;

/** Size, digest and row counts of a copy. */
export interface Snapshot {
  readonly bytes: number;
  /** SHA-256 of the file, 64 hex digits. */
  readonly sha256: string;
  readonly rows: RowCounts;
}

/**
 * Copies a snapshot of a database, which others may be writing to, into a new file of mode 0600, and makes it durable.
 * The snapshot is the state of the last commit before the call. Others can commit during the copy; the write-ahead log
 * grows until it is finished.
 *
 * @throws ServiceError `store.unreachable`, `backup.interrupted`, `backup.not_written`
 */
export async function copySnapshot(path: string, target: string, watch: CopyWatch): Promise<Snapshot> {
  const connection = connect(path);
  try {
    const rows = read(() => countRows(connection));
    const file = await attempt(() => open(target, 'wx', FILE_MODE));
    try {
      const hash = createHash('sha256');
      const bytes = await copyPages(connection, file, hash, watch);
      await attempt(() => file.sync());
      return { bytes, sha256: hash.digest('hex'), rows };
    } finally {
      await file.close();
    }
  } finally {
    // Without the rollback, the snapshot remains pinned until its statements are garbage collected.
    connection.rollback();
    connection.close();
  }
}

function connect(path: string): LibsqlConnection {
  let connection: LibsqlConnection | undefined;
  try {
    connection = new LibsqlConnection(path, BUSY_TIMEOUT_MS);
    connection.execute(BEGIN_SNAPSHOT);
    return connection;
  } catch (error) {
    connection?.close();
    throw toServiceError(libsqlFailure(error));
  }
}

/** Counts the rows of each table, as the transaction of the connection sees them. */
export function countRows(connection: LibsqlConnection): RowCounts {
  const count = (table: string): number => readAll(connection, rowCount(table))[0]?.value ?? 0;
  return Object.fromEntries(readAll(connection, TABLE_NAMES).map(({ name }) => [name, count(name)]));
}

async function copyPages(
  connection: LibsqlConnection,
  file: FileHandle,
  hash: Hash,
  { onProgress, signal }: CopyWatch,
): Promise<number> {
  const pages = read(() => readAll(connection, PAGE_COUNT)[0]?.value ?? 0);
  const bytesOfPage = read(() => readAll(connection, PAGE_SIZE)[0]?.value ?? 0);
  for (let first = 1; first <= pages; first += PAGES_AT_ONCE) {
    const last = Math.min(first + PAGES_AT_ONCE - 1, pages);
    const chunk = read(() => readAll(connection, pagesBetween(first, last)));
    const isWhole = chunk.every(({ number, bytes }, index) => {
      return number === first + index && bytes.length === bytesOfPage;
    });
    if (chunk.length !== last - first + 1 || !isWhole) {
      throw new ServiceError(
        'store.failed',
        `pages ${first} to ${last} of the database were not read completely`,
      );
    }
    const bytes = Buffer.concat(chunk.map((page) => page.bytes));
    if (first === 1) markAsSingleFile(bytes);
    hash.update(bytes);
    await attempt(() => file.writeFile(bytes));
    onProgress?.({ bytes: last * bytesOfPage, totalBytes: pages * bytesOfPage });
    // Lets signal handlers run between two chunks.
    await turn();
    if (signal?.aborted === true) throw new ServiceError('backup.interrupted');
  }
  return pages * bytesOfPage;
}

function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toServiceError(libsqlFailure(error));
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new ServiceError('backup.not_written', String(cause), {}, { cause });
  }
}
