import { closeSync, openSync, readSync } from 'node:fs';
import { ServiceError } from '../../errors/index.ts';
import { LibsqlConnection } from '../drivers/libsql-connection.ts';
import { isDamaged, libsqlFailure, toServiceError } from '../drivers/libsql-failure.ts';
import { countRows } from './copy-snapshot.ts';
import { HEADER_BYTES, isDatabase, sideFiles } from './database-file.ts';
import { holdersOf } from './open-holders.ts';
import type { RowCounts } from './types.ts';

/** A database that no other process can read or write for now. */
export interface ExclusiveHold {
  /** Undefined for one that cannot be read: its files are as they were. */
  readonly rows: RowCounts | undefined;
  release(): void;
}

const UNREADABLE: ExclusiveHold = { rows: undefined, release: () => undefined };

/**
 * Takes a database out of use: its write-ahead log is moved into the file and removed, and nobody else gets a lock on it
 * until the release. The file is complete by itself then.
 *
 * @throws ServiceError `store.in_use`, `store.unreachable`
 */
export function holdExclusively(path: string): ExclusiveHold {
  refuseHolders(path);
  // To open what is no database would remove a log beside it.
  if (!beginsAsDatabase(path)) return UNREADABLE;
  let connection: LibsqlConnection | undefined;
  try {
    connection = new LibsqlConnection(path, 0);
    // Only possible while no other connection is open, in whichever process or container it is.
    connection.execute('pragma journal_mode = delete; begin exclusive');
    const [[mode] = []] = connection.all({ sql: 'pragma journal_mode', params: [] });
    if (mode !== 'delete') throw inUse(path, 'another process opened it just now');
    const rows = countRows(connection);
    const holder = connection;
    return { rows, release: () => end(holder) };
  } catch (error) {
    if (connection !== undefined) end(connection);
    if (error instanceof ServiceError) throw error;
    if (isDamaged(error)) return UNREADABLE;
    const failure = libsqlFailure(error);
    throw failure.isBusy ? inUse(path, 'another process has it open') : toServiceError(failure);
  }
}

/** @throws ServiceError `store.in_use` naming the processes that have the database open */
export function refuseHolders(path: string): void {
  const holders = holdersOf([path, ...sideFiles(path)]);
  if (holders.length === 0) return;
  const names = holders.map(({ pid, name }) => `${name} (process ${pid})`).join(', ');
  throw inUse(path, `${names} ${holders.length === 1 ? 'has' : 'have'} it open`);
}

/** No connection of this process has the file open yet: closing it here would drop the locks of that one. */
function beginsAsDatabase(path: string): boolean {
  const head = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    return readSync(file, head) === head.length && isDatabase(head);
  } finally {
    closeSync(file);
  }
}

function end(connection: LibsqlConnection): void {
  connection.rollback();
  connection.close();
}

function inUse(path: string, reason: string): ServiceError {
  return new ServiceError('store.in_use', `${path}: ${reason}`);
}
