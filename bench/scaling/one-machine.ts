import {
  bestShape,
  type Costs as ShapeCosts,
  type ShapeRow,
} from '../../src/cli/commands/bench/shape-table.ts';
import { shapeOf, type Shape as Threads } from '../../src/config/settings/shape.ts';
import { median } from '../report/statistics.ts';
import type { RunRecord } from '../report/types.ts';
import { batchUsOf, type Costs, caseOf, figureOf, interpolated } from './costs.ts';
import { NODE_LIMITS } from './node.ts';
import { type Simulated, simulate } from './simulation.ts';

const CORES = [4, 8, 16, 32, 64];
const ARITHMETICS = [
  { contender: 'native-ifma', name: 'yes' },
  { contender: 'native-avx2', name: 'no' },
] as const;
/** Requests in flight: for each front end enough for full batches, and on the database thread for full commits. */
const CONNECTIONS = { perFrontEnd: 512, withRows: 2048 };
const PLAN = { warmUpSeconds: 0.15, seconds: 0.15, seed: 1 };

/** Rates of a machine with one arithmetic, at full speed. */
export interface MachineRow {
  readonly cores: number;
  readonly arithmetic: (typeof ARITHMETICS)[number]['name'];
  /** Shape of `server.frontEnds` `auto`. */
  readonly auto: Threads;
  /** Simulated rate of `auto` without a row to write: proofs of any circuit, or with known nullifiers. */
  readonly withoutRows: Rate;
  /** Simulated rate of `auto` with new nullifiers on the embedded store. */
  readonly withRows: Rate;
  /** The shape with the highest rate without rows, by the costs alone, and that rate. */
  readonly best: ShapeRow;
}

/** Requests per second, and the part whose busiest thread had the least time left. */
export interface Rate {
  readonly perSecond: number;
  readonly usedUp: string;
}

/**
 * Reads the costs of requests with one proof to one machine with the embedded store; without a balancer, and with clients
 * elsewhere.
 *
 * @param run - With the suites groth16, http and nullifiers.
 */
export function machineCosts(run: RunRecord, contender: string): Costs {
  const batches = run.cases.filter(
    (entry) => entry.subject === 'groth16.verify' && entry.contender === contender,
  );
  const commits = [64, 512].map((concurrency) => caseOf(run, 'nullifier.commit', { concurrency }, 'libsql'));
  const served = caseOf(run, 'http.verify', { proofs: 1, cores: '1' }, 'native');
  return {
    clientUs: 0,
    balancerUs: 0,
    mainRequestUs: (1e6 * figureOf(served, 'server_main_thread_cores')) / median(served.samples),
    mainGroupUs: 0,
    mainStartUs: 0,
    workerStartUs: 0,
    batchUs: batchUsOf(batches),
    groupUs: interpolated(
      commits.map(({ parameters, samples }) => {
        const rows = Number(parameters.concurrency);
        return [rows, (1e6 * rows) / median(samples)];
      }),
    ),
    commitWaitUs: 0,
  };
}

/** Returns the costs as `proofgate bench --shape` has them: of full batches and groups. */
function shapeCosts({ mainRequestUs, batchUs, groupUs }: Costs): ShapeCosts {
  const { maxBatch, groupMaxRows } = NODE_LIMITS;
  return {
    requestUs: mainRequestUs,
    proofUs: batchUs(maxBatch) / maxBatch,
    rowUs: groupUs(groupMaxRows) / groupMaxRows,
  };
}

function rateOf(cores: number, threads: Threads, costs: Costs, hasRows: boolean): Rate {
  const { frontEnds, workers } = threads;
  const shape = { nodes: frontEnds, workers, balancers: 0, shards: 1, sharedCores: cores };
  const run = simulate(
    { ...shape, isOneMachine: true },
    hasRows ? costs : { ...costs, groupUs: () => 0 },
    {
      kind: 'closed',
      connections: hasRows ? CONNECTIONS.withRows : CONNECTIONS.perFrontEnd * frontEnds,
    },
    PLAN,
  );
  return { perSecond: run.perSecond, usedUp: usedUp(run, cores) };
}

/** Names the part that is used up first: the one with the busiest thread, or all processors together. */
function usedUp({ utilisation, busy }: Simulated, cores: number): string {
  const all = Object.values(busy).reduce((sum, each) => sum + each, 0) / cores;
  const parts = [
    ['front ends', utilisation.main],
    ['workers', utilisation.workers],
    ['database thread', busy.database],
  ] as const;
  const [name, share] = parts.reduce((one, other) => (other[1] > one[1] ? other : one));
  return all > share ? 'processors' : name;
}

/** Simulates machines of some sizes in cores, with and without AVX-512, with the costs of a run. */
export function machineRows(run: RunRecord, sizes: readonly number[] = CORES): MachineRow[] {
  return ARITHMETICS.flatMap(({ contender, name }) => {
    const costs = machineCosts(run, contender);
    return sizes.map((cores) => {
      const auto = shapeOf(cores);
      return {
        cores,
        arithmetic: name,
        auto,
        withoutRows: rateOf(cores, auto, costs, false),
        withRows: rateOf(cores, auto, costs, true),
        best: bestShape(shapeCosts(costs), cores),
      };
    });
  });
}
