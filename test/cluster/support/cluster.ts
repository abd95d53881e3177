import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { freePort } from '../../support/free-port.ts';
import { type Pooler, startPooler } from '../../support/postgres/pooler.ts';
import { PostgresServer, type TakenConnections } from '../../support/postgres/postgres-server.ts';
import { TcpRelay } from '../../support/postgres/tcp-relay.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { SECRET_HMAC_KEY } from '../../support/signin/clients.ts';
import { pollUntil } from '../../support/until.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import type { FormerRelease } from './former-release.ts';

const STANDBY = 's1';
const READY_LIMIT_MS = 60_000;
const GROUP = { groupMaxRows: 512, groupMaxDelayMs: 0 };

/** Settings of a cluster. */
export interface ClusterOptions {
  readonly nodes: number;
  /** Whether a standby confirms each commit; otherwise it follows without being waited for. */
  readonly isSynchronous: boolean;
  /** Fills the store before the nodes start. */
  readonly prepare: (store: Store) => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
  /** Added to `env` for one node. */
  readonly nodeEnv?: (index: number) => Readonly<Record<string, string>>;
  /** Certificate of the nodes, which the balancer does not check; plain HTTP without. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Role with all rights as which the nodes log in, with the password in a file. */
  readonly login?: { readonly user: string; readonly passwordFile: string };
  /** Whether the nodes reach the server through PgBouncer. */
  readonly isPooled?: boolean;
  /** Folder for the primary's files; by default that for temporary files. */
  readonly primaryFolder?: string;
  /** Another release, which prepares the store and is what the nodes run at first. */
  readonly release?: Pick<FormerRelease, 'program' | 'openStore'>;
}

/**
 * Several nodes on one PostgreSQL with a standby, behind a balancer; all on loopback and with folders of their own. The
 * last node reaches the servers directly, the others through relays.
 */
export class Cluster {
  readonly options: ClusterOptions;
  readonly balancer: Balancer;
  readonly nodePorts: readonly number[];
  /** One for each server. */
  readonly relays: readonly TcpRelay[];
  readonly #folder: string;
  readonly #nodes: (ServerProcess | undefined)[] = [];
  #primary: PostgresServer;
  #standby: PostgresServer;
  readonly #database: string;
  readonly #pooler: Pooler | undefined;
  /** Ports of the servers, in the order of `relays`. A server that takes another's place takes its port. */
  readonly #ports: readonly number[];

  private constructor(
    options: ClusterOptions,
    servers: {
      primary: PostgresServer;
      standby: PostgresServer;
      database: string;
      pooler: Pooler | undefined;
      relays: readonly TcpRelay[];
    },
    balancer: Balancer,
    nodePorts: readonly number[],
  ) {
    this.options = options;
    this.#primary = servers.primary;
    this.#standby = servers.standby;
    this.#database = servers.database;
    this.#pooler = servers.pooler;
    this.relays = servers.relays;
    this.#ports = [servers.primary.port, servers.standby.port];
    this.balancer = balancer;
    this.nodePorts = nodePorts;
    this.#folder = mkdtempSync(join(tmpdir(), 'proofgate-cluster-'));
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const primary = await PostgresServer.create({}, options.primaryFolder);
    const database = await primary.createDatabase();
    const standby = await primary.createStandby(STANDBY);
    const pooler = options.isPooled ? await startPooler(primary) : undefined;
    const relays = [await TcpRelay.open(primary.port), await TcpRelay.open(standby.port)];
    const nodePorts: number[] = [];
    for (let index = 0; index < options.nodes; index++) nodePorts.push(await freePort());
    const balancer = await startBalancer(await freePort(), nodePorts, options.tls !== undefined);
    const cluster = new Cluster(options, { primary, standby, database, pooler, relays }, balancer, nodePorts);
    await cluster.#waitForStandby();
    await cluster.#useStore(options.release?.openStore ?? openStore, async (store) => {
      await store.migrate();
      await options.prepare(store);
    });
    await cluster.setPassword();
    const program = options.release?.program;
    await Promise.all(nodePorts.map((_, index) => cluster.startNode(index, {}, program)));
    await cluster.ready();
    return cluster;
  }

  get primary(): PostgresServer {
    return this.#primary;
  }

  /** Name of the database. */
  get database(): string {
    return this.#database;
  }

  get standby(): PostgresServer {
    return this.#standby;
  }

  /** Addresses of the nodes themselves. */
  get nodeUrls(): readonly string[] {
    const scheme = this.options.tls === undefined ? 'http' : 'https';
    return this.nodePorts.map((port) => `${scheme}://127.0.0.1:${port}`);
  }

  /** PgBouncer before the primary, with the option `isPooled`. */
  get pooler(): Pooler {
    if (this.#pooler === undefined) throw new Error('the cluster has no pooler');
    return this.#pooler;
  }

  /** Address of the store with both servers, in an order that does not change with a failover. */
  get storeUrl(): string {
    return this.#urlOf(this.#ports);
  }

  withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.#useStore(openStore, work);
  }

  async #useStore<T>(open: FormerRelease['openStore'], work: (store: Store) => Promise<T>): Promise<T> {
    const store = await open({ url: this.storeUrl, ...GROUP, timeoutMs: 20_000 });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /**
   * Starts a node and waits until it listens.
   *
   * @param env - Further settings, for this start only.
   * @param program - Path of another build of the program.
   */
  async startNode(
    index: number,
    env: Readonly<Record<string, string>> = {},
    program?: string,
  ): Promise<void> {
    const settings = {
      PROOFGATE_STORAGE_URL: this.#storeUrlOf(index),
      PROOFGATE_BASE_URL: this.balancer.url,
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: String(this.nodePorts[index]),
      PROOFGATE_ENGINE_WORKERS: '1',
      PROOFGATE_KEYS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
      PROOFGATE_PROXY_HEADER: 'x-forwarded-for',
      PROOFGATE_PROXY_TRUSTED: '127.0.0.1',
      PROOFGATE_STORAGE_CACHE_SECONDS: '1',
      // Longer than the balancer needs to notice, on a machine with other load, too.
      PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '3000',
      ...this.#fileEnv(),
      ...this.options.env,
      ...this.options.nodeEnv?.(index),
      ...env,
    };
    const folder = join(this.#folder, `node${index}`);
    this.#nodes[index] = await startServer(folder, settings, [], undefined, program);
  }

  /** Gives the role of the nodes, if they have one of their own, the password in their file. */
  async setPassword(): Promise<void> {
    const { login } = this.options;
    if (login === undefined) return;
    const { user, passwordFile } = login;
    const [known] = await this.#primary.query(`select 1 from pg_roles where rolname = '${user}'`);
    const password = readFileSync(passwordFile, 'utf8').trim();
    const verb = known === undefined ? 'create' : 'alter';
    await this.#primary.query(`${verb} role ${user} superuser login password '${password}'`);
  }

  /** Ends a node: SIGKILL like a crash, SIGTERM in order. Returns the exit code. */
  async endNode(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const node = this.#nodes[index];
    this.#nodes[index] = undefined;
    return (await node?.end(signal))?.code ?? null;
  }

  /** Processes of the nodes that run. */
  get nodes(): readonly ServerProcess[] {
    return this.#nodes.filter((node) => node !== undefined);
  }

  /**
   * Waits until all nodes that run report that they are ready.
   *
   * @throws Error after the limit
   */
  async ready(limitMs: number = READY_LIMIT_MS): Promise<void> {
    await this.#waitForReadiness(200, limitMs);
  }

  /**
   * Waits until all nodes that run report that they are not ready.
   *
   * @throws Error after the limit
   */
  async unready(limitMs: number = READY_LIMIT_MS): Promise<void> {
    await this.#waitForReadiness(503, limitMs);
  }

  /** The primary dies, the standby takes over, and a new standby takes its place. */
  async failOver(): Promise<void> {
    const former = this.#primary;
    await former.kill();
    await this.#standby.promote();
    this.#primary = this.#standby;
    this.#standby = await this.#primary.createStandby(STANDBY, {}, former.port);
    await former.remove();
    await this.#waitForStandby();
  }

  /** Ends the stream to the standby. Where commits do not wait for it, a failover then loses those that follow. */
  async detachStandby(): Promise<void> {
    await this.#standby.query("alter system set primary_conninfo = ''");
    this.#standby.reload();
    await pollUntil(
      async () => (await this.#primary.query('select 1 from pg_stat_replication')).length === 0,
    );
  }

  /** Detaches the standby and cancels the commits that wait for it: the server reports success for them. */
  async cancelWaits(forMs: number): Promise<void> {
    await this.detachStandby();
    const end = performance.now() + forMs;
    while (performance.now() < end) {
      await this.#primary.query(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'",
      );
      await delay(20);
    }
  }

  /**
   * Cuts the sessions of the nodes at the server.
   *
   * @param over - Connections to do it with, if the server has no other one.
   */
  async cutConnections(over: Pick<TakenConnections, 'query'> = this.#primary): Promise<void> {
    await over.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${this.#database}'`,
    );
  }

  async end(): Promise<void> {
    for (const index of this.nodePorts.keys()) await this.endNode(index, 'SIGKILL');
    await this.balancer.end();
    await this.#pooler?.end();
    await Promise.all(this.relays.map((relay) => relay.close()));
    await this.#standby.remove();
    await this.#primary.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #fileEnv(): Record<string, string> {
    const { tls, login } = this.options;
    return {
      ...(tls && { PROOFGATE_TLS_CERT_FILE: tls.certFile, PROOFGATE_TLS_KEY_FILE: tls.keyFile }),
      ...(login && { PROOFGATE_STORAGE_PASSWORD_FILE: login.passwordFile }),
    };
  }

  #storeUrlOf(index: number): string {
    const { login } = this.options;
    const url = this.#superuserUrlOf(index);
    return login === undefined ? url : url.replace(/\/\/[^@]*@/, `//${login.user}@`);
  }

  #superuserUrlOf(index: number): string {
    if (this.#pooler !== undefined) return this.#pooler.url(this.#database);
    const isDirect = index === this.nodePorts.length - 1;
    return isDirect ? this.storeUrl : this.#urlOf(this.relays.map(({ port }) => port));
  }

  #urlOf(ports: readonly number[]): string {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    return this.#primary.url(this.#database).replace(/@[^@]*\//, `@${hosts}/`);
  }

  async #waitForReadiness(expected: number, limitMs: number): Promise<void> {
    const end = performance.now() + limitMs;
    const statuses = (): Promise<number[]> =>
      Promise.all(this.nodes.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/health/ready`)).status));
    while (!(await statuses()).every((status) => status === expected)) {
      if (performance.now() > end) {
        throw new Error(`a node is ${expected === 200 ? 'not ready' : 'ready'} after ${limitMs} ms`);
      }
      await delay(5);
    }
  }

  async #waitForStandby(): Promise<void> {
    const names = this.options.isSynchronous ? STANDBY : '';
    await pollUntil(async () => {
      const rows = await this.#primary.query("select 1 from pg_stat_replication where state = 'streaming'");
      return rows.length > 0;
    });
    this.#primary.configure({ synchronous_standby_names: `'${names}'` });
    this.#primary.reload();
    const state = this.options.isSynchronous ? 'sync' : 'async';
    await pollUntil(async () => {
      const rows = await this.#primary.query('select sync_state from pg_stat_replication');
      return rows[0]?.sync_state === state;
    });
  }
}
