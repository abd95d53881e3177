import type { Costs, StorageCosts } from './costs.ts';
import { type Plan, type Shape, type Simulated, simulate } from './simulation.ts';

/** Share of its capacity that a shape is planned for, so that bursts and the loss of a node find room. */
export const MAX_UTILISATION = 0.7;
const MACHINE_CORES = 8;
/** Factor by which the rate rises in the search for the first limit. */
const RISE = 1.1;
/** 99th percentile beyond which a queue must be growing; three waits for a commit are added. */
const LATE_MS = 60;
const WIDE_BALANCERS = 10;
const SECONDS_PER_DAY = 86_400;
/** Size that a table may have with pages of 8 kB (PostgreSQL, appendix "PostgreSQL Limits"). */
const MAX_TABLE_BYTES = 32 * 2 ** 40;
const PAGE_BYTES = 8192;
/** `checkpoint_timeout` by default. */
const CHECKPOINT_SECONDS = 300;

/** What a rate needs. */
export interface Capacity {
  readonly shape: Shape;
  readonly run: Simulated;
  /** Machines with eight cores, one for each thread of the nodes; cores of each PostgreSQL, at most 70 % busy. */
  readonly machines: number;
  readonly databaseCores: number;
  /** The busiest part, other than the balancer, at the rate that is not held any more, and the highest rate that is. */
  readonly limit: { readonly part: string; readonly perSecond: number };
}

/**
 * Finds the smallest shape that holds the rate with 30 % to spare, and simulates the rate on it. A thread's utilisation
 * says little about that: batches and groups are small while there is time, and grow when there is not.
 */
export function capacityOf(perSecond: number, shards: number, costs: Costs, burst: number): Capacity {
  const peak = perSecond / MAX_UTILISATION;
  let shape: Shape = {
    nodes: Math.ceil((peak * costs.mainRequestUs) / 1e6),
    workers: 1,
    balancers: Math.ceil((peak * costs.balancerUs) / 1e6),
    shards,
  };
  for (;;) {
    const run = simulate(shape, costs, { kind: 'poisson', perSecond: peak, burst }, lengthOf(peak, burst));
    if (holds(run, costs)) break;
    const { main, workers, balancer } = run.utilisation;
    const most = Math.max(main, workers, balancer);
    // A main thread cannot be divided; a worker gets another one beside it until the machine is full.
    if (most === balancer) shape = { ...shape, balancers: shape.balancers + 1 };
    else if (most === workers && shape.workers < MACHINE_CORES - 1)
      shape = { ...shape, workers: shape.workers + 1 };
    else shape = { ...shape, nodes: shape.nodes + Math.ceil(shape.nodes / 20) };
  }
  const run = simulate(shape, costs, { kind: 'poisson', perSecond, burst }, lengthOf(perSecond, burst));
  const databaseCores = Math.ceil(run.busy.database / shards / MAX_UTILISATION);
  const nodeCores = shape.nodes * (1 + shape.workers);
  return {
    shape,
    run,
    machines: Math.ceil(nodeCores / MACHINE_CORES),
    databaseCores,
    limit: limitOf(shape, peak, databaseCores, costs),
  };
}

/** Whether a shape holds a rate: nothing is refused, and no queue grows, which the latest answers would show. */
function holds({ refused, p99Ms }: Simulated, { commitWaitUs }: Costs): boolean {
  return refused === 0 && p99Ms <= LATE_MS + (3 * commitWaitUs) / 1000;
}

/** Long enough for 50,000 requests, and for whole bursts. */
function lengthOf(perSecond: number, burst: number): Plan {
  const seconds = burst > 1 ? 1 : Math.min(5, Math.max(1, 50_000 / perSecond));
  return { warmUpSeconds: burst > 1 ? 1 : 0.25, seconds, seed: 3 };
}

/** Raises the rate until a part cannot follow; tells which one is the busiest then. */
function limitOf(shape: Shape, perSecond: number, databaseCores: number, costs: Costs): Capacity['limit'] {
  // Threads of a balancer are cheap to add; without enough of them nothing else would be seen.
  const wide = { ...shape, balancers: shape.balancers * WIDE_BALANCERS };
  for (let rate = perSecond * RISE; ; rate *= RISE) {
    const run = simulate(wide, costs, { kind: 'poisson', perSecond: rate }, lengthOf(rate, 1));
    const parts = [
      { part: 'main threads', utilisation: run.utilisation.main },
      { part: 'workers', utilisation: run.utilisation.workers },
      { part: 'PostgreSQL', utilisation: run.busy.database / shape.shards / databaseCores },
    ];
    const first = parts.reduce((most, each) => (each.utilisation > most.utilisation ? each : most));
    if (!holds(run, costs) || run.busy.database / shape.shards > databaseCores) {
      return { part: first.part, perSecond: rate / RISE };
    }
  }
}

/** Storage and log of a rate that is held without a pause, on one server. */
export interface Storage {
  readonly rowsPerDay: number;
  readonly gbPerDay: number;
  readonly tbPerYear: number;
  /** Log in MB/s: without page images, and with them when the table has a year of rows. */
  readonly walMbPerSecond: number;
  readonly walMbPerSecondWithImages: number;
  /** The same with `wal_compression`. */
  readonly walMbPerSecondCompressed: number;
  readonly indexGbAfterYear: number;
  readonly daysToTableLimit: number;
}

/**
 * Computes what the nullifiers of a rate take.
 *
 * The keys are random: a row changes a random page of the index. The first change of a page after a checkpoint writes an
 * image of the page to the log; of `pages` pages, n rows change `pages · (1 − e^(−n / pages))`.
 */
export function storageOf(perSecond: number, costs: StorageCosts, days = 365): Storage {
  const rowsPerDay = perSecond * SECONDS_PER_DAY;
  const rowBytes = costs.heapBytesPerRow + costs.indexBytesPerRow;
  const pages = (rowsPerDay * days * costs.indexBytesPerRow) / PAGE_BYTES;
  const rows = perSecond * CHECKPOINT_SECONDS;
  const images = (pages * -Math.expm1(-rows / pages)) / CHECKPOINT_SECONDS;
  const wal = perSecond * costs.walBytesPerRow;
  return {
    rowsPerDay,
    gbPerDay: (rowsPerDay * rowBytes) / 1e9,
    tbPerYear: (rowsPerDay * 365 * rowBytes) / 1e12,
    walMbPerSecond: wal / 1e6,
    walMbPerSecondWithImages: (wal + images * costs.pageImageBytes) / 1e6,
    walMbPerSecondCompressed: (wal + images * costs.pageImageBytesCompressed) / 1e6,
    indexGbAfterYear: (rowsPerDay * 365 * costs.indexBytesPerRow) / 1e9,
    daysToTableLimit: MAX_TABLE_BYTES / (rowsPerDay * costs.heapBytesPerRow),
  };
}
