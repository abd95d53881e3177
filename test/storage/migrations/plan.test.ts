// Rules: spec/operations.md#migrations
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '../../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../../src/storage/drivers/libsql.ts';
import { describePlan, planToJson } from '../../../src/storage/migrations/describe-plan.ts';
import { migrate, migrationStatus } from '../../../src/storage/migrations/migrate.ts';
import { type Migration, readMigrations } from '../../../src/storage/migrations/migration-files.ts';
import { type MigrationPlan, planMigrations } from '../../../src/storage/migrations/plan.ts';
import { bytes32 } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const ALL = readMigrations();
const KEY_ORDER = ALL.findIndex(({ name }) => name === 'key-order');

describe('the plan of the pending migrations', () => {
  const tempFolder = useTempFolders();
  let driver: Driver;

  beforeEach(async () => {
    driver = await openLibsqlDriver({ path: join(tempFolder(), 'proofgate.db'), writesInline: true });
  });

  afterEach(() => driver.close());

  const planOf = async (migrations: readonly Migration[], of: Driver = driver): Promise<MigrationPlan> =>
    planMigrations(of, migrations, await migrationStatus(of, migrations));

  const nextOf = (statements: readonly string[], runsFrom: number): readonly Migration[] => {
    const version = ALL.length + 1;
    const next = {
      version,
      name: 'next',
      summary: 'Adds what is next.',
      runsFrom,
      checksum: 'c',
      statements,
    };
    return [...ALL, next];
  };

  it('is empty if nothing is pending', async () => {
    await migrate(driver, ALL, () => 1);
    const plan = await planOf(ALL);
    expect(planToJson(plan)).toEqual({
      migrations: [],
      estimated_seconds: 0,
      former_can_start: true,
      needs_stop: false,
    });
    expect(describePlan(plan)).toEqual([]);
  });

  it('says of a new store only that its tables are made', async () => {
    const plan = await planOf(ALL);
    expect(plan).toMatchObject({ isNew: true, seconds: 0, needsStop: false });
    expect(describePlan(plan)).toEqual([
      `A new store: ${ALL.length} migrations make its tables, in less than a second.`,
    ]);
  });

  it('names each table that is copied, with its rows, and that servers must stop, for the migration that does so', async () => {
    await migrate(driver, ALL.slice(0, KEY_ORDER), () => 1);
    const row = "insert into nullifiers values ('staging', $1, 5, 'app', 'act', 'request')";
    await driver.write([1, 2, 3].map((index) => ({ sql: row, params: [bytes32(index)] })));
    const plan = await planOf(ALL.slice(0, KEY_ORDER + 1));
    const change = { index: null, blocks: 'writes' };
    expect(plan.migrations[0]?.changes).toEqual([
      { kind: 'rebuild_table', table: 'nullifiers', rows: 3, ...change },
      { kind: 'rebuild_table', table: 'sub_bindings', rows: 0, ...change },
      { kind: 'rebuild_table', table: 'issued_credentials', rows: 0, ...change },
      ...['issued_credentials_holder', 'issued_credentials_issued'].map((index) => ({
        kind: 'create_index',
        table: 'issued_credentials',
        index,
        rows: 0,
        blocks: 'writes',
      })),
    ]);
    expect(plan).toMatchObject({ needsStop: true, formerCanStart: false });
    expect(describePlan(plan).join('\n')).toMatch(
      /^18 key-order: The column of high entropy [^.]*\.\n {4}copies to another shape table nullifiers \(3 rows\); writes wait meanwhile\n[\s\S]*former release cannot start [\s\S]*Stop all servers before/,
    );
  });

  it('estimates from the rows of a table how long it is copied and an index is built', async () => {
    await migrate(driver, ALL, () => 1);
    const big: Driver = {
      traits: {
        ...driver.traits,
        migrationCost: { rebuildSeconds: 20, indexSeconds: 3, blocksReads: true },
      },
      read: (statement) => driver.read(statement),
      tables: () => driver.tables(),
      countRows: async (table) => (table === 'nullifiers' ? 2_000_000 : 10),
    } as Driver;
    const statements = [
      'create table if not exists extra (x bigint)',
      'create index if not exists extra_x on extra (x)',
      'create index if not exists nullifiers_next on nullifiers (app_id)',
      'create table if not exists nullifiers_copy (x bigint)',
      'drop table if exists nullifiers',
      'alter table nullifiers_copy rename to nullifiers',
      'drop index if exists apps_created',
    ];
    const plan = await planOf(nextOf(statements, ALL.length), big);
    expect(plan.migrations[0]?.changes).toEqual([
      {
        kind: 'rebuild_table',
        table: 'nullifiers',
        index: null,
        rows: 2_000_000,
        blocks: 'reads and writes',
      },
      { kind: 'create_table', table: 'extra', index: null, rows: 0, blocks: 'nothing' },
      {
        kind: 'create_index',
        table: 'nullifiers',
        index: 'nullifiers_next',
        rows: 2_000_000,
        blocks: 'writes',
      },
      { kind: 'drop_index', table: 'apps', index: 'apps_created', rows: 10, blocks: 'reads and writes' },
    ]);
    expect(plan.seconds).toBe(2 * 20 + 2 * 3);
    expect(describePlan(plan)).toContain('    takes about 46 s');
  });

  it('says that the former release can start again if each migration declares so, and only then', async () => {
    await migrate(driver, ALL, () => 1);
    const statements = ['create table if not exists extra (x bigint)'];
    const additive = await planOf(nextOf(statements, ALL.length));
    expect(additive.formerCanStart).toBe(true);
    expect(describePlan(additive)).toContain('Afterwards the former release can start again on this store.');
    const other = await planOf(nextOf(statements, ALL.length + 1));
    expect(other.formerCanStart).toBe(false);
  });

  it('has a kind for each statement of the migration files', async () => {
    for (const [index, { statements }] of ALL.entries()) {
      const [planned] = (await planOf(ALL.slice(0, index + 1))).migrations;
      expect(planned?.changes.length, ALL[index]?.name).toBeGreaterThan(0);
      expect(statements.length).toBeGreaterThan(0);
      await migrate(driver, ALL.slice(0, index + 1), () => 1);
    }
  });
});
