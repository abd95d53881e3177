import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { freePort } from '../../support/free-port.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { SECRET_HMAC_KEY } from '../../support/signin/clients.ts';
import { LOAD_ENV, type LoadTarget } from './cluster-load.ts';

/** One node on a libsql file, which is stopped and started again at the same address. */
export class SingleNode implements LoadTarget {
  readonly nodeUrls: readonly [string];
  readonly balancer: { readonly url: string };
  readonly storage: Parameters<typeof openStore>[0];
  readonly folder: string;
  readonly #port: number;
  readonly #env: Readonly<Record<string, string>>;
  #process: ServerProcess | undefined;

  private constructor(port: number, env: Readonly<Record<string, string>>) {
    this.#port = port;
    this.#env = env;
    this.folder = mkdtempSync(join(tmpdir(), 'proofgate-node-'));
    const url = `http://127.0.0.1:${port}`;
    this.nodeUrls = [url];
    this.balancer = { url };
    const file = join(this.folder, 'proofgate.db');
    this.storage = { url: `libsql:${file}`, groupMaxRows: 512, groupMaxDelayMs: 0 };
  }

  /** @param env - Further variables of its environment. */
  static async create(env: Readonly<Record<string, string>> = {}): Promise<SingleNode> {
    return new SingleNode(await freePort(), env);
  }

  /** Starts the program and waits until it listens. */
  async start(program?: string): Promise<void> {
    const settings = {
      ...LOAD_ENV,
      PROOFGATE_STORAGE_URL: this.storage.url,
      PROOFGATE_BASE_URL: this.balancer.url,
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: String(this.#port),
      PROOFGATE_ENGINE_WORKERS: '1',
      PROOFGATE_KEYS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
      ...this.#env,
    };
    this.#process = await startServer(this.folder, settings, [], undefined, program);
  }

  /** The program that runs. */
  get process(): ServerProcess {
    if (this.#process === undefined) throw new Error('expected a node that was started');
    return this.#process;
  }

  /** Stops the program in order; returns its exit code. */
  async stop(): Promise<number | null> {
    const ended = await this.#process?.end('SIGTERM');
    this.#process = undefined;
    return ended?.code ?? null;
  }

  /** Output of the program that runs. */
  get output(): string {
    return this.#process?.output() ?? '';
  }

  async withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore(this.storage);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  async end(): Promise<void> {
    await this.#process?.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
