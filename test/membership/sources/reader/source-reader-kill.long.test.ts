// Rules: spec/roots.md#rounds, `commit`, and spec/roots.md#first-start
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../../../storage/support/processes/child.ts';
import type { Behaviour } from '../../../support/chain/behaviours.ts';
import { type FakeProvider, startFakeProvider } from '../../../support/chain/fake-provider.ts';
import { scriptedBackend } from '../../../support/chain/scripted-chain.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../../support/postgres/postgres-programs.ts';
import { openTempStore, type TempStore } from '../../../verification/support/temp-store.ts';
import { History, testSource } from '../support/history.ts';
import { openPostgresStore } from '../support/postgres-store.ts';
import { type Random, RandomChanges, randomFrom } from '../support/random-changes.ts';
import { checkRegistry } from '../support/random-history.ts';
import type { ExpectedLife } from '../support/replay.ts';

// HISTORIES.md says when many of them were run.
const KILLS = Number(process.env.ROOT_KILLS ?? 8);
const KILLS_POSTGRES = Number(process.env.ROOT_KILLS_POSTGRES ?? 8);
const KINDS = ['identity-manager', 'bridged', 'registry4'] as const;
/** Where a round is killed: at a call, which is not answered then, and around a transaction that writes rows. */
const STEPS = [
  'eth_chainId',
  'eth_getBlockByNumber',
  'eth_getLogs',
  'eth_call',
  'before the commit',
  'during the commit',
  'once the commit is seen',
  'after the commit',
] as const;
type Step = (typeof STEPS)[number];

const FIRST_BLOCKS = 30;
const OF_COMMIT: readonly Step[] = ['before the commit', 'during the commit', 'once the commit is seen'];
const MOST_CALLS = 8;
const MOST_COMMITS = 3;
const LONGEST_COMMIT_MS = 4;

describe('kill -9 in every step of a round', () => {
  describeKills('libsql', KILLS, 0, openTempStore);

  describe.skipIf(POSTGRES_BIN === undefined)(`PostgreSQL${POSTGRES_SKIP}`, () => {
    describeKills('PostgreSQL', KILLS_POSTGRES, 1, openPostgresStore);
  });
});

function describeKills(
  name: string,
  kills: number,
  firstHistory: number,
  open: () => Promise<TempStore>,
): void {
  describe(`on ${name}`, () => {
    let temp: TempStore;
    beforeAll(async () => {
      temp = await open();
    });
    afterAll(() => temp?.close());

    const timeout = 60_000 + kills * 20_000;
    it('loses no root and makes none wrongly current', { timeout }, async () => {
      for (let done = 0; done < kills; done += STEPS.length) {
        const number = firstHistory + done / STEPS.length;
        const steps = STEPS.map((_, index) => STEPS[(index + number) % STEPS.length] as Step);
        await checkHistory(temp, number, steps.slice(0, kills - done));
      }
    });
  });
}

/** Kills a process that reads a source at each of some steps, one process after the other; then reads the rest. */
async function checkHistory(temp: TempStore, number: number, steps: readonly Step[]): Promise<void> {
  const kind = KINDS[number % KINDS.length] as (typeof KINDS)[number];
  const history = new History(temp.store, testSource({ kind }));
  await history.reset();
  const random = randomFrom(number + 1);
  const changes = new RandomChanges(history, random);
  for (let blocks = 0; blocks < FIRST_BLOCKS; blocks++) changes.mine();
  const provider = await startFakeProvider(scriptedBackend(history.chain));
  try {
    for (const step of steps) {
      const reader = { temp, history, changes, provider, random };
      const before = await killAt(
        step,
        1 + random(step.startsWith('eth_') ? MOST_CALLS : MOST_COMMITS),
        reader,
      );
      const after = await snapshotOf(history);
      const isOneFurther = after.version === before.version + 1;
      const mayBeOneFurther = step === 'during the commit' || step === 'once the commit is seen';
      if (!(mayBeOneFurther && isOneFurther)) expect(after, `${kind}, killed ${step}`).toEqual(before);
      if (step === 'once the commit is seen') expect(after.version).toBe(before.version + 1);
      await checkRegistry(history, changes);
      // The chain goes on without a reader.
      if (random(3) === 0) changes.reorganise();
    }
  } finally {
    await provider.close();
  }
  await history.expectSettled();
}

/** What the store says of a source. */
interface Snapshot {
  readonly version: number;
  readonly roots: readonly ExpectedLife[];
}

async function snapshotOf(history: History): Promise<Snapshot> {
  return { version: await versionOf(history), roots: await history.found() };
}

async function versionOf({ store, source }: History): Promise<number> {
  return (await store.rootSources.find(source.id))?.version ?? 0;
}

/** Parts of a process that is killed. */
interface KilledReader {
  readonly temp: TempStore;
  readonly history: History;
  readonly changes: RandomChanges;
  readonly provider: FakeProvider;
  readonly random: Random;
}

/** Starts a process that reads the source, and kills it at a step; returns what the store said right before. */
async function killAt(step: Step, nth: number, reader: KilledReader): Promise<Snapshot> {
  const { temp, history, changes, provider, random } = reader;
  const child = startChild('../../../membership/sources/support/read-source-process.ts', [
    temp.url,
    JSON.stringify(history.source),
    provider.url,
    String(history.now()),
  ]);
  // A process asks for the id of the chain once.
  let left = step === 'eth_chainId' ? 1 : nth;
  const killed = new Promise<Snapshot>((resolve, reject) => {
    const answerUntilKilled: Behaviour = (backend) => async (method, params) => {
      const [first, hasRows] = params;
      // It gets no further than the step.
      if (left === 0) await child.exited;
      if (isReached(step, method, first, hasRows) && --left === 0) {
        const before = await snapshotOf(history);
        resolve(before);
        if (step === 'during the commit') setTimeout(() => child.kill(), random(LONGEST_COMMIT_MS));
        else if (step === 'once the commit is seen') void killOnceSeen(before.version + 1);
        else {
          child.kill();
          await child.exited;
        }
      }
      // The chain grows between rounds, and is another one at times while a round is under way.
      if (left > 0 && first === 'latest') changes.mine();
      if (left > 0 && first === 'after' && random(4) === 0) changes.reorganise();
      return method === 'test_commit' ? { result: true } : backend(method, params);
    };
    provider.behaviour = answerUntilKilled;
    // It prints nothing: this tells why it ended by itself.
    child.waitForLines(1).catch((cause: unknown) => {
      if (left > 0) reject(cause);
    });
  });
  async function killOnceSeen(version: number): Promise<void> {
    while ((await versionOf(history)) < version) await setImmediate();
    child.kill();
  }
  const before = await killed;
  expect(await child.exited).toBeNull();
  return before;
}

/** Whether a call says that a process is at a step. */
function isReached(step: Step, method: string, first: unknown, hasRows: unknown): boolean {
  if (method !== 'test_commit') return method === step;
  return step === 'after the commit' ? first === 'after' : OF_COMMIT.includes(step) && hasRows === true;
}
