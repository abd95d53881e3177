import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { freePort } from '../free-port.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** A service in a separate process that can be killed and restarted at any time, and keeps its address. */
export interface KillableServer {
  /** `http://127.0.0.1:<port>`. */
  readonly publicUrl: string;
  /** Path of its database. */
  readonly database: string;
  /** Opens the store for `work` and closes it again, so that after a kill only the service recovers it. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** The process that was started last. */
  process(): ServerProcess;
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Prepares a service on a data folder whose store `prepare` fills; `start` starts it.
 *
 * @param envOf - Returns the variables of its environment at a port.
 */
export async function prepareKillable(
  dataDir: string,
  prepare: (store: Store) => Promise<void>,
  envOf: (port: string) => Readonly<Record<string, string>>,
): Promise<KillableServer> {
  const port = String(await freePort());
  const database = `${dataDir}/proofgate.db`;
  const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore({ url: `libsql:${database}`, groupMaxRows: 512, groupMaxDelayMs: 0 });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  await withStore(async (store) => {
    await store.migrate();
    await prepare(store);
  });
  let server: ServerProcess | undefined;
  const process = (): ServerProcess => {
    if (server === undefined) throw new Error('expected a service that was started');
    return server;
  };
  return {
    publicUrl: `http://127.0.0.1:${port}`,
    database,
    withStore,
    process,
    async kill() {
      await process().end('SIGKILL');
    },
    async start() {
      server = await startServer(dataDir, envOf(port));
    },
    async stop() {
      return (await process().end('SIGTERM')).code;
    },
  };
}
