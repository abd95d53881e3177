import { type ChildProcess, execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openStore } from '../../../src/storage/open-store.ts';
import { freePort } from '../free-port.ts';
import { childrenOf } from '../server/processes.ts';
import { POSTGRES_USER, runPostgresProgram, spawnPostgres } from './postgres-programs.ts';

const USER = 'postgres';
/** With characters that an address must percent-encode. */
const PASSWORD = 'p@ss:w/rd?';
const READY_POLL_MS = 20;

/** Lines of `postgresql.conf`. */
export type ServerConfig = Readonly<Record<string, string | number>>;

const BASE_CONFIG: ServerConfig = {
  listen_addresses: "'127.0.0.1'",
  unix_socket_directories: "''",
  max_connections: 100,
  shared_buffers: "'32MB'",
  // As in a cluster: standbys can be attached at any time.
  wal_level: 'replica',
  // A standby waits 5 s by default before it connects again: commits would wait for it after a restart.
  wal_retrieve_retry_interval: 200,
};

/** Connections that keep others from being made. */
export interface TakenConnections {
  /** Runs a statement over one of them. */
  query(text: string): Promise<unknown>;
  free(): Promise<void>;
}

/** A PostgreSQL server of the tests: on loopback, in a folder that is removed at the end. */
export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  #process: ChildProcess | undefined;
  #databases = 0;
  #migrated: Promise<string> | undefined;
  #messages = '';

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /**
   * Makes a new server and starts it.
   *
   * @param parent - Folder in which it gets one of its own.
   */
  static async create(config: ServerConfig = {}, parent?: string): Promise<PostgresServer> {
    const folder = makeFolder(parent);
    template ??= makeTemplate();
    execFileSync('cp', ['-a', template, join(folder, 'data')]);
    return PostgresServer.#started(folder, { ...BASE_CONFIG, ...config });
  }

  /**
   * Makes a standby of this server, which streams from it under a name, and starts it.
   *
   * @param port - A free one by default.
   */
  async createStandby(name: string, config: ServerConfig = {}, port?: number): Promise<PostgresServer> {
    const folder = makeFolder();
    const connection = `host=127.0.0.1 port=${this.port} user=${USER} application_name=${name}`;
    runPostgresProgram(
      'pg_basebackup',
      ['-D', join(folder, 'data'), '-R', '-X', 'stream', '-c', 'fast', '--no-sync', '-d', connection],
      { PGPASSWORD: PASSWORD },
    );
    return PostgresServer.#started(folder, { ...BASE_CONFIG, ...config }, port);
  }

  static async #started(folder: string, config: ServerConfig, port?: number): Promise<PostgresServer> {
    const server = new PostgresServer(folder, port ?? (await freePort()));
    server.configure({ ...config, port: server.port });
    await server.start();
    return server;
  }

  /** Adds settings, which take effect at the next start or `reload`. */
  configure(config: ServerConfig): void {
    const lines = Object.entries(config).map(([name, value]) => `${name} = ${value}\n`);
    appendFileSync(join(this.folder, 'data', 'postgresql.conf'), lines.join(''));
  }

  /** Starts the server and waits until it takes connections. */
  async start(): Promise<void> {
    const child = spawnPostgres(['-D', join(this.folder, 'data')]);
    this.#process = child;
    running.add(child);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#messages = (this.#messages + text).slice(-20_000);
    });
    child.once('exit', () => running.delete(child));
    while (!(await this.#accepts())) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${this.#messages}`);
      await delay(READY_POLL_MS);
    }
  }

  /** Ends the server: `fast` in order, `immediate` like a crash. */
  async stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#end(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** Stops the server process and its children without a chance to do anything, like a machine that dies. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined) return;
    for (const pid of this.#processes()) signal(pid, 'SIGKILL');
    await this.#end('SIGKILL');
  }

  /** Suspends the server with all its processes: connections stand, nothing is answered. */
  freeze(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP');
  }

  /** Ends `freeze`. */
  thaw(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGCONT');
  }

  /** Lets the server read its settings again. */
  reload(): void {
    this.#process?.kill('SIGHUP');
  }

  /** Makes a standby take writes; the server that it streamed from must be gone. */
  async promote(): Promise<void> {
    await this.query('select pg_promote()');
  }

  /** Ends the server and removes its folder. */
  async remove(): Promise<void> {
    this.thaw();
    await this.stop('immediate');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The last lines that the server has logged. */
  get messages(): string {
    return this.#messages;
  }

  /** Id of the server's first process. */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Returns the address of a database. */
  url(database = 'postgres', parameters = ''): string {
    return `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/${database}${parameters}`;
  }

  /**
   * Makes a database and returns its name.
   *
   * @param how - Options of `create database`, by default for an empty one.
   */
  async createDatabase(how = 'template template0'): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.query(`create database ${name} ${how}`);
    return name;
  }

  /** Makes an empty store with all migrations, a copy of one made once, and returns the name of its database. */
  async createMigratedDatabase(): Promise<string> {
    this.#migrated ??= this.#migratedTemplate();
    return this.createDatabase(`template ${await this.#migrated}`);
  }

  /** Opens a session with all rights. */
  async connect(database = 'postgres'): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs a statement with all rights. */
  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = await this.connect(database);
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Takes every connection that the server has left. */
  async takeConnections(): Promise<TakenConnections> {
    const clients: pg.Client[] = [];
    for (let isFull = false; !isFull; ) {
      const client = new pg.Client({ connectionString: this.url() });
      client.on('error', () => undefined);
      isFull = await client.connect().then(
        () => false,
        () => true,
      );
      if (!isFull) clients.push(client);
    }
    return {
      query: async (text) => clients[0]?.query(text),
      free: async () => {
        await Promise.all(clients.map((client) => client.end()));
      },
    };
  }

  async #migratedTemplate(): Promise<string> {
    const database = await this.createDatabase();
    const settings = { url: this.url(database), groupMaxRows: 1, groupMaxDelayMs: 0, timeoutMs: 20_000 };
    const store = await openStore(settings);
    await store.migrate();
    await store.close();
    return database;
  }

  async #accepts(): Promise<boolean> {
    try {
      await this.query('select 1');
      return true;
    } catch {
      return false;
    }
  }

  async #end(how: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(how);
    await ended;
  }

  #processes(): number[] {
    const { pid, exitCode, signalCode } = this.#process ?? {};
    return pid === undefined || exitCode !== null || signalCode !== null
      ? []
      : [pid, ...childrenOf(pid, 'postgres')];
  }
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGQUIT');
});

/** Data of a server that never ran, made once per process: a copy takes a tenth of the time. */
let template: string | undefined;

function makeTemplate(): string {
  const folder = makeFolder();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  own(passwordFile);
  const data = join(folder, 'data');
  runPostgresProgram('initdb', [
    '-D',
    data,
    '-U',
    USER,
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  return data;
}

/** Sends a signal, unless the process has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function makeFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'proofgate-postgres-'));
  chmodSync(folder, 0o700);
  own(folder);
  return folder;
}

function own(path: string): void {
  if (POSTGRES_USER !== undefined) chownSync(path, POSTGRES_USER.uid, POSTGRES_USER.gid);
}
