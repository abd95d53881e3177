// Rules: spec/operations.md#production-refusals and spec/operations.md#postgresql-durability
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { opened } from '../support/opened.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { runProofgate, startServer } from '../support/server/server-process.ts';

describe.skipIf(POSTGRES_BIN === undefined)(`production on PostgreSQL${POSTGRES_SKIP}`, () => {
  let env: Record<string, string>;

  const server = opened(() => PostgresServer.create(), 'remove');
  beforeAll(async () => {
    env = {
      PROOFGATE_PROFILE: 'production',
      // Neither made nor needed: all that a node keeps is in the database.
      PROOFGATE_DATA_DIR: '/proc/no-folder-can-be-made-here',
      PROOFGATE_STORAGE_URL: server.url(await server.createDatabase()),
      PROOFGATE_BASE_URL: 'https://id.example',
      PROOFGATE_ADMIN_TOKEN: 'a-token-that-nobody-guesses-0123456789',
      PROOFGATE_KEYS_MASTER_KEY: randomBytes(32).toString('base64url'),
      PROOFGATE_REFRESH_SIGNING_SEED: 'c4'.repeat(32),
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: '0',
      PROOFGATE_ADMIN_PORT: '0',
      PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '0',
    };
  });

  it('migrates only when told to, and runs without a data folder', async () => {
    const refused = await runProofgate(['serve'], env);
    expect(refused.code).toBe(78);
    expect(refused.output).toContain('migrations are pending');
    const started = await startServer(env.PROOFGATE_DATA_DIR ?? '', env, ['--migrate']);
    expect((await fetch(`${started.publicUrl}/healthz`)).status).toBe(200);
    expect(started.output()).toContain('"event":"store.durability"');
    expect(started.output()).toContain('a failover to a standby may lose the last acknowledged writes');
    expect((await started.end('SIGTERM')).code).toBe(0);
  });

  it.each(['fsync', 'full_page_writes', 'synchronous_commit'])(
    'refuses a server with %s off unless the loss is accepted, and doctor says so',
    async (setting) => {
      await server.query(`alter system set ${setting} = off`);
      server.reload();
      onTestFinished(async () => {
        await server.query(`alter system reset ${setting}`);
        server.reload();
      });
      const refused = await runProofgate(['serve'], env);
      expect(refused.code).toBe(78);
      expect(refused.output).toContain(`the store: ${setting}=off`);
      const doctor = await runProofgate(['doctor'], env);
      expect(doctor.output, doctor.output).toMatch(new RegExp(`^fail +durability +${setting}=off`, 'm'));
      const accepting = { ...env, PROOFGATE_STORAGE_ALLOW_VOLATILE: 'true' };
      const started = await startServer(env.PROOFGATE_DATA_DIR ?? '', accepting);
      expect((await fetch(`${started.publicUrl}/healthz`)).status).toBe(200);
      expect(started.output()).toContain(`the store: ${setting}=off`);
      expect((await started.end('SIGTERM')).code).toBe(0);
    },
  );

  it('exits 69 while no server answers', async () => {
    const absent = { ...env, PROOFGATE_STORAGE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    const { code, output } = await runProofgate(['serve'], absent);
    expect(code).toBe(69);
    expect(output).toContain('PostgreSQL at 127.0.0.1:1/none: 127.0.0.1:1: connect ECONNREFUSED');
  });

  it('has no backup of its own', async () => {
    const { code, output } = await runProofgate(['backup', '/tmp/never-written.db'], env);
    expect(code).toBe(1);
    expect(output).toContain('store.not_a_file');
  });
});
