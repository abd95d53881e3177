// Rules: spec/operations.md#postgresql-failures
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPoolerInstalled, type Pooler, startPooler } from '../../../support/postgres/pooler.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../../support/postgres/postgres-server.ts';
import { startChild } from '../../support/processes/child.ts';

const SKIP = isPoolerInstalled ? POSTGRES_SKIP : ' (skipped: PgBouncer is not installed)';

describe.skipIf(POSTGRES_BIN === undefined || !isPoolerInstalled)(
  `prepared statements behind a pooler that shares sessions${SKIP}`,
  () => {
    let server: PostgresServer;
    let pooler: Pooler;

    /** Takes the session of the server that is free, or a new one if there is none. */
    const takeSession = async (): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: pooler.url('postgres') });
      await client.connect();
      await client.query('begin');
      return client;
    };
    const giveBack = async (client: pg.Client): Promise<void> => {
      await client.query('commit');
      await client.end();
    };

    beforeAll(async () => {
      server = await PostgresServer.create({ fsync: 'off' });
      pooler = await startPooler(server, { sessions: 2 });
    });

    afterAll(async () => {
      await pooler?.end();
      await server?.remove();
    });

    it('are those of the process that runs them, in a session in which another one has prepared its own', async () => {
      const one = startChild('pooled-process.ts', [pooler.url('postgres'), 'one']);
      await one.waitForLines(1);
      const firstSession = await takeSession();
      const other = startChild('pooled-process.ts', [pooler.url('postgres'), 'other']);
      await other.waitForLines(1);
      const secondSession = await takeSession();
      await giveBack(firstSession);
      other.endInput();
      await other.waitForLines(2);
      expect(other.lines).toEqual(['statement of other, other', 'statement of other, other']);
      await giveBack(secondSession);
      one.endInput();
      await one.waitForLines(2);
      expect(one.lines).toEqual(['statement of one, one', 'statement of one, one']);
    });
  },
);
