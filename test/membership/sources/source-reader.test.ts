// Rules: spec/roots.md#rounds, spec/roots.md#first-start and spec/roots.md#reorganisation
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTempStore } from '../../verification/support/temp-store.ts';
import { History, runHistory, testSource } from './support/history.ts';

const HISTORIES = Number(process.env.ROOT_HISTORIES ?? 20);
const STEPS = 60;
const KINDS = ['identity-manager', 'bridged', 'registry4'] as const;

let temp: Awaited<ReturnType<typeof openTempStore>>;

beforeAll(async () => {
  temp = await openTempStore();
});

afterAll(() => temp.close());

describe('random histories', () => {
  for (const kind of KINDS) {
    it(`of a contract of the kind ${kind} end as a replay of the chain`, { timeout: 600_000 }, async () => {
      const source = testSource({ kind });
      for (let seed = 1; seed <= HISTORIES; seed++) {
        const history = new History(temp.store, source);
        await history.node().open();
        await temp.store.rootSources.reset(source.id);
        await runHistory(history, seed, STEPS);
        await history.settle();
        expect(await history.found(), `seed ${seed}`).toEqual(history.expected());
      }
    });
  }
});
