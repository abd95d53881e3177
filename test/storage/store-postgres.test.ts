// Rules: spec/operations.md#storage
import { afterAll, beforeAll, describe } from 'vitest';
import { openPostgresDriver } from '../../src/storage/drivers/postgres/postgres-driver.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { addressOf } from './support/postgres-address-of.ts';
import { describeStore } from './support/suites/describe-store.ts';

describe.skipIf(POSTGRES_BIN === undefined)(`PostgreSQL${POSTGRES_SKIP}`, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    // The suite asks for thousands of commits; that they reach the disk is tested elsewhere.
    server = await PostgresServer.create({ fsync: 'off' });
  });

  afterAll(() => server?.remove());

  describeStore({
    name: 'PostgreSQL',
    open: async () => ({
      driver: await openPostgresDriver({
        address: addressOf(server.url(await server.createMigratedDatabase())),
        poolSize: 10,
        prepares: true,
        timeoutMs: 20_000,
      }),
      remove: async () => undefined,
    }),
    // One statement, because each takes a call to the server.
    empty: (tables) => {
      const deletions = tables.map((table) => `of_${table} as (delete from ${table})`);
      return [{ sql: `with ${deletions.join(', ')} select 1`, params: [] }];
    },
  });
});
