import { closeSync, openSync, readSync } from 'node:fs';
import { ServiceError } from '../../errors/service-error.ts';
import { LibsqlConnection } from '../drivers/libsql-connection.ts';
import { toServiceError } from '../drivers/libsql-error.ts';
import { isDamaged, libsqlFailure } from '../drivers/libsql-failure.ts';
import { countRows } from './copy-snapshot.ts';
import { HEADER_BYTES, isDatabase, sideFiles } from './database-file.ts';
import { JOURNAL_MODE, readAll } from './database-reads.ts';
import { holdersOf } from './open-holders.ts';
import type { RowCounts } from './types.ts';

/** An exclusive lock on a database: no other process can read or write it until the release. */
export interface ExclusiveHold {
  /** Undefined if the database cannot be read; its files are then unchanged. */
  readonly rows: RowCounts | undefined;
  release(): void;
}

const UNREADABLE: ExclusiveHold = { rows: undefined, release: () => undefined };

/**
 * Takes a database out of use: its write-ahead log is moved into the file and removed, so that the file alone
 * is complete, and no other process gets a lock on it until the release.
 *
 * @throws ServiceError `store.in_use`, `store.unreachable`
 */
export function holdExclusively(path: string): ExclusiveHold {
  refuseHolders(path);
  // Opening a file that is not a database would remove a log next to it.
  if (!beginsAsDatabase(path)) return UNREADABLE;
  let connection: LibsqlConnection | undefined;
  try {
    connection = new LibsqlConnection(path, 0);
    // Succeeds only while no other connection is open, in any process or container.
    connection.execute('pragma journal_mode = delete; begin exclusive');
    const [journal] = readAll(connection, JOURNAL_MODE);
    if (journal?.mode !== 'delete') throw inUse(path, 'another process opened it just now');
    const rows = countRows(connection);
    const holding = connection;
    return { rows, release: () => end(holding) };
  } catch (error) {
    if (connection !== undefined) end(connection);
    if (error instanceof ServiceError) throw error;
    if (isDamaged(error)) return UNREADABLE;
    const failure = libsqlFailure(error);
    throw failure.isBusy ? inUse(path, 'another process has it open') : toServiceError(failure);
  }
}

/**
 * Checks that no other process has the database open.
 *
 * @throws ServiceError `store.in_use`, naming those that do
 */
export function refuseHolders(path: string): void {
  const holders = holdersOf([path, ...sideFiles(path)]);
  if (holders.length === 0) return;
  const names = holders.map(({ pid, name }) => `${name} (process ${pid})`).join(', ');
  throw inUse(path, `${names} ${holders.length === 1 ? 'has' : 'have'} it open`);
}

/** Must run before this process connects to the file: closing a descriptor drops the connection's locks. */
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
