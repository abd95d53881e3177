import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import { makeMigratedStore } from '../../support/server/migrated-store.ts';
import { GROUP_SETTINGS, nullifierEntry } from './rows.ts';

const PAGE_BYTES = 4096;

// A closed connection keeps its file open until its statements are garbage-collected. These helpers work on copies, so
// that no such connection of the test holds a lock on the tested file.

function inTempFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-look-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const result = work(folder);
  if (result instanceof Promise) return result.finally(remove) as T;
  remove();
  return result;
}

/** Makes a migrated store with this many nullifiers, closes it, and returns them as hex. */
export function makeStore(path: string, nullifiers: number): Promise<string[]> {
  return inTempFolder(async (folder) => {
    const made = join(folder, 'made.db');
    await makeMigratedStore(made);
    const store = await openStore({ url: `libsql:${made}`, ...GROUP_SETTINGS }, { writesInline: true });
    const entries = Array.from({ length: nullifiers }, () => nullifierEntry());
    await Promise.all(entries.map((entry) => store.nullifiers.record(entry)));
    await store.close();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    copyFileSync(made, path);
    return entries.map(({ nullifier }) => Buffer.from(nullifier).toString('hex'));
  });
}

/** Returns the integrity check and the nullifiers of a database with its log, which must have no writer. */
export function inspectDatabase(path: string): {
  readonly integrity: unknown;
  readonly nullifiers: Set<string>;
} {
  return inTempFolder((folder) => {
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const connection = new LibsqlConnection(copy, 5000);
    const [[integrity] = []] = connection.all({ sql: 'pragma integrity_check', params: [] });
    const rows = connection.all({ sql: 'select nullifier from nullifiers', params: [] });
    connection.close();
    return {
      integrity,
      nullifiers: new Set(rows.map(([bytes]) => Buffer.from(bytes as Uint8Array).toString('hex'))),
    };
  });
}

/** Inverts the first 64 bytes of a page in the middle of a file. */
export function corruptFile(path: string): void {
  const at = Math.floor(statSync(path).size / 2 / PAGE_BYTES) * PAGE_BYTES;
  const file = openSync(path, 'r+');
  const bytes = Buffer.alloc(64);
  readSync(file, bytes, 0, bytes.length, at);
  writeSync(
    file,
    bytes.map((byte) => byte ^ 0xff),
    0,
    bytes.length,
    at,
  );
  closeSync(file);
}

/** Runs statements on a database. */
export function runSql(path: string, sql: string): void {
  const connection = new LibsqlConnection(path, 5000);
  connection.execute(sql);
  connection.close();
}
