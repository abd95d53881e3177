import type { Costs, StorageCosts } from './costs.ts';
import { type Plan, type Shape, type Simulated, simulate } from './simulation.ts';

/** Most of its time that a thread or a core may be busy, so that bursts and the loss of a node find room. */
export const MAX_UTILISATION = 0.7;
const MACHINE_CORES = 8;
/** Factor by which the rate rises in the search for the first limit, and the utilisation that ends it. */
const RISE = 1.25;
const FULL = 0.98;
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
  /** Machines of eight cores for the nodes, and cores of each PostgreSQL, both at most 70 % busy. */
  readonly machines: number;
  readonly databaseCores: number;
  /** The part that is the first to be busy all the time if the rate rises, and what is answered then. */
  readonly limit: { readonly part: string; readonly perSecond: number };
}

/** Finds the smallest number of threads with which no part is busy for more than `MAX_UTILISATION`. */
export function capacityOf(perSecond: number, shards: number, costs: Costs, burst: number): Capacity {
  const enough = (usEach: number): number =>
    Math.max(1, Math.ceil((perSecond * usEach) / 1e6 / MAX_UTILISATION));
  // Lower bounds, from which the simulation goes up.
  let shape: Shape = {
    nodes: enough(costs.mainRequestUs),
    workers: 1,
    balancers: enough(costs.balancerUs),
    shards,
  };
  for (;;) {
    const run = simulate(shape, costs, { kind: 'poisson', perSecond, burst }, lengthOf(perSecond, burst));
    const { main, workers, balancer } = run.utilisation;
    if (run.refused === 0 && Math.max(main, workers, balancer) <= MAX_UTILISATION) {
      const size = sizes(shape, run);
      return { shape, run, ...size, limit: limitOf(shape, perSecond, size.databaseCores, costs) };
    }
    // A worker that is too busy gets a second one beside it; a main thread cannot be divided.
    shape = {
      ...shape,
      nodes:
        main > MAX_UTILISATION || run.refused > 0
          ? Math.max(shape.nodes + 1, Math.floor((shape.nodes * main) / MAX_UTILISATION))
          : shape.nodes,
      workers: shape.workers + (workers > MAX_UTILISATION ? 1 : 0),
      balancers: shape.balancers + (balancer > MAX_UTILISATION ? 1 : 0),
    };
  }
}

/** Long enough for 50,000 requests, and for whole bursts. */
function lengthOf(perSecond: number, burst: number): Plan {
  const seconds = burst > 1 ? 1 : Math.min(5, Math.max(0.5, 50_000 / perSecond));
  return { warmUpSeconds: burst > 1 ? 1 : 0.25, seconds, seed: 3 };
}

function sizes(shape: Shape, run: Simulated): Pick<Capacity, 'machines' | 'databaseCores'> {
  const { busy } = run;
  return {
    machines: Math.ceil((busy.main + busy.workers) / MAX_UTILISATION / MACHINE_CORES),
    databaseCores: Math.ceil(busy.database / shape.shards / MAX_UTILISATION),
  };
}

/**
 * Raises the rate until a part is busy all the time. Batches and groups grow meanwhile, so that a proof costs less than
 * at the rate that was planned for.
 */
function limitOf(shape: Shape, perSecond: number, databaseCores: number, costs: Costs): Capacity['limit'] {
  for (let rate = perSecond * RISE; ; rate *= RISE) {
    const length: Plan = {
      warmUpSeconds: 0.25,
      seconds: Math.min(1, Math.max(0.25, 25_000 / rate)),
      seed: 4,
    };
    const run = simulate(shape, costs, { kind: 'poisson', perSecond: rate }, length);
    const parts = [
      { part: 'main threads', utilisation: run.utilisation.main },
      { part: 'workers', utilisation: run.utilisation.workers },
      { part: 'balancer', utilisation: run.utilisation.balancer },
      { part: 'PostgreSQL', utilisation: run.busy.database / shape.shards / databaseCores },
    ];
    const first = parts.reduce((most, each) => (each.utilisation > most.utilisation ? each : most));
    if (first.utilisation >= FULL || run.refused > 0) return { part: first.part, perSecond: run.perSecond };
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
