/** Faults of a cluster that must cost nothing but 503. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Cluster } from './cluster.ts';
import type { Ledger } from './ledger.ts';

/** Makes a fault under load and ends it; the nodes may need a moment to recover. */
export type Fault = (cluster: Cluster, round: number, ledger: Ledger) => Promise<void>;

const FREEZE_MS = 5000;
const HOLD_MS = 5000;
const SWALLOW_MS = 1000;
const STANDBY_AWAY_MS = 5000;
const LAG_MS = 1500;
/** Time without an answer after which the commits have ended that were under way when the standby died. */
const UNDER_WAY_MS = 500;

/** Faults by name. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'a node is killed': async (cluster, round) => {
    const index = round % cluster.nodePorts.length;
    await cluster.endNode(index, 'SIGKILL');
    await delay(300);
    await cluster.startNode(index);
  },
  'a node is replaced in order': async (cluster, round) => {
    const index = round % cluster.nodePorts.length;
    expect(await cluster.endNode(index, 'SIGTERM')).toBe(0);
    await cluster.startNode(index);
  },
  'the primary dies and the standby takes over': (cluster) => cluster.failOver(),
  'the primary dies and a standby that lags takes over': async (cluster) => {
    await cluster.standby.query('select pg_wal_replay_pause()');
    await delay(LAG_MS);
    await cluster.failOver();
  },
  'the standby dies and comes back': async ({ standby }, _round, { counts }) => {
    await standby.kill();
    let before: number | undefined;
    do {
      before = counts['verify: new'];
      await delay(UNDER_WAY_MS);
    } while (counts['verify: new'] !== before);
    await delay(STANDBY_AWAY_MS);
    expect(counts['verify: new']).toBe(before);
    await standby.start();
  },
  'the server is restarted': async ({ primary }, round) => {
    await primary.stop(round % 2 === 0 ? 'fast' : 'immediate');
    await primary.start();
  },
  'the server is frozen': async ({ primary }) => {
    primary.freeze();
    await delay(FREEZE_MS);
    primary.thaw();
  },
  'all connections are cut': (cluster) => cluster.cutConnections(),
  'answers of the server are lost with their connections': (cluster) => loseAnswers(cluster, SWALLOW_MS),
  'connections are held': async ({ relays }) => {
    for (const relay of relays) relay.mode = 'hold';
    await delay(HOLD_MS);
    for (const relay of relays) relay.mode = 'pass';
  },
  'the server has no connection left': async (cluster) => {
    const others = await cluster.primary.takeConnections();
    // The sessions of the nodes are cut, and most of their slots are taken before they can open others.
    await cluster.cutConnections(others);
    const more = await cluster.primary.takeConnections();
    await delay(1000);
    await Promise.all([others.free(), more.free()]);
  },
};

/** Drops what the server answers for a while, and cuts the connections that lost something. */
export async function loseAnswers({ relays }: Cluster, durationMs: number): Promise<void> {
  for (const relay of relays) relay.mode = 'swallow';
  await delay(durationMs);
  for (const relay of relays) relay.mode = 'pass';
}

/** Names of the faults that are worth twice as many rounds. */
export const TWICE: readonly string[] = [
  'a node is killed',
  'a node is replaced in order',
  'all connections are cut',
  'answers of the server are lost with their connections',
];
