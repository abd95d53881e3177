// Rules: spec/operations.md#connections
import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Statement } from '../../../src/storage/drivers/driver.ts';
import { LibsqlInline } from '../../../src/storage/drivers/libsql-inline.ts';
import { holdWriteLock } from '../../support/server/libsql-write-lock.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const CREATE: Statement = {
  sql: 'create table notes (id integer primary key, text text) strict',
  params: [],
};
const SELECT: Statement = { sql: 'select text from notes order by id', params: [] };
const insert = (text: string): Statement => ({ sql: 'insert into notes (text) values ($1)', params: [text] });

describe('a writing connection of the calling thread', () => {
  const tempFolder = useTempFolders();
  let path: string;
  let writer: LibsqlInline;

  beforeEach(() => {
    path = join(tempFolder(), 'notes.db');
    writer = new LibsqlInline(path, 50);
    return () => writer.close();
  });

  it('is as durable as that of a thread', async () => {
    expect(await writer.open()).toBe('journal_mode=wal synchronous=full');
  });

  it('leaves all data in the main file when it is closed', async () => {
    await writer.run([CREATE, insert('a')]);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await writer.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    const next = new LibsqlInline(path, 50);
    expect(await next.run([SELECT])).toEqual({ ok: true, results: [[['a']]] });
    await next.close();
  });

  it('undoes a transaction whose guard or statement fails', async () => {
    await writer.run([CREATE]);
    const none: Statement = { sql: 'delete from notes', params: [], mustChange: 1 };
    expect(await writer.run([none, insert('a')])).toEqual({ ok: false, guard: 0 });
    const twice: Statement = { sql: 'insert into notes values (1, $1)', params: ['b'] };
    await expect(writer.run([twice, twice])).rejects.toMatchObject({ code: 'store.failed' });
    expect(await writer.run([SELECT])).toEqual({ ok: true, results: [[]] });
  });

  it('refuses values that libsql would change', async () => {
    await writer.run([CREATE]);
    await expect(writer.run([insert('a\0b')])).rejects.toMatchObject({ code: 'store.invalid_value' });
  });

  it('refuses while another connection writes, and writes once that has ended', async () => {
    await writer.run([CREATE]);
    const lock = holdWriteLock(path);
    await expect(writer.run([insert('a')])).rejects.toMatchObject({ code: 'store.unreachable' });
    lock.release();
    await writer.run([insert('b')]);
    expect(await writer.run([SELECT])).toEqual({ ok: true, results: [[['b']]] });
  });

  it('opens another connection after a failure to open', async () => {
    mkdirSync(path);
    await expect(writer.open()).rejects.toMatchObject({ code: 'store.unreachable' });
    rmdirSync(path);
    expect(await writer.run([CREATE])).toEqual({ ok: true, results: [[]] });
  });

  it('refuses transactions after its close', async () => {
    await writer.close();
    await expect(writer.run([CREATE])).rejects.toMatchObject({ code: 'store.unreachable' });
  });
});
