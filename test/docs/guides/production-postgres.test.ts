/** Runs the statements of production.md in a server as the administrator of a managed database, then a service as both roles. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/storage/open-store.ts';
import { GROUP_SETTINGS, nullifierEntry } from '../../storage/support/rows.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { createRole, ROLE_PASSWORD, urlAs } from '../../support/postgres/roles.ts';
import { runProofgate, startServer } from '../../support/server/server-process.ts';
import { snippet } from './support/snippets.ts';

const ADMINISTRATOR = 'administrator';

describe.skipIf(POSTGRES_BIN === undefined)(`roles of production.md${POSTGRES_SKIP}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-roles-'));
  let server: PostgresServer;
  const settingsOf = (role: string): Record<string, string> => ({
    PROOFGATE_PROFILE: 'test',
    PROOFGATE_DATA_DIR: folder,
    PROOFGATE_STORAGE_URL: urlAs(server, role, 'proofgate'),
  });
  const runBlock = async (file: string, database: string): Promise<void> => {
    const client = new pg.Client({ connectionString: urlAs(server, ADMINISTRATOR, database) });
    await client.connect();
    for (const statement of snippet('production', file).split(/;(?: --.*)?\n/)) await client.query(statement);
    await client.end();
  };

  beforeAll(async () => {
    server = await PostgresServer.create();
    await createRole(server, ADMINISTRATOR, 'login createdb createrole');
    await createRole(server, 'other');
    await runBlock('roles.sql', 'postgres');
    await runBlock('rights.sql', 'proofgate');
    for (const role of ['proofgate-owner', 'proofgate']) {
      await server.query(`alter role "${role}" password '${ROLE_PASSWORD}'`);
    }
  });

  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true });
  });

  it('let the owner migrate, and the service serve and change rows but no table', async () => {
    expect(await runProofgate(['migrate', 'up'], settingsOf('proofgate-owner'))).toMatchObject({ code: 0 });
    const service = await startServer(folder, settingsOf('proofgate'));
    expect((await fetch(`${service.adminUrl}/health/ready`)).status).toBe(200);
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
    const store = await openStore({ url: urlAs(server, 'proofgate', 'proofgate'), ...GROUP_SETTINGS });
    expect(await store.nullifiers.record(nullifierEntry())).toMatchObject({ isNew: true });
    expect(await store.migrationStatus()).toMatchObject({ pending: [] });
    await store.close();
    const rights = await server.query(
      `select tablename, privilege from pg_tables, unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'trigger', 'references']) privilege
       where schemaname = 'public' and has_table_privilege('proofgate', format('public.%I', tablename), privilege) <> (privilege in ('select', 'insert', 'update', 'delete'))`,
      'proofgate',
    );
    expect(rights).toEqual([]);
  });

  it('let no other role connect, and only the owner create', async () => {
    const rights = await server.query(
      `select rolname, has_database_privilege(oid, 'proofgate', 'connect') as connects,
         has_database_privilege(oid, 'proofgate', 'create') or has_schema_privilege(oid, 'public', 'create') as creates
       from pg_roles where rolname in ('proofgate-owner', 'proofgate', 'other') order by rolname`,
      'proofgate',
    );
    expect(rights).toEqual([
      { rolname: 'other', connects: false, creates: false },
      { rolname: 'proofgate', connects: true, creates: false },
      { rolname: 'proofgate-owner', connects: true, creates: true },
    ]);
  });
});
