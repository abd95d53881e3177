import { median } from '../report/statistics.ts';
import type { RunRecord } from '../report/types.ts';
import { measuredArrivals } from './calibration.ts';
import { type Costs, caseOf, figureOf } from './costs.ts';
import { type Plan, type Shape, simulate } from './simulation.ts';

const PLAN: Plan = { warmUpSeconds: 1, seconds: 5, seed: 2 };

/** Figures of a run: requests per second, latencies in ms, processor time in µs per request. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mainUs: number;
  readonly workersUs: number;
  readonly databaseUs: number;
  readonly commitsPerSecond: number;
}

/** A measured run and its simulation. */
export interface Comparison {
  readonly name: string;
  /** Whether the costs of the model were derived from this run. */
  readonly isCalibration: boolean;
  readonly measured: Figures;
  readonly simulated: Figures;
}

/** Simulates every run of the suite cluster over PostgreSQL: all parts share two cores, as in the measurement. */
export function validate(run: RunRecord, costs: Costs): Comparison[] {
  return ['cluster.verify', 'cluster.verify-half'].flatMap((subject) =>
    [
      { nodes: 1, balancer: 'none' },
      { nodes: 1, balancer: 'haproxy' },
      { nodes: 2, balancer: 'haproxy' },
      { nodes: 3, balancer: 'haproxy' },
    ].map(({ nodes, balancer }): Comparison => {
      const entry = caseOf(run, subject, { nodes, balancer }, 'postgres');
      const figure = (name: string): number => figureOf(entry, name);
      const shape: Shape = {
        nodes,
        workers: 1,
        balancers: balancer === 'none' ? 0 : 1,
        shards: 1,
        sharedCores: run.machine.cores,
      };
      const result = simulate(shape, costs, measuredArrivals(run, subject), PLAN);
      const usOf = (cores: number): number => (cores * 1e6) / result.perSecond;
      return {
        name: `${subject === 'cluster.verify' ? 'full speed' : 'half'}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}${balancer === 'none' ? '' : ' behind a balancer'}`,
        isCalibration: balancer === 'none',
        measured: {
          perSecond: median(entry.samples),
          p50Ms: figure('p50_ms'),
          p99Ms: figure('p99_ms'),
          mainUs: figure('main_thread_us'),
          workersUs: figure('nodes_us') - figure('main_thread_us'),
          databaseUs: figure('database_us'),
          commitsPerSecond: figure('commits_per_s'),
        },
        simulated: {
          perSecond: result.perSecond,
          p50Ms: result.p50Ms,
          p99Ms: result.p99Ms,
          mainUs: usOf(result.busy.main),
          workersUs: usOf(result.busy.workers),
          databaseUs: usOf(result.busy.database),
          commitsPerSecond: result.commitsPerSecond,
        },
      };
    }),
  );
}
