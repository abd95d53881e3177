/** A service in a separate process that issues credentials and can be killed and restarted at any time. */

import { watch } from 'node:fs';
import type { Store } from '../../../src/storage/store.ts';
import { type KillableServer, prepareKillable } from '../server/killable-server.ts';

/** Environment of a process that accepts the proofs of `holder.ts`, without a limit per address. */
export const REFRESH_ENV: Readonly<Record<string, string>> = {
  PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
  PROOFGATE_SIGNIN_ENABLED: 'false',
  PROOFGATE_RATE_LIMITS_REFRESH_PROOF_ATTEMPTS_PER_MINUTE: '0',
};

/** The service, which keeps its address over restarts. */
export interface KillableRefresh extends KillableServer {
  /**
   * Sends SIGKILL at the `count`-th observed change of the write-ahead log, during a commit or right after
   * it.
   *
   * @param latestMs - Time after which it is sent even with fewer changes.
   */
  killAtWrite(count: number, latestMs: number): Promise<void>;
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
  const server = await prepareKillable(dataDir, prepare, (port) => ({
    ...REFRESH_ENV,
    PROOFGATE_SERVER_PORT: port,
    ...env,
  }));
  await server.start();
  return {
    ...server,
    async killAtWrite(count, latestMs) {
      let seen = 0;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          server.process().child.kill('SIGKILL');
          watcher.close();
          clearTimeout(timer);
          resolve();
        };
        const watcher = watch(dataDir, (_event, name) => {
          if (name === 'proofgate.db-wal' && ++seen >= count) end();
        });
        const timer = setTimeout(end, latestMs);
      });
      await server.kill();
    },
  };
}
