import { randomBytes, randomUUID } from 'node:crypto';
import type { Store } from '../../../src/storage/store.ts';
import { answerCalls } from '../../support/child.ts';
import { built } from '../../support/paths.ts';
import { closedLoop, type LoopFigures } from '../../support/window-counter.ts';
import type { LoadPlan } from '../plan.ts';
import { measureDatabaseThread } from './database-thread.ts';

type StorageModule = typeof import('../../../src/storage/open-store.ts');

let store: Store | undefined;

/** Figures of callers that record new nullifiers. */
export interface RowFigures extends LoopFigures {
  /** Processor time of the database thread for a row, over the whole run, in microseconds. */
  readonly databaseMicros: number;
}

/** Figures of groups that were committed one after the other. */
export interface GroupFigures extends LoopFigures {
  /** Groups of the whole run, with the warm-up. */
  readonly groups: number;
  /** Processor time of this process over the whole run, in seconds. */
  readonly cpuSeconds: number;
}

/** Calls of the process that records nullifiers. */
export type NullifierProcess = {
  /** Opens the libsql file of a folder, or a PostgreSQL by its address. */
  start(argument: { folder: string; url?: string }): Promise<{ durability: string }>;
  run(argument: { concurrency: number; plan: LoadPlan }): Promise<RowFigures>;
  /** Commits one group after the other; figures are of groups. */
  runGroups(argument: { rows: number; plan: LoadPlan }): Promise<GroupFigures>;
  close(argument: null): Promise<void>;
};

async function recordNew(): Promise<void> {
  if (store === undefined) throw new Error('call start first');
  const record = await store.nullifiers.record({
    environment: 'production',
    nullifier: randomBytes(32),
    appId: 'app_00000000000000000000000000000b0b',
    action: 'bench',
    actionDescription: '',
    requestId: randomUUID(),
    createdAt: Date.now(),
  });
  if (!record.isNew) throw new Error('a new nullifier was reported as known');
}

const handlers: NullifierProcess = {
  async start({ folder, url = `libsql:${folder}/proofgate.db` }) {
    const { openStore } = await built<StorageModule>('storage.js');
    store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 }, {});
    await store.migrate();
    return { durability: store.health().durability.text };
  },
  async run({ concurrency, plan }) {
    const databaseSeconds = measureDatabaseThread();
    let rows = 0;
    const figures = await closedLoop(concurrency, plan, async () => {
      await recordNew();
      rows++;
      return true;
    });
    return { ...figures, databaseMicros: (databaseSeconds() * 1e6) / rows };
  },
  async runGroups({ rows, plan }) {
    const cpu = process.cpuUsage();
    let groups = 0;
    const figures = await closedLoop(1, plan, async () => {
      // All of them are waiting before the first commit begins, so they make one group.
      await Promise.all(Array.from({ length: rows }, recordNew));
      groups++;
      return true;
    });
    const { user, system } = process.cpuUsage(cpu);
    return { ...figures, groups, cpuSeconds: (user + system) / 1e6 };
  },
  async close() {
    await store?.close();
  },
};

answerCalls(handlers);
