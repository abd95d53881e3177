/** A service in a process of its own that issues credentials, can be killed at any moment and started again. */
import { watch } from 'node:fs';
import { openStore, type Store } from '../../../src/storage/index.ts';
import { type ServerProcess, startServer } from '../server/server-process.ts';
import { freePort } from '../signin/service.ts';

/** Environment of a process that takes the proofs of `refresh-holder.ts`, as many as an address sends. */
export const REFRESH_ENV: Readonly<Record<string, string>> = {
  PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
  PROOFGATE_SIGNIN_ENABLED: 'false',
  PROOFGATE_RATE_LIMITS_REFRESH_PROOF_ATTEMPTS_PER_MINUTE: '0',
};

/** The service, at one address over all its lives. */
export interface KillableRefresh {
  readonly publicUrl: string;
  /** Path of its database. */
  readonly database: string;
  /** Works on the store beside the service and closes it again, so that a start after a kill recovers alone. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /**
   * SIGKILL at the `count`-th change of the write-ahead log that is seen: in the middle of a commit, or right after.
   *
   * @param latestMs - When it happens without so many changes.
   */
  killAtWrite(count: number, latestMs: number): Promise<void>;
  start(): Promise<void>;
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts the service on a data folder whose store `prepare` filled.
 *
 * @param env - Variables over those of `REFRESH_ENV`.
 */
export async function startKillableRefresh(
  dataDir: string,
  prepare: (store: Store) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<KillableRefresh> {
  const port = await freePort();
  const database = `${dataDir}/proofgate.db`;
  const start = (): Promise<ServerProcess> =>
    startServer(dataDir, { ...REFRESH_ENV, PROOFGATE_SERVER_PORT: String(port), ...env });
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
  let server = await start();
  const kill = async (): Promise<void> => {
    await server.end('SIGKILL');
  };
  return {
    publicUrl: `http://127.0.0.1:${port}`,
    database,
    withStore,
    kill,
    async killAtWrite(count, latestMs) {
      let seen = 0;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          server.child.kill('SIGKILL');
          watcher.close();
          clearTimeout(timer);
          resolve();
        };
        const watcher = watch(dataDir, (_event, name) => {
          if (name === 'proofgate.db-wal' && ++seen >= count) end();
        });
        const timer = setTimeout(end, latestMs);
      });
      await kill();
    },
    async start() {
      server = await start();
    },
    async stop() {
      return (await server.end('SIGTERM')).code;
    },
  };
}
