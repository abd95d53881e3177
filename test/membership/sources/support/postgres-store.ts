import { openStore } from '../../../../src/storage/open-store.ts';
import { PostgresServer } from '../../../support/postgres/postgres-server.ts';
import type { TempStore } from '../../../verification/support/temp-store.ts';

/** Opens a migrated store in a database of a PostgreSQL server of its own, which `close` removes. */
export async function openPostgresStore(): Promise<TempStore> {
  // That commits reach the disk is tested elsewhere.
  const server = await PostgresServer.create({ fsync: 'off' });
  const url = server.url(await server.createDatabase());
  const store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0, timeoutMs: 20_000 });
  await store.migrate();
  return {
    store,
    url,
    async close() {
      await store.close();
      await server.remove();
    },
  };
}
