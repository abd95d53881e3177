// Rules: spec/operations.md#group-commit
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Driver, SqlRow, Statement, WriteOutcome } from '../../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../../src/storage/drivers/libsql.ts';
import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';
import { KillableThreads } from '../support/killable-threads.ts';

const insert = (key: string): Statement => ({ sql: 'insert into rows (key) values ($1)', params: [key] });
const update = (key: string, value: number): Statement => ({
  sql: 'update rows set value = $2 where key = $1 and value is null returning value',
  params: [key, value],
  isGuard: true,
});
const keys = (count: number): string[] => Array.from({ length: count }, (_, number) => `k${number}`);
/** Adds a row that the commit refuses: its deferred foreign key names no row of `rows`. */
const insertOrphan: Statement = { sql: 'insert into children (parent) values ($1)', params: ['absent'] };

describe('writes that wait for the libsql writer in one group', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-group-'));
  const path = join(folder, 'group.db');
  let driver: Driver;
  let other: LibsqlConnection;
  let threads: KillableThreads;

  // One driver for all tests, because each start of a thread takes longer than a test.
  beforeAll(async () => {
    threads = new KillableThreads();
    driver = await openLibsqlDriver({ path, startWorker: threads.start });
    await driver.write([
      { sql: 'create table rows (key text primary key, value bigint)', params: [] },
      {
        sql: 'create table children (parent text references rows (key) deferrable initially deferred)',
        params: [],
      },
    ]);
    other = new LibsqlConnection(path, 0);
  });

  afterEach(() => {
    other.execute('delete from children; delete from rows; drop table if exists more');
  });

  afterAll(async () => {
    other.close();
    await driver.close();
    rmSync(folder, { recursive: true });
  });

  const rows = (): SqlRow[] => other.all({ sql: 'select key, value from rows order by key', params: [] });

  /** Returns the number of pages that commits have appended to the write-ahead log since its restart. */
  const framesInLog = (): number =>
    Number(other.all({ sql: 'pragma wal_checkpoint(passive)', params: [] })[0]?.[1]);

  /** Sends writes to a thread that starts to read when all have arrived, so that they form a group. */
  const writeTogether = async (
    writes: readonly (readonly Statement[])[],
  ): Promise<PromiseSettledResult<WriteOutcome>[]> => {
    await threads.endIdle();
    threads.holdStarts();
    const writing = writes.map((statements) => driver.write(statements));
    threads.releaseStarts();
    return Promise.allSettled(writing);
  };

  const expectAllRefused = (
    settled: readonly PromiseSettledResult<WriteOutcome>[],
    code: string,
    message: string,
  ): void => {
    const refused = { status: 'rejected', reason: { code, message: expect.stringContaining(message) } };
    for (const result of settled) expect(result).toMatchObject(refused);
  };

  it('are one commit', async () => {
    await driver.write([insert('a')]);
    other.execute('pragma wal_checkpoint(restart)');
    await driver.write([insert('b')]);
    const framesOfOne = framesInLog();
    other.execute('pragma wal_checkpoint(restart)');
    const settled = await writeTogether(Array.from({ length: 40 }, (_, number) => [insert(`c${number}`)]));
    expect(settled.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(rows()).toHaveLength(42);
    expect(framesOfOne).toBeGreaterThanOrEqual(1);
    expect(framesInLog()).toBeLessThanOrEqual(framesOfOne * 2);
  });

  it('leave no change when fewer rows change than required, alone or in a group', async () => {
    const insertBoth = (one: string, other: string): Statement => ({
      sql: 'insert into rows (key) values ($1), ($2) on conflict (key) do nothing',
      params: [one, other],
      mustChange: 2,
    });
    const both = await driver.write([insertBoth('a', 'b'), insert('c')]);
    expect(both).toEqual({ ok: true, results: [[], []] });
    const one = await driver.write([insert('d'), insertBoth('b', 'e'), insert('f')]);
    expect(one).toEqual({ ok: false, guard: 1 });
    const settled = await writeTogether([
      [insertBoth('g', 'h'), insert('i')],
      [insert('j'), insertBoth('k', 'h'), insert('l')],
      [insertBoth('m', 'a'), insert('n')],
      [insertBoth('k', 'm'), insert('o')],
    ]);
    const outcomes = settled.map((result) => result.status === 'fulfilled' && result.value);
    const done = { ok: true, results: [[], []] };
    expect(outcomes).toEqual([done, { ok: false, guard: 1 }, { ok: false, guard: 0 }, done]);
    expect(rows().map(([key]) => key)).toEqual(['a', 'b', 'c', 'g', 'h', 'i', 'k', 'm', 'o']);
  });

  it('leave no change when a row that must be written lacks a value', async () => {
    const lacking: Statement = {
      sql: 'insert into filled (key, value) values ($1, $2), ($3, $4)',
      params: ['a', 1, 'b', null],
      mustChange: 2,
    };
    await driver.write([{ sql: 'create table filled (key text, value bigint not null)', params: [] }]);
    const refused = { ok: false, guard: 0 };
    expect(await driver.write([lacking])).toEqual(refused);
    const settled = await writeTogether([[insert('c')], [lacking], [insert('d')]]);
    expect(settled[1]).toEqual({ status: 'fulfilled', value: refused });
    expect(other.all({ sql: 'select * from filled', params: [] })).toEqual([]);
    expect(rows().map(([key]) => key)).toEqual(['c', 'd']);
    other.execute('drop table filled');
  });

  it('each get their own outcome, and only those that succeed change rows', async () => {
    const writes = Array.from({ length: 300 }, (_, number): Statement[] => {
      const key = `k${String(number).padStart(3, '0')}`;
      if (number % 5 === 1) return [insert(key), update('absent', 1), insert(`${key}-after`)];
      if (number % 5 === 2) return [insert(key), insert(key)];
      if (number % 5 === 3) return [insert(key), { sql: 'select 1 from no_such_table', params: [] }];
      if (number % 5 === 4) return [insert(key), { sql: 'select $1 || $2', params: ['one value'] }];
      return [insert(key), update(key, number), insert(`${key}-after`)];
    });
    const settled = await writeTogether(writes);
    settled.forEach((result, number) => {
      const value = number % 5 === 0 ? { ok: true, results: [[], [[number]], []] } : { ok: false, guard: 1 };
      if (number % 5 < 2) expect(result).toEqual({ status: 'fulfilled', value });
      else {
        const code = ['store.failed', 'store.migrations_pending', 'store.invalid_value'][(number % 5) - 2];
        expect(result).toMatchObject({ status: 'rejected', reason: { code } });
      }
    });
    const kept = writes.flatMap((_, number) => {
      const key = `k${String(number).padStart(3, '0')}`;
      return number % 5 === 0 ? [key, `${key}-after`] : [];
    });
    expect(rows().map(([key]) => key)).toEqual(kept);
    expect(driver.health()).toMatchObject({ isWritable: true });
  });

  it('run in the order of the calls, so that the first of many updates of one row wins', async () => {
    await driver.write([insert('only')]);
    const settled = await writeTogether(Array.from({ length: 150 }, (_, number) => [update('only', number)]));
    const results = settled.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
    const lost = Array.from({ length: 149 }, () => ({ ok: false, guard: 0 }));
    expect(results).toEqual([{ ok: true, results: [[[0]]] }, ...lost]);
    expect(rows()).toEqual([['only', 0]]);
  });

  it('may change tables and the file header', async () => {
    const settled = await writeTogether([
      [insert('a')],
      [{ sql: 'create table more (key text primary key)', params: [] }],
      [{ sql: 'pragma user_version = 7', params: [] }],
      [{ sql: "insert into more values ('x') returning key", params: [] }],
      [{ sql: 'create table gone (key text)', params: [] }, update('absent', 1)],
      [{ sql: 'select * from gone', params: [] }],
    ]);
    expect(settled.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => 'fulfilled'),
      'rejected',
    ]);
    expect(settled[3]).toMatchObject({ value: { ok: true, results: [[['x']]] } });
    expect(settled[5]).toMatchObject({ reason: { code: 'store.migrations_pending' } });
    expect(other.all({ sql: 'pragma user_version', params: [] })).toEqual([[7]]);
  });

  it('are answered after the commit only, when another connection can read the row', async () => {
    const missing: string[] = [];
    await Promise.all(
      Array.from({ length: 200 }, async (_, number) => {
        const key = `k${number}`;
        await driver.write([insert(key)]);
        const found = other.all({ sql: 'select 1 from rows where key = $1', params: [key] });
        if (found.length === 0) missing.push(key);
      }),
    );
    expect(missing).toEqual([]);
  });

  it('all fail and leave no change when their commit fails, whatever their own outcome was', async () => {
    const settled = await writeTogether([
      [insert('a')],
      [insert('b'), update('absent', 1)],
      [insertOrphan],
      [insert('a')],
      [insert('c')],
    ]);
    expectAllRefused(settled, 'store.failed', 'FOREIGN KEY');
    expect(rows()).toEqual([]);
    // The connection stays usable.
    await driver.write([insert('a')]);
    expect(rows()).toEqual([['a', null]]);
  });

  it('all fail and leave no change when the database stays locked', async () => {
    const impatient = await openLibsqlDriver({ path, busyTimeoutMs: 20 });
    other.execute('begin immediate');
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, number) => impatient.write([insert(`k${number}`)])),
    );
    other.execute('rollback');
    expectAllRefused(settled, 'store.unreachable', 'locked');
    expect(impatient.health()).toMatchObject({ isWritable: false });
    await impatient.write([insert('after')]);
    expect(rows()).toEqual([['after', null]]);
    expect(impatient.health()).toMatchObject({ isWritable: true });
    await impatient.close();
  });

  it('all fail and leave no change when the disk is full', async () => {
    const pages = Number(other.all({ sql: 'pragma page_count', params: [] })[0]?.[0]);
    const settled = await writeTogether([
      [{ sql: `pragma max_page_count = ${pages + 3}`, params: [] }],
      [insert('small')],
      [insert('x'.repeat(99_999))],
      [insert('last')],
    ]);
    expectAllRefused(settled, 'store.unreachable', 'full');
    expect(rows()).toEqual([]);
    await driver.write([insert('after')]);
    expect(rows()).toEqual([['after', null]]);
  });

  it.each([
    ['before it begins', 1, 0, 0],
    ['when it has begun', 2, 0, 0],
    ['in the middle of the writes', 66, 0, 0],
    ['before the commit', 131, 0, 0],
    ['between the commit and the answers', 132, 64, 0],
    ['before the second group begins', 133, 64, 64],
    ['in the middle of the second group', 198, 64, 64],
  ])('are rejected together when the thread dies %s', async (_, steps, kept, acknowledged) => {
    await threads.endIdle();
    const before = threads.workers.length;
    threads.holdStarts();
    const writing = Promise.allSettled(keys(400).map((key) => driver.write([insert(key)])));
    const ended = threads.endAfter(steps);
    threads.releaseStarts();
    await ended;
    const settled = await writing;
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(acknowledged);
    settled.forEach((result, number) => {
      if (number < acknowledged) expect(result).toMatchObject({ status: 'fulfilled' });
      else expect(result).toMatchObject({ status: 'rejected', reason: { code: 'store.unreachable' } });
    });
    expect(new Set(rows().map(([key]) => key))).toEqual(new Set(keys(kept)));
    await driver.write([insert('after')]);
    expect(threads.workers).toHaveLength(before + 2);
  });

  it('are finished before the driver closes', async () => {
    const closing = await openLibsqlDriver({ path });
    other.execute('begin immediate');
    const writing = Array.from({ length: 150 }, (_, number) => closing.write([insert(`k${number}`)]));
    const closed = closing.close();
    other.execute('rollback');
    await closed;
    await Promise.all(writing);
    expect(rows()).toHaveLength(150);
    await expect(closing.write([insert('late')])).rejects.toMatchObject({ code: 'store.unreachable' });
  });
});
