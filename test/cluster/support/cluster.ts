import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../../src/storage/index.ts';
import { freePort } from '../../support/free-port.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { SECRET_HMAC_KEY } from '../../support/signin/clients.ts';
import { pollUntil } from '../../support/until.ts';
import { type Balancer, startBalancer } from './balancer.ts';

const STANDBY = 's1';
const GROUP = { groupMaxRows: 512, groupMaxDelayMs: 0 };

/** Settings of a cluster. */
export interface ClusterOptions {
  readonly nodes: number;
  /** Whether a standby confirms each commit; otherwise it follows without being waited for. */
  readonly isSynchronous: boolean;
  /** Fills the store before the nodes start. */
  readonly prepare: (store: Store) => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Several nodes on one PostgreSQL with a standby, behind a balancer; all on loopback and with folders of their own. */
export class Cluster {
  readonly options: ClusterOptions;
  readonly balancer: Balancer;
  readonly nodePorts: readonly number[];
  readonly #folder: string;
  readonly #nodes: (ServerProcess | undefined)[] = [];
  #primary: PostgresServer;
  #standby: PostgresServer;
  readonly #database: string;

  private constructor(
    options: ClusterOptions,
    servers: { primary: PostgresServer; standby: PostgresServer; database: string },
    balancer: Balancer,
    nodePorts: readonly number[],
  ) {
    this.options = options;
    this.#primary = servers.primary;
    this.#standby = servers.standby;
    this.#database = servers.database;
    this.balancer = balancer;
    this.nodePorts = nodePorts;
    this.#folder = mkdtempSync(join(tmpdir(), 'proofgate-cluster-'));
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const primary = await PostgresServer.create();
    const database = await primary.createDatabase();
    const standby = await primary.createStandby(STANDBY);
    const nodePorts: number[] = [];
    for (let index = 0; index < options.nodes; index++) nodePorts.push(await freePort());
    const balancer = await startBalancer(await freePort(), nodePorts);
    const cluster = new Cluster(options, { primary, standby, database }, balancer, nodePorts);
    await cluster.#waitForStandby();
    await cluster.withStore(async (store) => {
      await store.migrate();
      await options.prepare(store);
    });
    await Promise.all(nodePorts.map((_, index) => cluster.startNode(index)));
    await cluster.ready();
    return cluster;
  }

  get primary(): PostgresServer {
    return this.#primary;
  }

  get database(): string {
    return this.#database;
  }

  /** Addresses of the nodes themselves. */
  get nodeUrls(): readonly string[] {
    return this.nodePorts.map((port) => `http://127.0.0.1:${port}`);
  }

  /** Address of the store with both servers, in an order that does not change with a failover. */
  get storeUrl(): string {
    const [one, other] = [this.#primary.port, this.#standby.port].sort((a, b) => a - b);
    return this.#primary.url(this.#database).replace(/@[^@]*\//, `@127.0.0.1:${one},127.0.0.1:${other}/`);
  }

  async withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore({ url: this.storeUrl, ...GROUP, timeoutMs: 20_000 });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  async startNode(index: number): Promise<void> {
    this.#nodes[index] = await startServer(join(this.#folder, `node${index}`), {
      PROOFGATE_STORAGE_URL: this.storeUrl,
      PROOFGATE_BASE_URL: this.balancer.url,
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: String(this.nodePorts[index]),
      PROOFGATE_ENGINE_WORKERS: '1',
      PROOFGATE_KEYS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
      PROOFGATE_PROXY_HEADER: 'x-forwarded-for',
      PROOFGATE_PROXY_TRUSTED: '127.0.0.1',
      PROOFGATE_STORAGE_CACHE_SECONDS: '1',
      // Longer than the balancer needs to notice.
      PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '1500',
      ...this.options.env,
    });
  }

  /** Ends a node: SIGKILL like a crash, SIGTERM in order. Returns the exit code. */
  async endNode(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const node = this.#nodes[index];
    this.#nodes[index] = undefined;
    return (await node?.end(signal))?.code ?? null;
  }

  /** Waits until all nodes that run report that they are ready. */
  async ready(): Promise<void> {
    await pollUntil(async () => {
      const answers = await Promise.all(
        this.#nodes.flatMap((node) =>
          node === undefined ? [] : [fetch(`${node.adminUrl}/health/ready`).then(({ status }) => status)],
        ),
      );
      return answers.every((status) => status === 200);
    });
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

  async end(): Promise<void> {
    for (const index of this.nodePorts.keys()) await this.endNode(index, 'SIGKILL');
    await this.balancer.end();
    await this.#standby.remove();
    await this.#primary.remove();
    rmSync(this.#folder, { recursive: true, force: true });
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
