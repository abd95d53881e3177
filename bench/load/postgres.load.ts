import { POSTGRES_BIN } from '../../test/support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../test/support/postgres/postgres-server.ts';
import type { Suite } from '../suite.ts';
import { startChild } from '../support/child.ts';
import { nullifierGroups } from './postgres/nullifier-groups.ts';
import { nullifierTable } from './postgres/nullifier-table.ts';
import type { NullifierProcess } from './processes/nullifier-process.ts';

/** Cost of nullifiers on PostgreSQL: of a group by its rows, and of a row in table, index and log. */
export const postgres: Suite = {
  name: 'postgres',
  async run({ budget, folder, say, leaveOut }) {
    if (POSTGRES_BIN === undefined) {
      leaveOut('postgres', 'no PostgreSQL server is installed');
      return [];
    }
    // A checkpoint in the middle of a run would add page images to some groups and not to others.
    const config = { checkpoint_timeout: "'1h'", max_wal_size: "'8GB'", shared_buffers: "'256MB'" };
    const server = await PostgresServer.create(config);
    const child = startChild<NullifierProcess>(new URL('./processes/nullifier-process.ts', import.meta.url));
    let standby: PostgresServer | undefined;
    try {
      const database = await server.createDatabase();
      standby = await server.createStandby('standby', config);
      const { durability } = await child.call('start', { folder, url: server.url(database) });
      say(`store: ${durability}`);
      const groups = await nullifierGroups(server, child, budget, budget.loadRounds);
      await child.call('close', null);
      await standby.remove();
      standby = undefined;
      server.configure({ synchronous_standby_names: "''" });
      server.reload();
      return [...groups, await nullifierTable(server, database)];
    } finally {
      await child.stop();
      await standby?.remove();
      await server.remove();
    }
  },
};
