// Rules: spec/operations.md#migrations and spec/operations.md#postgresql
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMigrations } from '../../../src/storage/migrations/migration-files.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import { casesOf } from '../../support/cases.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { GROUP_SETTINGS, nullifierEntry, numberedNullifier } from '../support/rows.ts';

/** Tables that grow for ever, and the column by which a distributed engine would place their rows. */
const PLACED_BY: Readonly<Record<string, string>> = {
  nullifiers: 'nullifier',
  signin_aliases: 'alias',
  sub_bindings: 'id_comm',
  issued_credentials: 'credential_id',
};
/** Further tables whose rows do not end: those of configuration and of keys are small. */
const NOT_PLACED: ReadonlySet<string> = new Set([
  // One row per enrolment, but with two unique keys of different columns: it cannot be divided by one of them.
  'signup',
  'actions',
  'app_policies',
  'apps',
  'client_logos',
  'client_secret_keys',
  'clients',
  'roots',
  'verifying_keys',
  'issuer_keys',
  'orb_keys',
  'bridge_usage',
  'record_versions',
  'service_switches',
  'signin_relying_party',
  'schema_migrations',
  'schema_requirements',
  'webhook_outcomes',
  'store_copies',
  'store_marks',
  'development_nodes',
  'development_persons',
  'issuers4',
  'oprf_keys4',
  // Changes by operators: few, and one after the other.
  'audit_log',
  'audit_head',
  // One row for each row of actions.
  'action_counts',
  'root_sources',
  'root_events',
  'leases',
  'backups',
]);
const NODES = 3;

describe.skipIf(POSTGRES_BIN === undefined)(`the tables on PostgreSQL${POSTGRES_SKIP}`, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.create({ fsync: 'off' });
  });

  afterAll(() => server?.remove());

  const migrateAtOnce = async (database: string): Promise<number[]> => {
    const url = server.url(database);
    const open = (): ReturnType<typeof openStore> =>
      openStore({ url, ...GROUP_SETTINGS, poolSize: 2, timeoutMs: 60_000 });
    const stores = await Promise.all(Array.from({ length: NODES }, open));
    const statuses = await Promise.all(stores.map((store) => store.migrate()));
    await Promise.all(stores.map((store) => store.close()));
    return statuses.map(({ applied, pending }) => applied.length - pending.length);
  };

  it('are made once by nodes that start on an empty database at the same time', async () => {
    const all = readMigrations().length;
    for (let round = 0; round < casesOf(20, 3); round++) {
      expect(await migrateAtOnce(await server.createDatabase())).toEqual([all, all, all]);
    }
  });

  /** Unique indexes of the growing tables, by the catalogue; the first column of one on an expression is null. */
  const uniqueIndexes = (database: string): Promise<Record<string, unknown>[]> =>
    server.query(
      `select t.relname as table, a.attname as first from pg_index i
       join pg_class t on t.oid = i.indrelid
       left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0] and a.attnum > 0
       where i.indisunique and t.relname in ('${Object.keys(PLACED_BY).join("', '")}') order by 1, 2`,
      database,
    );
  const misplaced = (rows: readonly Record<string, unknown>[]): unknown[] =>
    rows.filter(({ table, first }) => first !== PLACED_BY[String(table)]).map(({ first }) => first);

  it('have unique indexes that begin with the column by which rows would be placed', async () => {
    const database = await server.createDatabase();
    await migrateAtOnce(database);
    const rows = await uniqueIndexes(database);
    expect(rows.map(({ table }) => table)).toEqual(Object.keys(PLACED_BY).sort());
    expect(misplaced(rows)).toEqual([]);
    await server.query('create unique index wrong on nullifiers (environment, nullifier)', database);
    await server.query('create unique index worse on sub_bindings (md5(id_comm))', database);
    expect(misplaced(await uniqueIndexes(database)).sort()).toEqual(['environment', null]);
  });

  it('have rows that end, or are known to be small, or have a column by which rows would be placed', async () => {
    const database = await server.createDatabase();
    await migrateAtOnce(database);
    const rows = await server.query(
      `select relname as table from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and not exists
       (select 1 from pg_attribute where attrelid = pg_class.oid and attname = 'expires_at')`,
      database,
    );
    const kept = rows.map(({ table }) => String(table)).filter((table) => !NOT_PLACED.has(table));
    // issued_credentials has an expires_at of its credentials, but its rows are kept.
    expect(kept.sort()).toEqual(['nullifiers', 'signin_aliases', 'sub_bindings']);
  });

  it('record nullifiers in a table that is partitioned by hash', async () => {
    const database = await server.createDatabase();
    await migrateAtOnce(database);
    await server.query(
      `create table parts (like nullifiers including all) partition by hash (nullifier);
       create table part_0 partition of parts for values with (modulus 2, remainder 0);
       create table part_1 partition of parts for values with (modulus 2, remainder 1);
       drop table nullifiers; alter table parts rename to nullifiers`,
      database,
    );
    const store = await openStore({ url: server.url(database), ...GROUP_SETTINGS });
    const record = async (): Promise<number> => {
      const entries = Array.from({ length: 64 }, (_, number) =>
        nullifierEntry({ nullifier: numberedNullifier(number) }),
      );
      const records = await Promise.all(entries.map((entry) => store.nullifiers.record(entry)));
      return records.filter(({ isNew }) => isNew).length;
    };
    expect([await record(), await record()]).toEqual([64, 0]);
    await store.close();
    const [rows] = await server.query(
      'select cast(count(*) as int) as of_both, cast(count(distinct tableoid) as int) as parts from nullifiers',
      database,
    );
    expect(rows).toEqual({ of_both: 64, parts: 2 });
  });
});
