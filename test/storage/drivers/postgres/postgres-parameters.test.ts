// Rules: spec/operations.md#postgresql-address
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pointOf } from '../../../../src/storage/drivers/driver.ts';
import { openPostgresDriver } from '../../../../src/storage/drivers/postgres/postgres-driver.ts';
import { POSTGRES_BIN, POSTGRES_SKIP, POSTGRES_USER } from '../../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../../support/postgres/postgres-server.ts';
import { makeCertificate } from '../../../support/server/certificate.ts';
import { runProofgate } from '../../../support/server/server-process.ts';
import { addressOf } from '../../support/postgres-address-of.ts';

const BOUND = 'the server does not bind its authentication to TLS, as channel_binding=require demands';

describe.skipIf(POSTGRES_BIN === undefined)(`parameters of an address, at a server${POSTGRES_SKIP}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-postgres-parameters-'));
  const ca = join(folder, 'ca.pem');
  let server: PostgresServer;
  let sockets: string;
  let password: string;

  beforeAll(async () => {
    const { cert, key } = await makeCertificate('localhost');
    writeFileSync(ca, cert);
    server = await PostgresServer.create();
    password = new URL(server.url()).password;
    sockets = join(server.folder, 'sockets');
    mkdirSync(sockets);
    const [certFile, keyFile] = [join(server.folder, 'c.pem'), join(server.folder, 'k.pem')];
    writeFileSync(certFile, cert, { mode: 0o600 });
    writeFileSync(keyFile, key, { mode: 0o600 });
    for (const path of [sockets, certFile, keyFile]) {
      if (POSTGRES_USER !== undefined) chownSync(path, POSTGRES_USER.uid, POSTGRES_USER.gid);
    }
    for (const role of ['trusted', 'hashed', 'clear']) {
      await server.query(`set password_encryption = ${role === 'hashed' ? "'md5'" : "'scram-sha-256'"};
        create role ${role} login password 'secret'`);
    }
    const hba = join(server.folder, 'data', 'pg_hba.conf');
    const own = `host all trusted all trust\nhost all hashed all md5\nhost all clear all password\n`;
    writeFileSync(hba, own + readFileSync(hba, 'utf8'));
    server.configure({
      ssl: 'on',
      ssl_cert_file: `'${certFile}'`,
      ssl_key_file: `'${keyFile}'`,
      unix_socket_directories: `'${sockets}'`,
    });
    await server.stop();
    await server.start();
  });

  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns the answers to statements, each run in a transaction of its own. */
  async function ask(url: string, ...queries: string[]): Promise<unknown[]> {
    const driver = await openPostgresDriver({
      address: addressOf(url),
      poolSize: 3,
      prepares: true,
      timeoutMs: 60_000,
    });
    try {
      const answers: unknown[] = [];
      for (const query of queries) answers.push((await driver.read(pointOf(query)))[0]?.[0]);
      return answers;
    } finally {
      await driver.close();
    }
  }

  it('find the folder of a socket, on which TLS is neither needed nor used', async () => {
    const query = 'select inet_client_addr() is null';
    const at = `postgres://postgres:${password}@:${server.port}/postgres?host=${sockets}`;
    for (const more of ['', '&sslmode=require', '&sslmode=verify-full']) {
      expect(await ask(`${at}${more}`, query), more).toEqual(['t']);
    }
    const inParameters = `postgres:///?host=${sockets}&port=${server.port}&user=postgres&dbname=postgres&password=${password}`;
    expect(await ask(inParameters, query)).toEqual(['t']);
  });

  it('bind the authentication to TLS where the address demands it', async () => {
    const url = `${server.url('postgres')}?sslmode=require&channel_binding=`;
    const encrypted = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
    for (const value of ['require', 'prefer', 'disable']) {
      expect(await ask(url + value, encrypted), value).toEqual(['t']);
    }
  });

  it.each(['trusted', 'hashed', 'clear'])(
    'refuse a server that authenticates otherwise, when the address demands binding (%s)',
    async (role) => {
      const url = server.url('postgres').replace(/\/\/.*@/, `//${role}:secret@`);
      expect(await ask(`${url}?sslmode=require&channel_binding=prefer`, 'select 1')).toEqual([1]);
      await expect(ask(`${url}?sslmode=require&channel_binding=require`, 'select 1')).rejects.toMatchObject({
        code: 'store.unreachable',
        message: expect.stringContaining(BOUND),
      });
    },
  );

  it('begin TLS at once with sslnegotiation=direct, as PostgreSQL 17 and later want it', async () => {
    const protocols: unknown[] = [];
    const options = { key: readFileSync(join(server.folder, 'k.pem')), cert: readFileSync(ca) };
    const front = createServer({ ...options, ALPNProtocols: ['postgresql'] }, (socket) => {
      protocols.push(socket.alpnProtocol);
      const target = connect(server.port, '127.0.0.1');
      socket.pipe(target).pipe(socket);
      for (const end of [socket, target]) end.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    onTestFinished(() => void front.close());
    const { port } = front.address() as AddressInfo;
    const at = `postgres://postgres:${password}@localhost:${port}/postgres?sslrootcert=${ca}`;
    expect(await ask(`${at}&sslnegotiation=direct`, 'select 1')).toEqual([1]);
    expect(protocols).toEqual(['postgresql']);
    // Behind what ends TLS, the server cannot offer the binding.
    await expect(
      ask(`${at}&sslnegotiation=direct&channel_binding=require`, 'select 1'),
    ).rejects.toMatchObject({ message: expect.stringContaining(BOUND) });
  });

  it('set the session, the schema and the number of connections', async () => {
    await server.query('create schema s1; create schema s2');
    const asked = ['select current_schema()', "select current_setting('work_mem')"];
    const url = `${server.url('postgres')}?options=-c%20work_mem%3D5MB%20-c%20search_path%3Ds1`;
    expect(await ask(url, ...asked)).toEqual(['s1', '5MB']);
    expect(await ask(`${url}&schema=s2`, ...asked)).toEqual(['s2', '5MB']);
  });

  it('prepare no statement by name at a pooler', async () => {
    const read = pointOf('select count(*) from pg_prepared_statements where name <> $1', ['x']);
    const named = async (parameters: string): Promise<unknown> => {
      const driver = await openPostgresDriver({
        address: addressOf(`${server.url('postgres')}${parameters}`),
        poolSize: 1,
        prepares: true,
        timeoutMs: 60_000,
      });
      try {
        await driver.read(read);
        return (await driver.read(read))[0]?.[0];
      } finally {
        await driver.close();
      }
    };
    expect(await named('')).toBeGreaterThan(0);
    expect(await named('?pgbouncer=false')).toBeGreaterThan(0);
    expect(await named('?pgbouncer=true')).toBe(0);
  });

  it('trust the authorities of the system and of NODE_EXTRA_CA_CERTS with sslrootcert=system', async () => {
    const url = server.url('postgres').replace('@127.0.0.1:', '@localhost:');
    const env = {
      PROOFGATE_STORAGE_URL: `${url}?sslmode=verify-full&sslrootcert=system`,
      PROOFGATE_DATA_DIR: folder,
    };
    const trusted = await runProofgate(['migrate', 'status'], { ...env, NODE_EXTRA_CA_CERTS: ca });
    expect(trusted.output).not.toContain('store.unreachable');
    expect(trusted.output).toMatch(/1 +apps +pending/);
    const untrusted = await runProofgate(['migrate', 'status'], env);
    expect(untrusted.output).toMatch(/store\.unreachable.*self-signed certificate/);
    expect(untrusted.output).not.toContain(password);
  });
});
