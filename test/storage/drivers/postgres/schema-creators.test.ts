// Rules: spec/operations.md#postgresql-roles
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresDriver } from '../../../../src/storage/drivers/postgres/postgres-driver.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../../support/postgres/postgres-server.ts';
import { createRole, urlAs } from '../../../support/postgres/roles.ts';
import { addressOf } from '../../support/postgres-address-of.ts';

/** Administrators of managed databases with the usual grants of their provider, and its superuser. */
const PROVIDERS = [
  ['rds_superuser', 'rdsadmin', 'grant create on schema public to rds_superuser'],
  ['cloudsqlsuperuser', 'cloudsqladmin', 'alter database "{database}" owner to cloudsqlsuperuser'],
  ['azure_pg_admin', 'azuresu', 'alter schema public owner to azure_pg_admin'],
] as const;

describe.skipIf(POSTGRES_BIN === undefined)(`roles of PostgreSQL${POSTGRES_SKIP}`, () => {
  let server: PostgresServer;
  let database: string;

  const run = (sql: string): Promise<unknown> => server.query(sql, database);
  const open = async (): Promise<void> => {
    const driver = await openPostgresDriver({
      address: addressOf(urlAs(server, 'service', database)),
      poolSize: 1,
      prepares: true,
      timeoutMs: 60_000,
    });
    await driver.define('create table if not exists things (id bigint not null primary key)');
    await driver.close();
  };
  /** Expects a refusal that names the roles, then runs the statements that it prints. */
  const obey = async (names: string, statements: readonly string[]): Promise<void> => {
    await expect(open()).rejects.toMatchObject({
      code: 'store.shared_schema',
      message: `PostgreSQL, schema "public": other roles may create in it (${names}): ${statements.join('; ')}`,
    });
    for (const statement of statements) await run(statement);
    await open();
  };

  beforeAll(async () => {
    server = await PostgresServer.create({ fsync: 'off' });
    for (const role of ['service', 'other', 'migrator']) await createRole(server, role);
    await createRole(server, 'developers', 'nologin');
    await createRole(server, 'dev', 'login noinherit in role developers');
    await createRole(server, 'super', 'superuser login');
  });

  afterAll(async () => {
    await server?.remove();
  });

  beforeEach(async () => {
    database = await server.createDatabase('template template0 owner service');
  });

  it('that may create by a grant to PUBLIC are refused until it is revoked', async () => {
    await run('grant create on schema public to public');
    await obey('"dev", "migrator", "other"', ['revoke create on schema "public" from public']);
  });

  it('that may create by a grant that they can pass on are refused until it is revoked', async () => {
    await run('grant create on schema public to other with grant option');
    await run('set role other; grant create on schema public to migrator');
    await expect(open()).rejects.toMatchObject({ code: 'store.shared_schema' });
    await run('revoke create on schema "public" from "other" cascade');
    await open();
  });

  it('that may create as members of another role are refused until it is revoked', async () => {
    await run('grant create on schema public to developers');
    await obey('"dev"', ['revoke create on schema "public" from "developers" cascade']);
  });

  it('lose what the service keeps by a grant of its own', async () => {
    await server.query(`alter database ${database} owner to postgres`);
    await run('grant create on schema public to public');
    await obey('"dev", "migrator", "other"', [
      'grant create on schema "public" to "service"',
      'revoke create on schema "public" from public',
    ]);
  });

  it('that have left objects in the schema are refused', async () => {
    await run(
      'grant create on schema public to other; set role other; create table admin_tokens (id int); reset role',
    );
    await run('revoke create on schema public from other');
    await expect(open()).rejects.toMatchObject({
      message:
        'PostgreSQL, schema "public": drop what other roles have created in it, or change its owner: table public.admin_tokens',
    });
    await run('alter table admin_tokens owner to service');
    await open();
  });

  it('whose group owns the objects are accepted if only the service is in it', async () => {
    await server.query(`alter database ${database} owner to postgres`);
    await createRole(server, 'group of tables', 'nologin role service');
    await run('grant create on schema public to "group of tables"');
    await run('create table things (id bigint primary key); alter table things owner to "group of tables"');
    await open();
    await run('grant "group of tables" to other');
    await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('table public.things') });
    await run('revoke "group of tables" from other');
  });

  it('are named without the control characters that they have', async () => {
    await run('create function public."\u001b[2J"() returns int language sql return 1');
    await run('alter function public."\u001b[2J"() owner to other');
    await expect(open()).rejects.toMatchObject({ message: expect.stringMatching(/^[^\p{Cc}]+$/u) });
  });

  it('that own the database or the schema, or are members of such a role, are accepted', async () => {
    await server.query(`alter database ${database} owner to migrator`);
    await run(
      'alter schema public owner to developers; grant create on schema public to service, dev, super',
    );
    await open();
  });

  it('that own a schema with the name of the role of the service are refused', async () => {
    await run('create schema service authorization other; grant all on schema service to service');
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining(
        'alter schema "service" owner to "service" if it is that of the store, drop schema "service" if it is not',
      ),
    });
    await run('drop schema "service"');
    await open();
  });

  it('without a schema in their search path are told so', async () => {
    await run('drop schema public');
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining('no schema of the search_path of the role exists'),
    });
  });

  it('use the schema that their search path names, also after that of the system', async () => {
    await run('create schema "a ""b" authorization service');
    await server.query(`alter role service in database ${database} set search_path = pg_catalog, "a ""b"`);
    await open();
    const tables = await run("select schemaname from pg_tables where tablename = 'things'");
    expect(tables).toEqual([{ schemaname: 'a "b' }]);
  });

  describe.each(PROVIDERS)('of a managed database, %s with the superuser %s', (group, superuser, grants) => {
    it('are accepted, and refused where the provider is not the one', async () => {
      await createRole(server, group, 'nologin');
      await createRole(server, superuser, 'superuser login');
      await createRole(server, 'master', `login createdb createrole in role ${group}`);
      await run(grants.replace('{database}', database));
      await run(`grant create on schema public to ${group}, service`);
      await open();
      await server.query(`alter role ${superuser} nosuperuser`);
      await server.query(`alter database ${database} owner to service`);
      await run(`alter schema public owner to service; grant create on schema public to ${group}`);
      await expect(open()).rejects.toMatchObject({
        message: expect.stringContaining(
          `("master"): revoke create on schema "public" from "${group}" cascade`,
        ),
      });
      await run('drop owned by master');
      await server.query('drop role master');
    });
  });
});
