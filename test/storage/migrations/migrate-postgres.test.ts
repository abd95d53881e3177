// Rules: spec/operations.md#migrations and spec/operations.md#postgresql
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, readMigrations } from '../../../src/storage/index.ts';
import { casesOf } from '../../support/cases.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { GROUP_SETTINGS } from '../support/rows.ts';

/** Tables that grow for ever, and the column by which a distributed engine would place their rows. */
const PLACED_BY: Readonly<Record<string, string>> = {
  nullifiers: 'nullifier',
  sub_bindings: 'id_comm',
  issued_credentials: 'credential_id',
};
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

  it('have unique indexes that begin with the column by which rows would be placed', async () => {
    const database = await server.createDatabase();
    await migrateAtOnce(database);
    const rows = await server.query(
      `select t.relname as table, a.attname as first, i.indisunique as is_unique from pg_index i
       join pg_class t on t.oid = i.indrelid
       join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
       where t.relname in ('${Object.keys(PLACED_BY).join("', '")}')`,
      database,
    );
    const unique = rows.filter(({ is_unique: isUnique }) => isUnique);
    expect(unique).toHaveLength(Object.keys(PLACED_BY).length);
    for (const { table, first } of unique) expect(first, String(table)).toBe(PLACED_BY[String(table)]);
  });
});
