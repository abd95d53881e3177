import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../free-port.ts';
import { pollUntil } from '../until.ts';
import { POSTGRES_USER } from './postgres-programs.ts';
import type { PostgresServer } from './postgres-server.ts';

/** Whether PgBouncer is installed. */
export const isPoolerInstalled: boolean = (() => {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A PgBouncer before a server. */
export interface Pooler {
  /** Address of a database through the pooler. */
  url(database: string): string;
  /** Ends the process like a crash. */
  kill(): Promise<void>;
  /** Starts the process again, on the same port. */
  start(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode: consecutive transactions of a client run in different sessions of the server.
 *
 * @param options - Role of all sessions, by default that of the server's address, and how many sessions a database gets.
 */
export async function startPooler(
  server: PostgresServer,
  options: { readonly user?: string; readonly password?: string; readonly sessions?: number } = {},
): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-pooler-'));
  const port = await freePort();
  const url = new URL(server.url());
  const { user = url.username, password = decodeURIComponent(url.password), sessions = 5 } = options;
  const users = join(folder, 'users.txt');
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${user}" "${password}"\n`);
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=${user} password='${password}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${sessions}
`,
  );
  if (POSTGRES_USER !== undefined) {
    chmodSync(folder, 0o700);
    for (const path of [folder, users, config]) chownSync(path, POSTGRES_USER.uid, POSTGRES_USER.gid);
  }
  let child: ChildProcess | undefined;
  const urlOf = (database: string): string =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  const signal = (): unknown => child?.kill('SIGKILL');
  process.once('exit', signal);
  const kill = async (): Promise<void> => {
    signal();
    if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  const start = async (): Promise<void> => {
    child = spawn('pgbouncer', ['-q', config], { ...POSTGRES_USER, cwd: '/', stdio: 'ignore' });
    await pollUntil(() => answers(urlOf('postgres')));
  };
  await start();
  return {
    url: urlOf,
    kill,
    start,
    async end() {
      process.off('exit', signal);
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
