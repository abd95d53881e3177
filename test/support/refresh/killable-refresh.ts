/** A service in a separate process that issues credentials and can be killed and restarted at any time. */

import { watch } from 'node:fs';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { freePort } from '../free-port.ts';
import { type ServerProcess, startServer } from '../server/server-process.ts';

/** Environment of a process that accepts the proofs of `holder.ts`, without a limit per address. */
export const REFRESH_ENV: Readonly<Record<string, string>> = {
  PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
  PROOFGATE_SIGNIN_ENABLED: 'false',
  PROOFGATE_RATE_LIMITS_REFRESH_PROOF_ATTEMPTS_PER_MINUTE: '0',
};

/** The service, which keeps its address over restarts. */
export interface KillableRefresh {
  readonly publicUrl: string;
  /** Path of its database. */
  readonly database: string;
  /** Opens the store for `work` and closes it again, so that after a kill only the service recovers it. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
  /**
   * Sends SIGKILL at the `count`-th observed change of the write-ahead log, during a commit or right after
   * it.
   *
   * @param latestMs - Time after which it is sent even with fewer changes.
   */
  killAtWrite(count: number, latestMs: number): Promise<void>;
  start(): Promise<void>;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts the service on a data folder whose store `prepare` fills.
 *
 * @param env - Overrides variables of `REFRESH_ENV`.
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
