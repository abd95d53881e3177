import type { RunRecord } from '../report/types.ts';
import { type Costs, caseOf, figureOf } from './costs.ts';
import { NODE_LIMITS } from './node.ts';
import { type Arrivals, type Plan, type Shape, type Simulated, simulate } from './simulation.ts';

/** One node without a balancer: the measurement that calibrates the model. */
export const ONE_NODE: Shape = { nodes: 1, workers: 1, balancers: 0, shards: 1, sharedCores: 2 };
const PLAN: Plan = { warmUpSeconds: 0.5, seconds: 2, seed: 1 };
const STEPS = 12;
const PARAMETERS = { nodes: 1, balancer: 'none' };

/** What a load run asked for: connections in a closed loop, or requests per second. */
export function measuredArrivals(run: RunRecord, subject: string): Arrivals {
  const half = caseOf(run, 'cluster.verify-half', { nodes: 1 }, 'postgres');
  if (subject === 'cluster.verify') {
    return { kind: 'closed', connections: Number(half.parameters.connections) };
  }
  return { kind: 'paced', perSecond: half.samples[0] as number };
}

/**
 * Divides the measured time of threads into a part per request and a part per start on a core, which cannot be measured
 * alone. At full speed a thread rarely starts, at half of it often, so that both runs of one node together tell both
 * parts: the simulated times of the main thread and of the other threads become the measured ones. The worker keeps the
 * shape of its curve over batches. The wait of a commit becomes the one with which a node makes the measured number of
 * groups at half of its speed.
 */
export function calibrated(run: RunRecord, read: Costs): Costs {
  const subjects = ['cluster.verify', 'cluster.verify-half'] as const;
  const targets = subjects.map((subject) => {
    const entry = caseOf(run, subject, PARAMETERS, 'postgres');
    return {
      main: figureOf(entry, 'main_thread_us'),
      workers: figureOf(entry, 'nodes_us') - figureOf(entry, 'main_thread_us'),
      commits: figureOf(entry, 'commits_per_s'),
    };
  });
  let costs: Costs = read;
  let scale = 1;
  for (let step = 0; step < STEPS; step++) {
    const runs = subjects.map((subject) => simulate(ONE_NODE, costs, measuredArrivals(run, subject), PLAN));
    const main = solve(
      runs.map((each, index) => ({
        request: 1,
        starts: each.starts.main,
        us: (targets[index]?.main ?? 0) - (costs.mainGroupUs * each.commitsPerSecond) / each.perSecond,
      })),
    );
    const workers = solve(
      runs.map((each, index) => ({
        request: proofUs(each, costs) / scale,
        starts: each.starts.workers,
        us: targets[index]?.workers ?? 0,
      })),
    );
    scale = (scale + workers.request) / 2;
    const factor = scale;
    // Groups are committed two at a time: the time of one follows from how many there are in a second.
    const cycleUs = (commits: number): number => (NODE_LIMITS.groupsInFlight * 1e6) / commits;
    const lateUs = cycleUs(targets[1]?.commits ?? 0) - cycleUs(runs[1]?.commitsPerSecond ?? 0);
    costs = {
      ...costs,
      commitWaitUs: Math.max(0, costs.commitWaitUs + lateUs / 2),
      mainRequestUs: (costs.mainRequestUs + main.request) / 2,
      mainStartUs: (costs.mainStartUs + main.start) / 2,
      workerStartUs: (costs.workerStartUs + workers.start) / 2,
      batchUs: (proofs) => factor * read.batchUs(proofs),
    };
  }
  return costs;
}

/** Worker time per request without the starts. */
function proofUs({ busy, perSecond, starts }: Simulated, costs: Costs): number {
  return (busy.workers * 1e6) / perSecond - starts.workers * costs.workerStartUs;
}

interface Equation {
  readonly request: number;
  readonly starts: number;
  readonly us: number;
}

/** Solves two equations `request · x + starts · y = us`; neither part is negative. */
function solve(equations: readonly Equation[]): { request: number; start: number } {
  const [one, other] = equations as [Equation, Equation];
  const determinant = one.request * other.starts - other.request * one.starts;
  const request = (one.us * other.starts - other.us * one.starts) / determinant;
  const start = (one.request * other.us - other.request * one.us) / determinant;
  if (start < 0) return { request: one.us / one.request, start: 0 };
  if (request < 0) return { request: 0, start: one.us / one.starts };
  return { request, start };
}
