import { randomBytes } from 'node:crypto';
import type { Store } from '../../../src/storage/store.ts';
import { type Child, startChild } from '../../support/child.ts';
import { built } from '../../support/paths.ts';
import type { Place } from '../places.ts';
import type { LoadPlan } from '../plan.ts';
import { cpuTime, residentMib } from '../processes/process-cpu.ts';
import { startServer } from '../processes/server-process.ts';
import { QUESTION_HOLDERS } from './refresh-answers.ts';
import type { RefreshClientProcess, RefreshFigures } from './refresh-client.ts';
import { BENCH_ORB, enrolments } from './refresh-holders.ts';
import type { RefreshKind } from './refresh-requests.ts';

type StorageModule = typeof import('../../../src/storage/open-store.ts');

/** Figures of one run with the processor time of the server in cores. */
export interface MeasuredRefresh extends RefreshFigures {
  readonly serverCores: number;
  readonly serverMainCores: number;
  /** Bytes of one request. */
  readonly requestBytes: number;
}

/** The database of the suite: holders are enrolled before a run, and every holder refreshes once. */
export interface Enrolments {
  readonly folder: string;
  readonly durability: string;
  /** Enrols `count` new holders; returns the number of the first. */
  enrol(count: number): Promise<number>;
  close(): Promise<void>;
}

/** A server that issues credentials, and a client in another process. */
export interface RefreshTarget {
  /** @param expectedRate - Most requests per second; the number of prepared requests follows from it. */
  run(load: {
    kind: RefreshKind;
    connections: number;
    expectedRate: number;
    plan: LoadPlan;
  }): Promise<MeasuredRefresh>;
  residentMib(): number;
  stop(): Promise<void>;
}

// Rows of one transaction, as in an import.
const IMPORT_ROWS = 1000;

/** Creates the database with the key of the orb. @param folder - An empty folder. */
export async function openEnrolments(folder: string): Promise<Enrolments> {
  const { openStore } = await built<StorageModule>('storage.js');
  const url = `libsql:${folder}/proofgate.db`;
  const store: Store = await openStore({ url, groupMaxRows: 1, groupMaxDelayMs: 0 });
  await store.migrate();
  await store.orbKeys.add([{ ...BENCH_ORB, status: 'active', addedAt: Date.now() }], 1, false);
  let next = 0;
  return {
    folder,
    durability: store.health().durability.text,
    async enrol(count) {
      const first = next;
      next += count;
      const options = { replaces: false, isDryRun: false };
      for (let at = first; at < next; at += IMPORT_ROWS) {
        const rows = enrolments(at, Math.min(IMPORT_ROWS, next - at), Date.now());
        const outcomes = await store.enrolments.import(rows, options);
        if (outcomes.some((outcome) => outcome !== 'added')) throw new Error('an enrolment was not added');
      }
      return first;
    },
    close: () => store.close(),
  };
}

const VARIABLES = {
  PROOFGATE_SIGNIN_ENABLED: 'false',
  PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
  PROOFGATE_REFRESH_SIGNING_SEED: randomBytes(32).toString('hex'),
  // Not 0, so that every request writes its counter, and far above the rate that one address reaches here.
  PROOFGATE_RATE_LIMITS_REFRESH_PROOF_ATTEMPTS_PER_MINUTE: '1000000',
};

/** Starts server and client, and checks the behaviour that every run relies on. */
export async function startRefreshTarget(
  place: Place,
  backend: 'native' | 'wasm',
  holders: Enrolments,
): Promise<RefreshTarget> {
  const server = await startServer({
    dataFolder: holders.folder,
    backend,
    workers: place.workers,
    ...(place.server === undefined ? {} : { cores: place.server }),
    variables: VARIABLES,
  });
  const client: Child<RefreshClientProcess> = startChild<RefreshClientProcess>(
    new URL('./refresh-client.ts', import.meta.url),
    place.client === undefined ? {} : { cores: place.client },
  );
  const stop = async (): Promise<void> => {
    await client.stop();
    await server.stop();
  };
  try {
    // The last of the holders is not enrolled.
    const first = await holders.enrol(QUESTION_HOLDERS - 1);
    await client.call('ask', { port: server.port, first });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    residentMib: () => residentMib(server.pid),
    async run({ kind, connections, expectedRate, plan }) {
      const seconds = (plan.warmUpMs + plan.windowMs * plan.windows) / 1000;
      const count = Math.ceil(expectedRate * seconds) + connections;
      const first = await holders.enrol(count);
      const { bytes } = await client.call('prepare', { kind, first, count });
      const [before, began] = [cpuTime(server.pid), performance.now()];
      const figures = await client.call('run', { port: server.port, connections, plan });
      const [after, elapsed] = [cpuTime(server.pid), (performance.now() - began) / 1000];
      return {
        ...figures,
        requestBytes: bytes,
        serverCores: (after.all - before.all) / elapsed,
        serverMainCores: (after.main - before.main) / elapsed,
      };
    },
    stop,
  };
}
