/** Two server processes with separate data folders and one store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine.ts';
import type { BindingRow } from '../../../src/storage/refresh/issuance.ts';
import { startServer } from '../server/server-process.ts';
import { type Audit, auditIssuance } from './audit.ts';
import { openRefreshClient, type RefreshClient } from './client.ts';
import { testHolder } from './holder.ts';
import { type KillableRefresh, REFRESH_ENV, startKillableRefresh } from './killable-refresh.ts';
import { LOAD_ORB, type LoadRequest, loadSignupId, type SentRefresh, sendRefresh } from './load.ts';
import { enrolHolders, registerOrbKey } from './service.ts';

/** The two processes, the requests sent to them, and their store. */
export interface RefreshPair {
  /** The process with the store in its data folder. */
  readonly one: KillableRefresh;
  /** One client for each process. */
  readonly clients: readonly [RefreshClient, RefreshClient];
  /** Enrols holders with these names. */
  enrol(names: readonly string[]): Promise<void>;
  /** Sends requests concurrently, alternating between the first `processes` processes. */
  sendAtOnce(requests: readonly LoadRequest[], processes: number): Promise<SentRefresh[]>;
  /** Records sent requests for the audit. */
  note(sent: readonly SentRefresh[]): void;
  /** Audits everything sent so far. */
  audit(): Promise<Audit>;
  /** Bindings of the holder with this name. */
  bindingsOf(name: string): Promise<readonly BindingRow[]>;
  end(): Promise<void>;
}

/**
 * Starts two processes with an empty store.
 *
 * @param limit - Maximum number of credentials of a holder in a day; 0 for no limit.
 * @param engine - Verifies signatures in audits.
 */
export async function startRefreshPair(limit: number, engine: Engine): Promise<RefreshPair> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-refresh-pair-'));
  const env = {
    PROOFGATE_RATE_LIMITS_REFRESH_PER_ID_COMM: String(limit),
    PROOFGATE_KEYS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  };
  const one = await startKillableRefresh(
    join(folder, 'one'),
    (store) => registerOrbKey(store, LOAD_ORB.orbId, LOAD_ORB.pem, Date.now()),
    env,
  );
  const other = await startServer(join(folder, 'other'), {
    ...REFRESH_ENV,
    ...env,
    PROOFGATE_STORAGE_URL: `libsql:${one.database}`,
    PROOFGATE_STORAGE_ALLOW_SHARED_FILE: 'true',
  });
  const clients = [await openRefreshClient(one.publicUrl), await openRefreshClient(other.publicUrl)] as const;
  const all: SentRefresh[] = [];
  const enrolled: Uint8Array[] = [];
  const note = (sent: readonly SentRefresh[]): void => {
    all.push(...sent);
  };
  return {
    one,
    clients,
    enrol: (names) =>
      one.withStore(async (store) => {
        for (const name of names) {
          const holder = testHolder(name);
          enrolled.push(holder.idComm);
          const record = { orbId: LOAD_ORB.orbId, signupId: loadSignupId(name) };
          await enrolHolders(store, [holder], Date.now(), record);
        }
      }),
    async sendAtOnce(requests, processes) {
      const sent = await Promise.all(
        requests.map((request, index) => sendRefresh(clients[index % processes] ?? clients[0], request)),
      );
      note(sent);
      return sent;
    },
    note,
    audit: () =>
      one.withStore((store) => auditIssuance(store, engine, all, { limit, windowSeconds: 86_400, enrolled })),
    bindingsOf: (name) => one.withStore((store) => store.issuance.bindingsOf(testHolder(name).idComm)),
    async end() {
      await Promise.all([one.kill(), other.end('SIGKILL')]);
      for (const client of clients) await client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
