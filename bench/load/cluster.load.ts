import { isBalancerInstalled } from '../../test/cluster/support/balancer.ts';
import { POSTGRES_BIN } from '../../test/support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../test/support/postgres/postgres-server.ts';
import { median } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Budget, Suite } from '../suite.ts';
import { startChild } from '../support/child.ts';
import {
  type ClusterFigures,
  type ClusterShape,
  type ClusterTarget,
  startClusterTarget,
} from './cluster/cluster-target.ts';
import type { ClientProcess } from './http/client.ts';
import type { LoadPlan } from './plan.ts';
import { inRounds, type LoadResult } from './rounds.ts';

const CONNECTIONS = 256;
/** Requests of the first run, which finds out the rate; a multiple of what one machine serves in its time. */
const PROBE_RATE = 12_000;

function shapes(postgres: PostgresServer | undefined, mode: Budget['mode']): ClusterShape[] {
  const all: ClusterShape[] = [{ name: 'libsql', nodes: 1, isBalanced: false }];
  if (postgres === undefined) return all;
  all.push({ name: 'postgres', nodes: 1, isBalanced: false, postgres });
  if (!isBalancerInstalled) return all;
  for (const nodes of mode === 'smoke' ? [2] : [1, 2, 3]) {
    all.push({ name: `postgres-balanced-${nodes}`, nodes, isBalanced: true, postgres });
  }
  return all;
}

function clusterCase(
  subject: string,
  { nodes, isBalanced, postgres }: ClusterShape,
  { samples, figures }: LoadResult,
  runs: readonly ClusterFigures[],
): Case {
  const middle = (pick: (figures: ClusterFigures) => number): number => median(runs.map(pick));
  return {
    subject,
    contender: postgres === undefined ? 'libsql' : 'postgres',
    parameters: { nodes, balancer: isBalanced ? 'haproxy' : 'none', connections: CONNECTIONS },
    unit: 'ops_per_s',
    isPeer: false,
    samples,
    figures: {
      ...figures,
      main_thread_us: middle((run) => run.mainThreadUs),
      nodes_us: middle((run) => run.nodesUs),
      database_us: middle((run) => run.databaseUs),
      balancer_us: middle((run) => run.balancerUs),
      commits_per_s: middle((run) => run.commitsPerSecond),
    },
  };
}

/** Runs all targets in turns; at `rates`, or as fast as they go. */
async function measure(
  subject: string,
  targets: readonly ClusterTarget[],
  plan: LoadPlan,
  rounds: number,
  rates: readonly number[],
  isPaced: boolean,
): Promise<Case[]> {
  const kept = targets.map((): ClusterFigures[] => []);
  const seconds = (plan.warmUpMs + plan.windowMs * plan.windows) / 1000;
  const results = await inRounds(
    targets.map((target, index) => async () => {
      const rate = rates[index] as number;
      const count = Math.ceil((isPaced ? 1.1 : 2) * rate * seconds) + CONNECTIONS;
      const pace = isPaced ? { perSecond: rate } : {};
      const figures = await target.run({ connections: CONNECTIONS, count, plan, ...pace });
      kept[index]?.push(figures);
      return figures;
    }),
    rounds,
  );
  return targets.map(({ shape }, index) =>
    clusterCase(subject, shape, results[index] as LoadResult, kept[index] ?? []),
  );
}

/**
 * Verification over HTTP on one libsql node and on one to three nodes with one PostgreSQL, on the same cores as database,
 * balancer and client: as fast as they go, and at half of the slowest rate.
 */
export const cluster: Suite = {
  name: 'cluster',
  async run({ budget, folder, say, leaveOut }) {
    if (POSTGRES_BIN === undefined) leaveOut('postgres', 'no PostgreSQL server is installed');
    else if (!isBalancerInstalled) leaveOut('postgres behind a balancer', 'HAProxy is not installed');
    const postgres = POSTGRES_BIN === undefined ? undefined : await PostgresServer.create();
    const client = startChild<ClientProcess>(new URL('./http/client.ts', import.meta.url));
    const targets: ClusterTarget[] = [];
    try {
      for (const shape of shapes(postgres, budget.mode))
        targets.push(await startClusterTarget(shape, folder, client));
      const plan: LoadPlan = { ...budget, windows: budget.httpWindows };
      const warmUp = { warmUpMs: 0, windowMs: budget.serverWarmUpMs, windows: 1 };
      const rates: number[] = [];
      for (const target of targets) {
        const count = Math.ceil((PROBE_RATE * budget.serverWarmUpMs) / 1000);
        const { rates: found } = await target.run({ connections: CONNECTIONS, count, plan: warmUp });
        rates.push(Math.max(...found));
        say(`${target.shape.name}: about ${Math.round(rates.at(-1) ?? 0)} requests per second`);
      }
      const fastest = await measure('cluster.verify', targets, plan, budget.loadRounds, rates, false);
      const half = Math.min(...fastest.map(({ samples }) => median(samples))) / 2;
      const halves = targets.map(() => half);
      const paced = await measure('cluster.verify-half', targets, plan, budget.loadRounds, halves, true);
      return [...fastest, ...paced];
    } finally {
      for (const target of targets) await target.stop();
      await client.stop();
      await postgres?.remove();
    }
  },
};
