// Rules: spec/operations.md#reload
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isLoginRefused } from '../../../../src/storage/drivers/postgres/postgres-login.ts';
import { openStore, type StoreSettings } from '../../../../src/storage/open-store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../../support/postgres/postgres-server.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { pollUntil } from '../../../support/until.ts';
import { GROUP_SETTINGS } from '../../support/rows.ts';

const folder = temporaryFolder('postgres-login', afterAll);
/** No call is as late, on any machine. */
const LIMIT_MS = 60_000;
const write = (path: string, text: string): void => writeFileSync(path, text, { mode: 0o600 });

/** Ways in which a password file is replaced. */
const WAYS: Readonly<Record<string, (path: string, text: string) => void>> = {
  'written in place': write,
  'renamed over'(path, text) {
    write(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  },
  'behind a link that is switched'(path, text) {
    const version = mkdtempSync(join(folder, 'version-'));
    write(join(version, 'text'), `${text}\n`);
    symlinkSync(join(version, 'text'), `${path}.link`);
    renameSync(`${path}.link`, path);
  },
};

/** States of a password file in the middle of a change. */
const FAULTS: Readonly<Record<string, (path: string) => void>> = {
  gone: (path) => rmSync(path),
  empty: (path) => write(path, ''),
  'half written': (path) => write(path, 'fir'),
  'of two lines': (path) => write(path, 'first\nsecond\n'),
  'a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

describe.skipIf(POSTGRES_BIN === undefined)(
  `a store on PostgreSQL with its password in a file${POSTGRES_SKIP}`,
  () => {
    let server: PostgresServer;
    let database: string;
    let file: string;
    let store: Store;
    let role = '';
    let roles = 0;

    const urlFor = (user: string, password = ''): string =>
      server.url(database).replace(/\/\/[^@]*@/, `//${user}${password === '' ? '' : `:${password}`}@`);
    const open = (change: Partial<StoreSettings> = {}): Promise<Store> =>
      openStore({
        ...GROUP_SETTINGS,
        url: urlFor(role),
        password: 'first',
        loginFiles: { url: undefined, password: file },
        poolSize: 4,
        timeoutMs: LIMIT_MS,
        ...change,
      });
    const setPassword = (text: string): Promise<unknown> =>
      server.query(`alter role ${role} password '${text}'`);
    /** Ends all sessions of the store, which it has noticed on return. */
    const cut = async (): Promise<void> => {
      await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
      await pollUntil(async () => {
        const rows = await server.query(`select 1 from pg_stat_activity where usename = '${role}'`);
        return rows.length === 0;
      });
    };
    const works = async (): Promise<boolean> => (await store.migrationStatus()).pending.length === 0;

    beforeAll(async () => {
      server = await PostgresServer.create();
    });

    beforeEach(async () => {
      database = await server.createMigratedDatabase();
      role = `svc${++roles}`;
      file = join(mkdtempSync(join(folder, 'case-')), 'password');
      write(file, 'first');
      await server.query(`create role ${role} superuser login password 'first'`);
      store = await open();
    });

    afterEach(() => store.close());
    afterAll(() => server?.remove());

    it.each(Object.entries(WAYS))('logs in with the new one that was %s', async (_, replace) => {
      for (const password of ['second', 'third']) {
        await setPassword(password);
        replace(file, password);
        await cut();
        expect(await works()).toBe(true);
      }
    });

    it('waits with the requests if the file changes a moment after the role', async () => {
      await setPassword('second');
      await cut();
      const calls = Array.from({ length: 50 }, works);
      await refusedLogins(2);
      expect(store.health()).toMatchObject({ isReachable: true, isWritable: true });
      expect(await store.probe()).toMatchObject({ isReachable: true, isWritable: true });
      write(file, 'second');
      expect(await Promise.all(calls)).toEqual(Array(50).fill(true));
    });

    it('waits also if logins were refused long before, while it had other sessions', async () => {
      await store.close();
      store = await open({ timeoutMs: 4000 });
      await works();
      await setPassword('second');
      // More than one session has: the others are refused.
      const locked = server.connect(database);
      await (await locked).query('begin; lock table schema_migrations in access exclusive mode');
      const waiting = Array.from({ length: 3 }, () => works().catch(() => false));
      await refusedLogins(3);
      await (await locked).end();
      await Promise.all(waiting);
      await cut();
      const calls = Array.from({ length: 5 }, works);
      await refusedLogins(8);
      write(file, 'second');
      expect(await Promise.all(calls)).toEqual(Array(5).fill(true));
    });

    it('logs in with the former one if the role changes a moment after the file', async () => {
      write(file, 'second');
      await cut();
      expect(await works()).toBe(true);
      await setPassword('second');
      await cut();
      expect(await works()).toBe(true);
      // The former one is no longer tried.
      write(file, 'third');
      await setPassword('third');
      await cut();
      expect(await works()).toBe(true);
    });

    it.each(Object.entries(FAULTS))('goes on with the last one while the file is %s', async (_, harm) => {
      harm(file);
      await cut();
      expect(await works()).toBe(true);
      rmSync(file, { recursive: true, force: true });
      write(file, 'second');
      await setPassword('second');
      await cut();
      expect(await works()).toBe(true);
    });

    it('keeps the sessions that it has', async () => {
      const pids = async (): Promise<unknown[]> =>
        (await server.query(`select pid from pg_stat_activity where usename = '${role}' order by pid`)).map(
          ({ pid }) => pid,
        );
      await works();
      const before = await pids();
      write(file, 'second');
      await setPassword('second');
      expect(await works()).toBe(true);
      expect(await pids()).toEqual(before);
    });

    it('reports a password that stays wrong, and recovers', async () => {
      await store.close();
      store = await open({ timeoutMs: 2000 });
      await setPassword('second');
      await cut();
      const reason = /password authentication failed for user "svc\d+" \(28P01\)/;
      await pollUntil(async () => {
        await store.probe();
        return reason.test(store.health().reason ?? '');
      });
      await expect(store.migrationStatus()).rejects.toMatchObject({ code: 'store.unreachable' });
      write(file, 'second');
      await pollUntil(async () => (await store.probe()).isWritable);
      await pollUntil(() => works().catch(() => false));
    });

    it('takes user and password from a file with the address, if it names the same database', async () => {
      await store.close();
      const urlFile = join(mkdtempSync(join(folder, 'case-')), 'url');
      write(urlFile, urlFor(role, 'first'));
      const files = { url: urlFile, password: undefined };
      store = await open({ url: urlFor(role, 'first'), password: undefined, loginFiles: files });
      const other = `${role}b`;
      await server.query(`create role ${other} superuser login password 'other'`);
      write(urlFile, urlFor(other, 'other'));
      await cut();
      expect(await works()).toBe(true);
      const [row] = await server.query(
        `select count(*) as n from pg_stat_activity where usename = '${other}'`,
      );
      expect(Number(row?.n)).toBeGreaterThan(0);
      write(urlFile, urlFor(role, 'first').replace(database, 'elsewhere'));
      await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${other}'`);
      expect(await works()).toBe(true);
    });

    it('keeps to a password in an address that is in no file', async () => {
      await store.close();
      store = await open({ url: urlFor(role, 'first') });
      write(file, 'wrong');
      await cut();
      expect(await works()).toBe(true);
    });

    /** Waits until the server has refused so many logins of the role. */
    async function refusedLogins(count: number): Promise<void> {
      const refusals = (): number =>
        server.messages.split(`authentication failed for user "${role}"`).length - 1;
      await pollUntil(() => refusals() >= count);
    }
  },
);

it.each([
  ['28P01', 'password authentication failed for user "svc"', true],
  ['28000', 'no pg_hba.conf entry for host', true],
  ['08P01', 'SASL authentication failed', true],
  ['08P01', 'server conn crashed?', false],
  [undefined, 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string', true],
  ['53300', 'sorry, too many clients already', false],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432', false],
])('an error %s, %s, is a refused login: %s', (code, message, isRefused) => {
  expect(isLoginRefused(Object.assign(new Error(message), { code }))).toBe(isRefused);
});
