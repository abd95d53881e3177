/**
 * A service that issues credentials for proofs under trapdoor-4, with enrolments and orb keys of the test.
 */

import { createHash, createPublicKey } from 'node:crypto';
import type { EnrolmentRow } from '../../../src/storage/refresh/enrolments.ts';
import type { OrbKeyRow } from '../../../src/storage/refresh/orb-keys.ts';
import type { Store } from '../../../src/storage/store.ts';
import { type StartAppOptions, type StartedApp, startApp } from '../server/start-app.ts';
import { pollUntil } from '../until.ts';
import { openRefreshClient, type RefreshAnswer, type RefreshClient } from './client.ts';
import type { TestHolder } from './holder.ts';

/** Settings of a service that accepts the proofs of `holder.ts`. */
export const REFRESH_SETTINGS: Readonly<Record<string, string>> = {
  'refresh.verificationKey': 'trapdoor-4',
  // generating its keys takes longer than the rest of the start
  'signin.enabled': 'false',
};

/** A running service that issues credentials. */
export interface RefreshService {
  readonly app: StartedApp;
  /** A second connection to the store of the service, like that of a command. */
  readonly store: Store;
  readonly client: RefreshClient;
  /** Imports active enrolments of holders; `record` overrides members of each. */
  enrol(holders: readonly TestHolder[], record?: Partial<EnrolmentRow>): Promise<void>;
  /** Registers the public key of an orb. */
  addOrbKey(orbId: string, pem: string): Promise<void>;
  /** Waits for the log line of an answered request and returns it. */
  logLine(answer: Pick<RefreshAnswer, 'headers'>): Promise<Readonly<Record<string, unknown>>>;
  end(): Promise<void>;
}

/** Starts the service in this process, in profile `test`. */
export async function startRefreshService(options: StartAppOptions = {}): Promise<RefreshService> {
  const app = await startApp({ ...options, settings: { ...REFRESH_SETTINGS, ...options.settings } });
  const now = options.now ?? Date.now;
  const store = await app.openStore();
  const client = await openRefreshClient(app.publicUrl);
  return {
    app,
    store,
    client,
    enrol: (holders, record) => enrolHolders(store, holders, now(), record),
    addOrbKey: (orbId, pem) => registerOrbKey(store, orbId, pem, now()),
    logLine: ({ headers }) => findLogLine(app, headers.get('x-request-id') ?? 'no id'),
    async end() {
      await client.close();
      await store.close();
      await app.stop();
    },
  };
}

async function findLogLine(app: StartedApp, requestId: string): Promise<Readonly<Record<string, unknown>>> {
  await pollUntil(() => app.log().includes(requestId));
  return app.logLines(requestId)[0] ?? {};
}

/** Stores active enrolments; unless `record` has a signup id, it is derived from the idComm. */
export async function enrolHolders(
  store: Pick<Store, 'enrolments'>,
  holders: readonly TestHolder[],
  now: number,
  record: Partial<EnrolmentRow> = {},
): Promise<void> {
  const rows = holders.map(({ idComm }) => ({
    idComm,
    signupId: `signup_${Buffer.from(idComm).toString('hex')}`,
    orbId: '0c1d2e3f',
    enrolledAt: now,
    status: 'active' as const,
    updatedAt: now,
    ...record,
  }));
  const outcomes = await store.enrolments.import(rows, { replaces: true, isDryRun: false });
  const refused = outcomes.filter((outcome) => outcome === 'signup_taken' || outcome === 'conflict');
  if (refused.length > 0) throw new Error(`enrolments refused: ${refused.join()}`);
}

/** Stores an active public key of an orb. */
export async function registerOrbKey(
  store: Pick<Store, 'orbKeys'>,
  orbId: string,
  pem: string,
  now: number,
): Promise<void> {
  const row: OrbKeyRow = { orbId, keyHash: keyHashOf(pem), pem, status: 'active', addedAt: now };
  const added = await store.orbKeys.add([row], 16, false);
  if (added !== 1) throw new Error(`orb key: expected one to be added, got ${added}`);
}

function keyHashOf(pem: string): Uint8Array {
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest();
}
