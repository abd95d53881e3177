// Rules: spec/operations.md#storage
import { afterAll, beforeAll, describe } from 'vitest';
import { openPostgresDriver } from '../../src/storage/drivers/postgres/postgres-driver.ts';
import { isPoolerInstalled, type Pooler, startPooler } from '../support/postgres/pooler.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { addressOf } from './support/postgres-address-of.ts';
import { describeStore } from './support/suites/describe-store.ts';

const OPTIONS = { poolSize: 10, timeoutMs: 60_000 };

describe.skipIf(POSTGRES_BIN === undefined)(`PostgreSQL in other modes${POSTGRES_SKIP}`, () => {
  let server: PostgresServer;
  let pooler: Pooler | undefined;

  beforeAll(async () => {
    server = await PostgresServer.create({ fsync: 'off', deadlock_timeout: 50 });
    if (isPoolerInstalled) pooler = await startPooler(server);
  });

  afterAll(async () => {
    await pooler?.end();
    await server?.remove();
  });

  describeStore({
    name: 'PostgreSQL, serializable, statements without names',
    open: async () => {
      const database = await server.createDatabase();
      await server.query(`alter database ${database} set default_transaction_isolation = serializable`);
      return {
        driver: await openPostgresDriver({
          ...OPTIONS,
          address: addressOf(server.url(database)),
          prepares: false,
        }),
        remove: async () => undefined,
      };
    },
  });

  const skip = isPoolerInstalled ? '' : ' (skipped: PgBouncer is not installed)';
  describe.skipIf(!isPoolerInstalled)(`behind a pooler${skip}`, () => {
    describeStore({
      name: 'PostgreSQL through PgBouncer in transaction mode',
      open: async () => ({
        driver: await openPostgresDriver({
          ...OPTIONS,
          address: addressOf(`${pooler?.url(await server.createDatabase())}?pgbouncer=true`),
          prepares: true,
        }),
        remove: async () => undefined,
      }),
    });
  });
});
