// Rules: spec/operations.md#postgresql-address
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pointOf } from '../../../../src/storage/drivers/driver.ts';
import { openPostgresDriver } from '../../../../src/storage/drivers/postgres/postgres-driver.ts';
import { PostgresCredentials } from '../../../../src/storage/drivers/postgres/postgres-login.ts';
import { POSTGRES_BIN, POSTGRES_SKIP, POSTGRES_USER } from '../../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../../support/postgres/postgres-server.ts';
import { makeCertificate } from '../../../support/server/certificate.ts';
import { addressOf } from '../../support/postgres-address-of.ts';

describe.skipIf(POSTGRES_BIN === undefined)(`TLS to PostgreSQL${POSTGRES_SKIP}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-postgres-tls-'));
  const [own, other] = [join(folder, 'own.pem'), join(folder, 'other.pem')];
  let server: PostgresServer;
  let plain: PostgresServer;

  beforeAll(async () => {
    const { cert, key } = await makeCertificate('localhost');
    writeFileSync(own, cert);
    writeFileSync(other, (await makeCertificate('localhost')).cert);
    plain = await PostgresServer.create();
    server = await PostgresServer.create();
    const files = { ssl_cert_file: join(server.folder, 'c.pem'), ssl_key_file: join(server.folder, 'k.pem') };
    for (const [file, content] of [
      [files.ssl_cert_file, cert],
      [files.ssl_key_file, key],
    ] as const) {
      writeFileSync(file, content, { mode: 0o600 });
      if (POSTGRES_USER !== undefined) chownSync(file, POSTGRES_USER.uid, POSTGRES_USER.gid);
    }
    server.configure({
      ssl: 'on',
      ssl_cert_file: `'${files.ssl_cert_file}'`,
      ssl_key_file: `'${files.ssl_key_file}'`,
    });
    await server.stop();
    await server.start();
  });

  afterAll(async () => {
    await server?.remove();
    await plain?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const isEncrypted = async (parameters: string, host: string, target = server): Promise<unknown> => {
    const url = target.url('postgres', parameters).replace('@127.0.0.1:', `@${host}:`);
    const driver = await openPostgresDriver({
      address: addressOf(url),
      poolSize: 1,
      prepares: true,
      timeoutMs: 60_000,
    });
    try {
      const sql = 'select count(*) from pg_stat_ssl where ssl and pid = pg_backend_pid()';
      return (await driver.read(pointOf(sql)))[0]?.[0] === 1;
    } finally {
      await driver.close();
    }
  };

  it.each([
    ['?sslmode=disable', '127.0.0.1', false],
    ['?sslmode=require', '127.0.0.1', true],
    [`?sslmode=verify-ca&sslrootcert=${own}`, '127.0.0.1', true],
    [`?sslmode=verify-full&sslrootcert=${own}`, 'localhost', true],
  ])('%s to %s is encrypted: %s', async (parameters, host, expected) => {
    expect(await isEncrypted(parameters, host)).toBe(expected);
  });

  it.each([
    ['another name', `?sslmode=verify-full&sslrootcert=${own}`, '127.0.0.1'],
    ['another issuer', `?sslmode=verify-full&sslrootcert=${other}`, 'localhost'],
    ['another issuer, name not checked', `?sslmode=verify-ca&sslrootcert=${other}`, 'localhost'],
    ['an issuer that the system does not know', '?sslmode=verify-full', 'localhost'],
  ])('refuses a certificate of %s', async (_what, parameters, host) => {
    await expect(isEncrypted(parameters, host)).rejects.toMatchObject({
      code: 'store.unreachable',
      message: expect.stringMatching(/certificate|altnames/i),
    });
  });

  it('does not fall back to plain text', async () => {
    await expect(isEncrypted('?sslmode=require', '127.0.0.1', plain)).rejects.toMatchObject({
      code: 'store.unreachable',
    });
  });

  it('reads the files again for each connection, and keeps those of before while they do not fit', async () => {
    const [root, certificate, key] = ['root', 'certificate', 'key'].map((name) =>
      join(folder, `${name}.pem`),
    ) as [string, string, string];
    const client = await makeCertificate('client');
    writeFileSync(root, readFileSync(own));
    writeFileSync(certificate, client.cert);
    writeFileSync(key, client.key);
    const credentials = new PostgresCredentials(
      addressOf(
        server.url('postgres', `?sslmode=verify-ca&sslrootcert=${root}&sslcert=${certificate}&sslkey=${key}`),
      ),
    );
    const roots = (): string => {
      const tls = credentials.tls();
      return tls === false ? '' : String(tls.ca);
    };
    expect(roots()).toBe(readFileSync(own, 'utf8'));
    writeFileSync(root, readFileSync(other));
    expect(roots()).toBe(readFileSync(other, 'utf8'));
    const renewed = await makeCertificate('client');
    writeFileSync(certificate, renewed.cert);
    writeFileSync(root, readFileSync(own));
    expect(roots()).toBe(readFileSync(other, 'utf8'));
    writeFileSync(key, renewed.key);
    expect(roots()).toBe(readFileSync(own, 'utf8'));
    rmSync(key);
    expect(credentials.tls()).toMatchObject({
      cert: Buffer.from(renewed.cert),
      key: Buffer.from(renewed.key),
    });
  });

  it('refuses files that cannot be read', async () => {
    await expect(isEncrypted('?sslmode=require&sslrootcert=/absent.pem', 'localhost')).rejects.toMatchObject({
      code: 'config.invalid',
    });
  });
});
