// Rules: spec/operations.md#migrations
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Driver, pointOf } from '../../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../../src/storage/drivers/libsql.ts';
import { migrate, migrationStatus } from '../../../src/storage/migrations/migrate.ts';
import {
  MIGRATIONS_FOLDER,
  type Migration,
  readMigrations,
} from '../../../src/storage/migrations/migration-files.ts';
import {
  CREATE_SCHEMA_MIGRATIONS,
  claimMigration,
  finishMigration,
} from '../../../src/storage/migrations/schema-migrations.ts';
import { boundDriver } from '../support/bound-driver.ts';
import { bytes32 } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const migrationOf = (
  version: number,
  name: string,
  checksum: string,
  statements = [`create table if not exists ${name} (x bigint)`],
): Migration => ({ version, name, summary: `Adds ${name}.`, runsFrom: version, checksum, statements });
const TWO: readonly Migration[] = [migrationOf(1, 'a', 'c1'), migrationOf(2, 'b', 'c2')];
/** Migration that makes the record of requirements; later ones declare which programs can run after them. */
const REQUIREMENTS = 'schema-requirements';

// A table is replaced by a copy under another name; the former table is created first, so that the copy can be repeated.
const IDEMPOTENT =
  /^(create (table|(unique )?index) if not exists|drop (index|table) if exists) |^alter table (?<table>\w+)_copy rename to \k<table>$|^alter table \w+ add column if not exists \w+ \w+$|^insert into \w+ [\s\S]*\son conflict \([^)]*\) do nothing$/;

/** Last migration that stores have applied, and the SHA-256 over the checksums of all up to it. A release raises it. */
const LAST_FROZEN = {
  version: 29,
  digest: 'a8e3c1a159127a5128dd2ad4ff1e7da75b93827479c73023e930b038a4f569dd',
};

describe('migration files', () => {
  const migrations = readMigrations();

  it('are numbered without a gap', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });

  it('begin with a sentence that says what they are for', () => {
    for (const { name, summary } of migrations)
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
  });

  it('declare which programs can run on the store afterwards', () => {
    const first = migrations.findIndex(({ name }) => name === REQUIREMENTS) + 1;
    for (const { version, name, runsFrom, statements } of migrations.slice(first)) {
      const file = new URL(`${String(version).padStart(4, '0')}-${name}.sql`, MIGRATIONS_FOLDER);
      expect([name, readFileSync(file, 'utf8')]).toEqual([
        name,
        expect.stringMatching(/^-- .*\n(-- .*\n)*-- runs-from: \d{4}\n/),
      ]);
      expect(runsFrom).toBeLessThanOrEqual(version);
      expect(runsFrom).toBeGreaterThanOrEqual(first);
      // What other nodes write while a table is copied would be lost.
      if (runsFrom < version) expect(statements.filter((sql) => /_copy\b/.test(sql))).toEqual([]);
    }
  });

  it('do not change once stores have applied them, comments included: stores know their checksums', () => {
    const frozen = migrations.filter(({ version }) => version <= LAST_FROZEN.version);
    const hash = createHash('sha256');
    for (const { checksum } of frozen) hash.update(checksum);
    expect(hash.digest('hex')).toBe(LAST_FROZEN.digest);
  });

  it('contain idempotent statements in the common dialect only', () => {
    for (const { statements } of migrations) {
      expect(statements.length).toBeGreaterThan(0);
      for (const statement of statements) {
        expect(statement).toMatch(IDEMPOTENT);
        expect(statement).not.toMatch(/;|--|integer|blob|varchar|serial|references/i);
      }
    }
  });
});

describe('migrate', () => {
  const tempFolder = useTempFolders();
  let driver: Driver;

  beforeEach(async () => {
    driver = await openLibsqlDriver({ path: join(tempFolder(), 'proofgate.db'), writesInline: true });
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
      await driver.define(sql);
    }
  });

  it('moves every row to the tables with another key order, wherever the first run was interrupted', async () => {
    const all = readMigrations();
    const index = all.findIndex(({ name }) => name === 'key-order');
    const statements = all[index]?.statements ?? [];
    const former = all.slice(0, index);
    const upToIt = all.slice(0, index + 1);
    const formerPath = join(tempFolder(), 'former.db');
    const before = await openLibsqlDriver({ path: formerPath, writesInline: true });
    await migrate(before, former, () => 1);
    await before.write([
      {
        sql: "insert into nullifiers values ('staging', $1, 5, 'app', 'act', 'request')",
        params: [bytes32(1)],
      },
      { sql: "insert into sub_bindings values ('1', $1, $2, 3, 4, 5)", params: [bytes32(1), bytes32(2)] },
    ]);
    await before.close();
    for (let done = 0; done <= statements.length; done++) {
      const path = join(tempFolder(), `interrupted-${done}.db`);
      await copyFile(formerPath, path);
      const driver = await openLibsqlDriver({ path, writesInline: true });
      for (const sql of statements.slice(0, done)) await driver.define(sql);
      await migrate(driver, upToIt, () => 2);
      const read = async (columns: string, table: string) =>
        driver.read(pointOf(`select ${columns} from ${table}`));
      const columns = 'environment, nullifier, created_at, app_id, action, request_id, row_id';
      expect(await read(columns, 'nullifiers')).toEqual([
        ['staging', bytes32(1), 5, 'app', 'act', 'request', 'request'],
      ]);
      expect(await read('issuer_schema_id, id_comm, sub, issued_count', 'sub_bindings')).toEqual([
        ['1', bytes32(1), bytes32(2), 4],
      ]);
      await driver.close();
    }
  });

  it('stops after a statement that outlasts the lease if another process has taken the claim over, and waits for it', async () => {
    const [first] = TWO;
    if (first === undefined) throw new Error('no migration');
    let time = 1;
    let isTaken = false;
    const slow: Driver = {
      ...boundDriver(driver),
      define: async (sql) => {
        await driver.define(sql);
        if (isTaken || !sql.includes('table if not exists a ')) return;
        isTaken = true;
        time = 1_000_000;
        const other = claimMigration(first, 'other', 1_000_000, 2_000_000);
        expect(await driver.write([other])).toEqual({ ok: true, results: [[['other']]] });
        setTimeout(() => driver.write([finishMigration(1, 77)]), 50);
      },
    };
    const two = {
      ...first,
      statements: [...first.statements, 'create table if not exists second (x bigint)'],
    };
    const status = await migrate(slow, [two], () => time);
    expect(status.applied).toEqual([{ version: 1, name: 'a', appliedAt: 77 }]);
    await expect(driver.read(pointOf('select 1 from second'))).rejects.toMatchObject({
      code: 'store.migrations_pending',
    });
  });

  it('refuses a store with an unknown version', async () => {
    await migrate(driver, TWO, () => 1);
    for (const attempt of [migrationStatus, migrate]) {
      await expect(attempt(driver, TWO.slice(0, 1), () => 1)).rejects.toMatchObject({
        code: 'store.newer',
        message: 'the store has migration 2 (b), after which a program must know 2; this one knows up to 1',
      });
    }
  });

  describe('of releases that record which programs can run', () => {
    const known = readMigrations();
    const newest = known.length;
    const additive = { ...migrationOf(newest + 1, 'next', 'c3'), runsFrom: newest };

    it('works with a store after a migration that declares so, also while it is applied', async () => {
      const interrupted: Driver = {
        ...boundDriver(driver),
        define: async (sql) => {
          if (sql.includes('exists next '))
            expect((await migrate(driver, known, () => 2)).pending).toEqual([]);
          await driver.define(sql);
        },
      };
      await migrate(interrupted, [...known, additive], () => 1);
      const status = await migrate(driver, known, () => 2);
      expect(status.pending).toEqual([]);
      expect(status.applied.at(-1)?.name).toBe('next');
    });

    it('refuses a store after a migration that needs more, and after one that declares nothing', async () => {
      const needing = { ...migrationOf(newest + 2, 'later', 'c4'), runsFrom: newest + 1 };
      await migrate(driver, [...known, additive, needing], () => 1);
      expect((await migrate(driver, [...known, additive], () => 2)).pending).toEqual([]);
      await expect(migrate(driver, known, () => 3)).rejects.toMatchObject({
        code: 'store.newer',
        message: `the store has migration ${newest + 2} (later), after which a program must know ${newest + 1}; this one knows up to ${newest}`,
      });
    });
  });

  it('refuses a store whose migration came from another file', async () => {
    await migrate(driver, TWO, () => 1);
    const changed = TWO.map((migration) => ({ ...migration, checksum: 'other' }));
    await expect(migrate(driver, changed, () => 1)).rejects.toMatchObject({ code: 'store.newer' });
  });

  it('waits for the claim of another process, and takes it over when its lease has expired', async () => {
    await driver.define(CREATE_SCHEMA_MIGRATIONS);
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
    await driver.define(CREATE_SCHEMA_MIGRATIONS);
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
    const third = migrationOf(3, 'c', 'c3', ['create nonsense']);
    const stopped = (): number => 1;
    await expect(migrate(driver, [...TWO, third], stopped)).rejects.toMatchObject({ code: 'store.failed' });
    expect((await migrationStatus(driver, [...TWO, third])).pending).toEqual([{ version: 3, name: 'c' }]);
    const corrected = { ...third, checksum: 'c4', statements: ['create table if not exists c (x bigint)'] };
    expect((await migrate(driver, [...TWO, corrected], stopped)).pending).toEqual([]);
  });
});
