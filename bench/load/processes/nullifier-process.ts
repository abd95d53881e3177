import { randomBytes, randomUUID } from 'node:crypto';
import type { Store } from '../../../src/storage/index.ts';
import { answerCalls } from '../../support/child.ts';
import { built } from '../../support/paths.ts';
import { closedLoop, type LoopFigures } from '../../support/window-counter.ts';
import type { LoadPlan } from '../plan.ts';

type StorageModule = typeof import('../../../src/storage/index.ts');

let store: Store | undefined;

/** Calls of the process that records nullifiers. */
export type NullifierProcess = {
  start(argument: { folder: string }): Promise<{ durability: string }>;
  run(argument: { concurrency: number; plan: LoadPlan }): Promise<LoopFigures>;
  close(argument: null): Promise<void>;
};

const handlers: NullifierProcess = {
  async start({ folder }) {
    const { openStore } = await built<StorageModule>('storage/index.js');
    const settings = { url: `libsql:${folder}/proofgate.db`, groupMaxRows: 512, groupMaxDelayMs: 0 };
    store = await openStore(settings, {});
    await store.migrate();
    return { durability: store.health().durability.text };
  },
  async run({ concurrency, plan }) {
    const open = store;
    if (!open) throw new Error('call start first');
    const createdAt = Date.now();
    return closedLoop(concurrency, plan, async () => {
      const record = await open.nullifiers.record({
        environment: 'production',
        nullifier: randomBytes(32),
        appId: 'app_00000000000000000000000000000b0b',
        action: 'bench',
        actionDescription: '',
        requestId: randomUUID(),
        createdAt,
      });
      if (!record.isNew) throw new Error('a new nullifier was reported as known');
      return true;
    });
  },
  async close() {
    await store?.close();
  },
};

answerCalls(handlers);
