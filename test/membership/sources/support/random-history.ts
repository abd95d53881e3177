/**
 * Random histories of a contract on a chain with reorganisations, read by several nodes with lying providers and crashes.
 * The registry must end as a replay of the final chain says, and have no root meanwhile that the chain never had.
 */
import { deepStrictEqual, ok } from 'node:assert';
import type { RoundResult, SourceReader } from '../../../../src/membership/sources/reader/source-reader.ts';
import { toHex } from '../../../../src/semaphore/hex.ts';
import {
  alteringBlocks,
  alteringLogs,
  type Behaviour,
  lagging,
  silent,
} from '../../../support/chain/behaviours.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { Crash, type History } from './history.ts';
import { RandomChanges, randomFrom } from './random-changes.ts';
import { livesOf } from './replay.ts';

/** What happened in a history, counted. */
export interface Happened {
  /** Reorganisations that a node followed. */
  readonly reorganisations: number;
  /** Changes to a root that was made before. */
  readonly returns: number;
  /** Blocks with several changes. */
  readonly crowdedBlocks: number;
  /** Lies that an honest quorum contradicted. */
  readonly disagreements: number;
  /** Rounds with a provider that lags. */
  readonly laggards: number;
  /** Rounds that ended because the logs were not complete. */
  readonly incomplete: number;
  readonly crashesBeforeCommit: number;
  readonly crashesAfterCommit: number;
  /** Rounds of several nodes at the same time. */
  readonly races: number;
  readonly lostRaces: number;
  /** Rounds after which a part of the look-back was still to be read. */
  readonly unfinishedBackfills: number;
}

/** Least counts in a hundred histories, so that none of these events disappears unnoticed. */
export const LEAST_OF_100: Happened = {
  reorganisations: 150,
  returns: 300,
  crowdedBlocks: 500,
  disagreements: 500,
  laggards: 40,
  incomplete: 300,
  crashesBeforeCommit: 100,
  crashesAfterCommit: 100,
  races: 800,
  lostRaces: 500,
  unfinishedBackfills: 15,
};

const NODES = 3;
const STEPS = 50;
/** Commits of a round that reads a part of the past. */
const MOST_COMMITS = 5;
/** In seconds: all blocks, some of them, or fewer than a reorganisation drops. */
const LOOK_BACKS: readonly number[] = [600, 600, 60, 8];

/** What a single provider does wrong. */
const LIES: readonly Behaviour[] = [
  alteringLogs((logs) => logs.slice(1)),
  alteringLogs((logs) => logs.map((log) => ({ ...log, blockHash: `0x${'ab'.repeat(32)}` }))),
  alteringLogs((logs) =>
    logs.map((log) => ({ ...log, topics: [...log.topics.slice(0, -1), hexWords(31_337n)] })),
  ),
  alteringBlocks((block) => ({ ...block, hash: `0x${'cd'.repeat(32)}` })),
  alteringBlocks((block) => ({ ...block, timestamp: `0x${(Number(block.timestamp) + 5).toString(16)}` })),
  silent,
];
const LAGGING = lagging(4);

/** Returns the look-back of a history in seconds. */
export function lookBackOf(seed: number): number {
  return LOOK_BACKS[seed % LOOK_BACKS.length] ?? 0;
}

/** Runs a random history and checks the registry after each step; its end is then to be compared with the chain. */
export async function runHistory(history: History, seed: number): Promise<Happened> {
  const random = randomFrom(seed);
  const { clients } = history;
  const changes = new RandomChanges(history, random);
  const silentPair = silentAboutNewRoots(changes);
  const nodes = Array.from({ length: NODES }, () => history.node());
  const counts = {
    laggards: 0,
    incomplete: 0,
    crashesBeforeCommit: 0,
    crashesAfterCommit: 0,
    races: 0,
    lostRaces: 0,
    unfinishedBackfills: 0,
  };

  async function runRound(index: number): Promise<void> {
    const node = nodes[index] as SourceReader;
    try {
      const result: RoundResult = await node.round(random(10) === 0 ? 0 : undefined);
      if (result === 'lost_race') counts.lostRaces++;
    } catch (cause) {
      if (cause instanceof Crash) {
        counts[cause.when === 'before' ? 'crashesBeforeCommit' : 'crashesAfterCommit']++;
        nodes[index] = history.node();
      } else if (codeOf(cause) === 'roots.incomplete') counts.incomplete++;
      else if (codeOf(cause) !== 'NoQuorum') throw cause;
    }
  }

  // What the first node finds.
  for (let blocks = random(3) === 0 ? random(40) : 0; blocks > 0; blocks--) changes.mine();
  for (let step = 0; step < STEPS; step++) {
    switch (random(8)) {
      case 0:
        changes.reorganise();
        break;
      case 1:
        for (const client of clients) client.behaviour = undefined;
        if (random(2) === 0) {
          const liar = clients[random(clients.length)];
          if (liar !== undefined) liar.behaviour = random(5) === 0 ? LAGGING : LIES[random(LIES.length)];
        }
        break;
      case 2:
        for (const client of clients) client.behaviour = undefined;
        // Two of three behind a load balancer that has not seen the newest blocks.
        if (random(2) === 0) for (const client of clients.slice(1)) client.behaviour = silentPair;
        break;
      case 3:
        nodes[random(NODES)] = history.node();
        break;
      default:
        changes.mine();
    }
    if (clients.some(({ behaviour }) => behaviour === LAGGING)) counts.laggards++;
    if (random(8) === 0)
      history.crash = { when: random(2) === 0 ? 'before' : 'after', commits: random(MOST_COMMITS) };
    const first = random(NODES);
    const running = random(4) === 0 ? 2 + random(NODES - 1) : 1;
    if (running > 1) counts.races++;
    await Promise.all(Array.from({ length: running }, (_, index) => runRound((first + index) % NODES)));
    if (await checkRegistry(history, changes)) counts.unfinishedBackfills++;
  }
  const { reorganisations, disagreements } = history;
  const { returns, crowdedBlocks } = changes;
  return { ...counts, reorganisations, disagreements, returns, crowdedBlocks };
}

/**
 * Checks that the registry has the roots that the chain up to the checkpoint says, and while a part of the look-back is to
 * be read that its current root was one of the contract's.
 *
 * @returns Whether a part of the look-back is still to be read.
 */
export async function checkRegistry(history: History, changes: RandomChanges): Promise<boolean> {
  const { source, store } = history;
  const state = await store.rootSources.find(source.id);
  const found = await history.found();
  const { checkpoint = null, backfillTo = null, scanFrom = null } = state ?? {};
  if (checkpoint !== null && scanFrom !== null && backfillTo === null) {
    const branch = changes.branchOf(toHex(checkpoint.blockHash));
    deepStrictEqual(found, livesOf(branch, source.kind, scanFrom));
  }
  const current = found.filter(({ supersededAt }) => supersededAt === null);
  deepStrictEqual(
    current.filter(({ root }) => !changes.wasLatest(root)),
    [],
  );
  ok(current.length <= 1, `${current.length} roots are current`);
  return backfillTo !== null;
}

/**
 * Answers each `eth_getLogs` with an empty list, unless the root at the end of the range is that of its beginning: changes
 * that were undone within the range, and that a quorum hides, cannot be noticed (spec/roots.md#rounds).
 */
function silentAboutNewRoots(changes: RandomChanges): Behaviour {
  return (backend) => async (method, params) => {
    if (method !== 'eth_getLogs') return backend(method, params);
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    const isUndone = changes.latestAt(Number(fromBlock) - 1) === changes.latestAt(Number(toBlock));
    return isUndone ? backend(method, params) : { result: [] };
  };
}

function codeOf(cause: unknown): unknown {
  if (cause instanceof Error && cause.name === 'NoQuorum') return 'NoQuorum';
  return (cause as { code?: unknown }).code;
}
