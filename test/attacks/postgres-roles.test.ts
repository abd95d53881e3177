// Rules: spec/operations.md#postgresql-roles
import { createHash } from 'node:crypto';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresDriver } from '../../src/storage/drivers/postgres/postgres-driver.ts';
import { openStore } from '../../src/storage/open-store.ts';
import { type Store, storeOver } from '../../src/storage/store.ts';
import { addressOf } from '../storage/support/postgres-address-of.ts';
import { GROUP_SETTINGS } from '../storage/support/rows.ts';
import { opened } from '../support/opened.ts';
import { isPoolerInstalled, startPooler } from '../support/postgres/pooler.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { createRole, ROLE_PASSWORD, urlAs } from '../support/postgres/roles.ts';
import { expectRejected } from '../support/rejects.ts';

const SERVICE = 'service';
const OTHER = 'other';
const HASH = createHash('sha256').update('a token of the attacker').digest();
const SHADOW = `
  create schema ${SERVICE} authorization ${OTHER};
  create table ${SERVICE}.admin_tokens (token_id text primary key, hash bytea, name text, scope text, created_at bigint, expires_at bigint);
  insert into ${SERVICE}.admin_tokens values ('at_000000000000', '\\x${HASH.toString('hex')}', 'evil', 'write', 0, null);
  grant usage on schema ${SERVICE} to public;
  grant select on ${SERVICE}.admin_tokens to public`;
/** Runs where the service multiplies a time. */
const OPERATOR = `
  create function public.evil(numeric, integer) returns numeric language plpgsql as $$
  begin
    if current_user <> '${OTHER}' then
      insert into public.admin_tokens values ('at_000000000000', '\\x${HASH.toString('hex')}', 'evil', 'write', 0, null);
    end if;
    return $1 operator(pg_catalog.*) $2::numeric;
  end $$;
  create operator public.* (leftarg = numeric, rightarg = integer, function = public.evil)`;

describe.skipIf(POSTGRES_BIN === undefined)(`a role without rights on any table${POSTGRES_SKIP}`, () => {
  let database: string;

  const asOther = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: urlAs(server, OTHER, database) });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const asOwner = (sql: string): Promise<unknown> => server.query(sql, database);
  const open = (url: string): Promise<Store> =>
    openStore({ url, ...GROUP_SETTINGS, timeoutMs: 60_000, prepare: false });
  const openHere = (): Promise<Store> => open(urlAs(server, SERVICE, database));
  const cutSessions = async (): Promise<void> => {
    await server.query(
      `select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename = '${SERVICE}'`,
    );
  };
  const isAdmin = async (store: Store): Promise<boolean> =>
    (await store.adminTokens.find(HASH, Date.now())) !== undefined;

  const server = opened(() => PostgresServer.create({ fsync: 'off' }), 'remove');
  beforeAll(async () => {
    for (const name of [SERVICE, OTHER]) await createRole(server, name);
  });

  beforeEach(async () => {
    database = await server.createDatabase(`template template0 owner ${SERVICE}`);
    const store = await openHere();
    await store.migrate();
    await store.close();
  });

  it('is no administrator by a schema that comes first in the default search path', async () => {
    const store = await openHere();
    await asOwner(`grant create on database ${database} to ${OTHER}`);
    await asOther(SHADOW);
    expect(await isAdmin(store)).toBe(false);
    await cutSessions();
    expect(await isAdmin(store)).toBe(false);
    await store.close();
    await expectRejected(openHere(), 'store.shared_schema', `drop schema "${SERVICE}" if it is not`);
  });

  it('is no administrator by an operator of its own in the schema of the store', async () => {
    await asOwner('grant create on schema public to public');
    await asOther(OPERATOR);
    const refusal = await openHere().catch((error: Error) => error.message);
    expect(refusal).toContain('("other"): revoke create on schema "public" from public; ');
    expect(refusal).toContain('function public.evil(numeric,integer), operator public.*(numeric,integer)');
    await asOwner('revoke create on schema "public" from public');
    await expect(openHere()).rejects.toMatchObject({ code: 'store.shared_schema' });
    await asOwner('drop operator public.* (numeric, integer); drop function public.evil');
    const store = await openHere();
    await store.nodes.time();
    expect(await isAdmin(store)).toBe(false);
    await store.close();
  });

  it('is no administrator by a temporary table', async () => {
    const driver = await openPostgresDriver({
      address: addressOf(urlAs(server, SERVICE, database)),
      poolSize: 1,
      prepares: true,
      timeoutMs: 60_000,
    });
    await driver.define('create temporary table admin_tokens (like public.admin_tokens)');
    await driver.define(
      `insert into pg_temp.admin_tokens values ('at_000000000000', '\\x${HASH.toString('hex')}', 'evil', 'write', 0, null)`,
    );
    expect(await isAdmin(storeOver(driver, GROUP_SETTINGS))).toBe(false);
    await driver.close();
  });

  const skip = isPoolerInstalled ? '' : ' (skipped: PgBouncer is not installed)';
  describe.skipIf(!isPoolerInstalled)(`behind a pooler${skip}`, () => {
    const pooler = opened(() => startPooler(server, { user: SERVICE, password: ROLE_PASSWORD }), 'end');

    it('is no administrator by a schema, in whichever session of the server a transaction runs', async () => {
      const store = await open(pooler.url(database));
      await asOwner(`grant create on database ${database} to ${OTHER}`);
      await asOther(SHADOW);
      expect(await isAdmin(store)).toBe(false);
      // All later sessions of the server begin with the default search path.
      await cutSessions();
      expect(await Promise.all(Array.from({ length: 10 }, () => isAdmin(store)))).not.toContain(true);
      await store.close();
    });
  });
});
