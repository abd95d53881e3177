// Rules: spec/operations.md#migrations
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '../../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../../src/storage/drivers/libsql.ts';
import { migrate, migrationStatus } from '../../../src/storage/migrations/migrate.ts';
import { type Migration, readMigrations } from '../../../src/storage/migrations/migration-files.ts';
import { claimMigration, createSchemaMigrations } from '../../../src/storage/statements/schema-migrations.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const TWO: readonly Migration[] = [
  { version: 1, name: 'a', checksum: 'c1', statements: ['create table if not exists a (x bigint)'] },
  { version: 2, name: 'b', checksum: 'c2', statements: ['create table if not exists b (x bigint)'] },
];

describe('migration files', () => {
  const migrations = readMigrations();

  it('are numbered without a gap', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });

  it('contain idempotent statements in the common dialect only', () => {
    for (const { statements } of migrations) {
      expect(statements.length).toBeGreaterThan(0);
      for (const statement of statements) {
        expect(statement).toMatch(/^(create (table|(unique )?index) if not exists|drop index if exists) /);
        expect(statement).not.toMatch(/;|--|integer|blob|varchar|serial|references/i);
      }
    }
  });
});

describe('migrate', () => {
  const tempFolder = useTempFolders();
  let driver: Driver;

  beforeEach(async () => {
    driver = await openLibsqlDriver({ path: join(tempFolder(), 'proofgate.db') });
  });

  afterEach(() => driver.close());

  it('applies pending migrations, and none twice', async () => {
    expect(await migrationStatus(driver, TWO)).toEqual({
      applied: [],
      pending: [
        { version: 1, name: 'a' },
        { version: 2, name: 'b' },
      ],
    });
    await migrate(driver, TWO.slice(0, 1), () => 1000);
    const status = await migrate(driver, TWO, () => 2000);
    expect(status).toEqual({
      applied: [
        { version: 1, name: 'a', appliedAt: 1000 },
        { version: 2, name: 'b', appliedAt: 2000 },
      ],
      pending: [],
    });
    expect(await migrate(driver, TWO, () => 3000)).toEqual(status);
  });

  it('can apply every statement of the migration files twice', async () => {
    const migrations = readMigrations();
    await migrate(driver, migrations, () => 1);
    for (const sql of migrations.flatMap(({ statements }) => statements)) {
      await driver.write([{ sql, params: [] }]);
    }
  });

  it('refuses a store with an unknown version', async () => {
    await migrate(driver, TWO, () => 1);
    for (const attempt of [migrationStatus, migrate]) {
      await expect(attempt(driver, TWO.slice(0, 1), () => 1)).rejects.toMatchObject({
        code: 'store.newer',
        message: 'the store has migration 2 (b), this program knows up to 1',
      });
    }
  });

  it('refuses a store whose migration came from another file', async () => {
    await migrate(driver, TWO, () => 1);
    const changed = TWO.map((migration) => ({ ...migration, checksum: 'other' }));
    await expect(migrate(driver, changed, () => 1)).rejects.toMatchObject({ code: 'store.newer' });
  });

  it('waits for the claim of another process, and takes it over when its lease has expired', async () => {
    await driver.write([createSchemaMigrations()]);
    const claim = await driver.write([
      claimMigration({ version: 1, name: 'a', checksum: 'c1' }, 'dead', 0, 500),
    ]);
    expect(claim).toEqual({ ok: true, results: [[['dead']]] });
    let time = 0;
    const clock = (): number => {
      time += 100;
      return time;
    };
    const status = await migrate(driver, TWO.slice(0, 1), clock);
    expect(status.applied[0]?.appliedAt).toBeGreaterThan(500);
  });

  it('grants no claim while the lease of another lasts', async () => {
    const [migration] = TWO;
    if (migration === undefined) throw new Error('no migration');
    await driver.write([createSchemaMigrations()]);
    const claimBy = (holder: string, now: number) =>
      driver.write([claimMigration(migration, holder, now, now + 500)]);
    expect(await claimBy('first', 0)).toEqual({ ok: true, results: [[['first']]] });
    expect(await claimBy('second', 500)).toEqual({ ok: true, results: [[]] });
    expect(await claimBy('second', 501)).toEqual({ ok: true, results: [[['second']]] });
  });

  it('grants no claim for an applied migration', async () => {
    const [migration] = TWO;
    if (migration === undefined) throw new Error('no migration');
    await migrate(driver, TWO.slice(0, 1), () => 1000);
    const late = await driver.write([claimMigration(migration, 'late', 999_999_999, 1)]);
    expect(late).toEqual({ ok: true, results: [[]] });
  });

  it('leaves a failing migration pending, and applies its corrected file immediately', async () => {
    const third = { version: 3, name: 'c', checksum: 'c3', statements: ['create nonsense'] };
    const stopped = (): number => 1;
    await expect(migrate(driver, [...TWO, third], stopped)).rejects.toMatchObject({ code: 'store.failed' });
    expect((await migrationStatus(driver, [...TWO, third])).pending).toEqual([{ version: 3, name: 'c' }]);
    const corrected = { ...third, checksum: 'c4', statements: ['create table if not exists c (x bigint)'] };
    expect((await migrate(driver, [...TWO, corrected], stopped)).pending).toEqual([]);
  });
});
