// Rules: spec/roots.md#rounds, spec/roots.md#first-start and spec/roots.md#reorganisation
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { casesOf } from '../../../support/cases.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../../support/postgres/postgres-programs.ts';
import { openTempStore, type TempStore } from '../../../verification/support/temp-store.ts';
import { History, testSource } from '../support/history.ts';
import { openPostgresStore } from '../support/postgres-store.ts';
import { type Happened, LEAST_OF_100, lookBackOf, runHistory } from '../support/random-history.ts';

// HISTORIES.md says when many of them were run.
const HISTORIES = Number(process.env.ROOT_HISTORIES ?? casesOf(201, 24));
const FIRST_SEED = Number(process.env.ROOT_FIRST_SEED ?? 1);
const ON_POSTGRES = Number(process.env.ROOT_HISTORIES_POSTGRES ?? casesOf(21, 3));
const KINDS = ['identity-manager', 'bridged', 'registry4'] as const;

const MS_PER_HISTORY = 5000;
// The histories make thousands of commits; that these reach the disk is tested elsewhere.
const IN_MEMORY = '/dev/shm';

describe('random histories', () => {
  describeHistories('libsql', HISTORIES, () => openTempStore(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir()));

  describe.skipIf(POSTGRES_BIN === undefined)(`PostgreSQL${POSTGRES_SKIP}`, () => {
    describeHistories('PostgreSQL', ON_POSTGRES, openPostgresStore);
  });
});

function describeHistories(name: string, histories: number, open: () => Promise<TempStore>): void {
  describe(`on ${name}`, () => {
    let temp: TempStore;
    beforeAll(async () => {
      temp = await open();
    });
    afterAll(() => temp?.close());

    const timeout = 60_000 + histories * MS_PER_HISTORY;
    it.each(KINDS)('of a contract of the kind %s end as a replay of the chain', { timeout }, async (kind) => {
      const total: Record<string, number> = {};
      let count = 0;
      for (let seed = FIRST_SEED; seed < FIRST_SEED + histories; seed++) {
        if (KINDS[seed % KINDS.length] !== kind) continue;
        const happened = await checkHistory(temp, kind, seed);
        for (const [event, times] of Object.entries(happened)) total[event] = (total[event] ?? 0) + times;
        count++;
      }
      if (process.env.ROOT_HISTORIES !== undefined) console.log(`${kind}: ${count}`, total);
      // A few histories need not have everything.
      const counted = count < KINDS.length ? 0 : count;
      const least: [string, number][] = Object.entries(LEAST_OF_100);
      const rare = least.filter(
        ([event, of100]) => (total[event] ?? 0) < Math.floor((of100 * counted) / 100),
      );
      expect(rare, JSON.stringify(total)).toEqual([]);
    });
  });
}

async function checkHistory(
  { store }: TempStore,
  kind: (typeof KINDS)[number],
  seed: number,
): Promise<Happened> {
  const history = new History(store, testSource({ kind, lookBackSeconds: lookBackOf(seed) }));
  await history.reset();
  try {
    const happened = await runHistory(history, seed);
    await history.settle();
    const state = await store.rootSources.find(history.source.id);
    expect(await history.found()).toEqual(history.expected(state?.scanFrom ?? undefined));
    return happened;
  } catch (cause) {
    throw new Error(`seed ${seed}: ${String(cause)}`, { cause });
  }
}
