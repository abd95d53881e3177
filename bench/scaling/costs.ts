import { median } from '../report/statistics.ts';
import type { Case, RunRecord } from '../report/types.ts';

/** Processor time in µs of the parts of a verification, and what a commit waits for. */
export interface Costs {
  /** The load client of the bench, and what the kernel spends on no process: what one node leaves of the cores. */
  readonly clientUs: number;
  readonly balancerUs: number;
  /** Main thread of a node: per request, per group of nullifiers, and each time that it gets a core. */
  readonly mainRequestUs: number;
  readonly mainGroupUs: number;
  readonly mainStartUs: number;
  readonly workerStartUs: number;
  /** A worker, for a batch of proofs. */
  readonly batchUs: (proofs: number) => number;
  /** The server, for a group of nullifiers. */
  readonly groupUs: (rows: number) => number;
  /** Wait of a commit for its log and, if there is one, for the standby; without a processor. */
  readonly commitWaitUs: number;
}

/** Bytes of nullifiers in table, index and log of PostgreSQL. */
export interface StorageCosts {
  readonly heapBytesPerRow: number;
  readonly indexBytesPerRow: number;
  readonly walBytesPerRow: number;
  readonly pageImageBytes: number;
  readonly pageImageBytesCompressed: number;
}

/** Runs of the bench that the model reads. They come from different days, since a quiet machine is rare. */
export interface Measurements {
  /** With the suite cluster. */
  readonly cluster: RunRecord;
  /** With the suites groth16 and postgres. */
  readonly parts: RunRecord;
  /** With the suites groth16, http and nullifiers, on a machine with AVX-512. */
  readonly machine: RunRecord;
}

/** A point of a measured curve. */
export type Point = readonly [x: number, y: number];

/** Interpolates linearly between measured points, and continues the last line beyond them. */
export function interpolated(points: readonly Point[]): (x: number) => number {
  const sorted = points.toSorted(([one], [other]) => one - other);
  if (sorted.length < 2) throw new RangeError('interpolated: expected two points or more');
  return (x) => {
    const above = sorted.findIndex(([at]) => at >= x);
    const end = above === -1 ? sorted.length - 1 : Math.max(1, above);
    const [[x0, y0], [x1, y1]] = [sorted[end - 1] as Point, sorted[end] as Point];
    return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
  };
}

/** Returns the cost of a batch in µs by its proofs, from the cases of a run with one worker. */
export function batchUsOf(batches: readonly Case[]): Costs['batchUs'] {
  return interpolated(
    batches.map(({ parameters, samples }) => {
      const proofs = Number(parameters.batch);
      return [proofs, proofs * median(samples)];
    }),
  );
}

/**
 * Finds one case of a run.
 *
 * @throws Error naming the subject and parameters that the run lacks
 */
export function caseOf(
  run: RunRecord,
  subject: string,
  parameters: Case['parameters'],
  contender?: string,
): Case {
  const found = run.cases.find(
    (entry) =>
      entry.subject === subject &&
      (contender === undefined || entry.contender === contender) &&
      Object.entries(parameters).every(([key, value]) => entry.parameters[key] === value),
  );
  if (found === undefined) {
    throw new Error(`the run of ${run.date} has no case ${subject} with ${JSON.stringify(parameters)}`);
  }
  return found;
}

/**
 * Reads a figure of a case.
 *
 * @throws Error naming the figure that the case lacks
 */
export function figureOf(entry: Case, name: string): number {
  const value = entry.figures?.[name];
  if (value === undefined) throw new Error(`${entry.subject} has no figure ${name}`);
  return value;
}

/**
 * Reads what was measured directly. The threads of a node are not divided yet, which `calibrated` does.
 *
 * @param standby - Whether commits wait for a synchronous standby.
 */
export function readCosts({ cluster, parts }: Measurements, standby: 'none' | 'synchronous'): Costs {
  const direct = caseOf(cluster, 'cluster.verify', { nodes: 1, balancer: 'none' }, 'postgres');
  const balanced = caseOf(cluster, 'cluster.verify', { nodes: 1, balancer: 'haproxy' });
  const build = parts.chosen?.native;
  if (build === undefined) throw new Error('the run does not say which arithmetic the service chooses');
  const batches = parts.cases.filter(
    ({ subject, contender }) => subject === 'groth16.verify' && contender === build,
  );
  const groups = parts.cases.filter(
    ({ subject, parameters }) => subject === 'nullifier.group' && parameters.standby === 'none',
  );
  const perGroup = (name: string): ((rows: number) => number) =>
    interpolated(groups.map((entry) => [Number(entry.parameters.rows), figureOf(entry, name)]));
  const single = caseOf(parts, 'nullifier.group', { rows: 1, standby });
  const partsUs = figureOf(direct, 'nodes_us') + figureOf(direct, 'database_us');
  return {
    clientUs: (cluster.machine.cores * 1e6) / median(direct.samples) - partsUs,
    balancerUs: figureOf(balanced, 'balancer_us'),
    mainRequestUs: figureOf(direct, 'main_thread_us'),
    mainGroupUs: perGroup('store_us')(0),
    mainStartUs: 0,
    workerStartUs: 0,
    batchUs: batchUsOf(batches),
    groupUs: perGroup('database_us'),
    commitWaitUs: commitWaitUs(single),
  };
}

/** Time that a group of one row waits for log and standby: all of it but the processor time. */
function commitWaitUs(single: Case): number {
  const all = 1e6 / median(single.samples);
  return Math.max(0, all - figureOf(single, 'store_us') - figureOf(single, 'database_us'));
}

/** Reads the bytes of nullifiers from a run with the suite postgres. */
export function readStorageCosts(run: RunRecord): StorageCosts {
  const entry = caseOf(run, 'nullifier.table', {});
  return {
    heapBytesPerRow: figureOf(entry, 'heap_bytes_per_row'),
    indexBytesPerRow: figureOf(entry, 'index_bytes_per_row'),
    walBytesPerRow: figureOf(entry, 'wal_bytes_per_row'),
    pageImageBytes: figureOf(entry, 'page_image_bytes'),
    pageImageBytesCompressed: figureOf(entry, 'page_image_bytes_compressed'),
  };
}
