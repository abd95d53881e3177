// Rules: spec/operations.md#diagnosis
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import { putCopyMark } from '../../../src/storage/copy/copy-marks.ts';
import { openPostgresDriver } from '../../../src/storage/drivers/postgres/postgres-driver.ts';
import { addressOf } from '../../storage/support/postgres-address-of.ts';
import { freePort } from '../../support/free-port.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { createRole } from '../../support/postgres/roles.ts';
import { startServer } from '../../support/server/server-process.ts';
import { checkBackendsOnce } from '../support/check-backends-once.ts';
import { makeEmptyCliFolder, useCliFolder } from '../support/cli.ts';

/** Checks that depend on this machine rather than on the service. */
const MACHINE_CHECKS = ['disk', 'descriptors', 'shape'];

describe.skipIf(POSTGRES_BIN === undefined)(`proofgate doctor with PostgreSQL${POSTGRES_SKIP}`, () => {
  let server: PostgresServer;
  const folder = useCliFolder({ make: makeEmptyCliFolder });
  let database: string;

  checkBackendsOnce();

  beforeAll(async () => {
    server = await PostgresServer.create();
    await createRole(server, 'other');
  });

  afterAll(async () => {
    await server?.remove();
  });

  beforeEach(async () => {
    database = await server.createMigratedDatabase();
  });

  const examine = async (
    url: string,
    env: Record<string, string> = {},
  ): Promise<{ code: number; checks: Map<string, CheckResult> }> => {
    const { code, stdout } = await folder.run('doctor --json', {
      now: Date.now(),
      env: {
        PROOFGATE_STORAGE_URL: url,
        PROOFGATE_SERVER_PORT: '0',
        PROOFGATE_ADMIN_PORT: '0',
        ...env,
      },
    });
    const { checks } = JSON.parse(stdout) as { checks: CheckResult[] };
    return { code, checks: new Map(checks.map((check) => [check.name, check])) };
  };
  const storeCheck = async (url: string): Promise<CheckResult | undefined> =>
    (await examine(url)).checks.get('store');

  it('knows the node of its settings on the ports', async () => {
    const ports = {
      PROOFGATE_SERVER_PORT: String(await freePort()),
      PROOFGATE_ADMIN_PORT: String(await freePort()),
    };
    const env = { ...ports, PROOFGATE_STORAGE_URL: server.url(database) };
    const node = await startServer(folder.path, env);
    onTestFinished(async () => void (await node.end('SIGTERM')));
    const { code, checks } = await examine(server.url(database), ports);
    for (const name of ['server.port', 'admin.port']) {
      expect(checks.get(name)).toMatchObject({
        status: 'ok',
        detail: expect.stringContaining('is in use by the running Proofgate, which is ready'),
      });
    }
    const failed = [...checks.values()].filter(({ status }) => status === 'fail');
    expect(failed.filter(({ name }) => !MACHINE_CHECKS.includes(name))).toEqual([]);
    expect(code).toBe(failed.length === 0 ? 0 : 1);
  });

  it('fails on a port used by a Proofgate if no node of this machine uses the store', async () => {
    const other = createServer((_request, response) => {
      response.setHeader('X-Request-Id', 'one').end();
    });
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const port = String((other.address() as AddressInfo).port);
    onTestFinished(async () => {
      other.close();
      other.closeAllConnections();
    });
    const { checks } = await examine(server.url(database), { PROOFGATE_ADMIN_PORT: port });
    expect(checks.get('admin.port')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('in use by a Proofgate on another store'),
    });
  });

  it.each([
    ['a wrong password', (url: URL) => Object.assign(url, { password: 'wrong' }), 'or its password'],
    ['no password', (url: URL) => Object.assign(url, { password: '' }), 'or its password'],
    [
      'a database that is missing',
      (url: URL) => Object.assign(url, { pathname: '/none' }),
      'Correct the database in',
    ],
    [
      'a refused connection',
      (url: URL) => Object.assign(url, { port: '1' }),
      'Start the server, or correct host and port',
    ],
    ['an unknown host', (url: URL) => Object.assign(url, { hostname: 'db..invalid' }), 'Correct the host in'],
  ])('names the cure of %s', async (_fault, change, cure) => {
    const url = new URL(server.url(database).replace('postgres:', 'http:'));
    expect(await storeCheck(change(url).href.replace('http:', 'postgres:'))).toMatchObject({
      status: 'fail',
      code: 'store.unreachable',
      cure: expect.stringContaining(cure),
    });
  });

  it('names the cure of a store that was moved', async () => {
    const driver = await openPostgresDriver({
      address: addressOf(server.url(database)),
      poolSize: 1,
      prepares: true,
      timeoutMs: 60_000,
    });
    await driver.write([putCopyMark({ role: 'source', copyId: 'one', closedAt: 1 }, 'a process')]);
    await driver.close();
    expect(await storeCheck(server.url(database))).toMatchObject({
      code: 'store.moved',
      cure: expect.stringContaining('Name the other store in storage.url'),
    });
  });

  it('names the cure of a store that was replaced by an empty database', async () => {
    const { checks } = await examine(server.url(await server.createDatabase()));
    expect(checks.get('migrations')).toMatchObject({
      status: 'warn',
      cure: expect.stringContaining('correct storage.url, which names another database'),
    });
  });

  it('names the statements that a schema of other roles needs', async () => {
    await server.query('grant create on schema public to other', database);
    expect(await storeCheck(server.url(database))).toMatchObject({
      status: 'fail',
      code: 'store.shared_schema',
      detail: expect.stringContaining('revoke create on schema "public" from "other" cascade'),
      cure: expect.stringContaining('Run the statements'),
    });
  });
});
