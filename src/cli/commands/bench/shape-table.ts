import { MAX_FRONT_ENDS, type Shape, workersBeside } from '../../../config/settings/shape.ts';

/** Processor time of a request with one proof, in µs. */
export interface Costs {
  /** Of a front end, per request. */
  readonly requestUs: number;
  /** Of a worker, per proof in batches. */
  readonly proofUs: number;
  /** Of the thread that writes to the embedded store, per new nullifier; undefined if a server has the store. */
  readonly rowUs: number | undefined;
}

/** The part of a machine that bounds a rate. */
export type Bound = 'front ends' | 'workers' | 'database thread' | 'processors';

/** A rate of requests with one proof, and what is used up first. */
export interface Limit {
  /** Proofs per second. */
  readonly rate: number;
  readonly bound: Bound;
}

/** The shape for a number of processors, and the rates that it reaches. */
export interface ShapeRow extends Shape {
  readonly processors: number;
  /** Without a row to write: `/api/v1/groth16`, known nullifiers, and all with PostgreSQL. */
  readonly withoutRows: Limit;
  /** With a new nullifier in each request, on the embedded store. */
  readonly withRows: Limit | undefined;
}

/** Smallest gain that is worth another front end. */
const WORTHWHILE = 1.02;

/** Returns the rate at which the first part of a shape is used up, if every thread has at most one processor. */
export function limitOf(costs: Costs, { frontEnds, workers }: Shape, processors: number): Limit {
  const { requestUs, proofUs, rowUs = 0 } = costs;
  const limits: readonly Limit[] = [
    { bound: 'front ends', rate: (1e6 * frontEnds) / requestUs },
    { bound: 'workers', rate: (1e6 * workers) / proofUs },
    { bound: 'database thread', rate: 1e6 / rowUs },
    { bound: 'processors', rate: (1e6 * processors) / (requestUs + proofUs + rowUs) },
  ];
  return limits.reduce((least, limit) => (limit.rate < least.rate ? limit : least));
}

/** Returns the shape with the highest rate; of nearly equal ones, that with the fewest front ends. */
export function bestShape(costs: Costs, processors: number): ShapeRow {
  const without = { ...costs, rowUs: undefined };
  const most = Math.min(MAX_FRONT_ENDS, Math.max(1, Math.floor(processors / 2)));
  const shapes = Array.from({ length: most }, (_, index): Shape => {
    const frontEnds = index + 1;
    return { frontEnds, workers: workersBeside(frontEnds, processors) };
  });
  const rateOf = (shape: Shape): number => limitOf(without, shape, processors).rate;
  const best = shapes.reduce((one, other) => (rateOf(other) > WORTHWHILE * rateOf(one) ? other : one));
  return {
    ...best,
    processors,
    withoutRows: limitOf(without, best, processors),
    withRows: costs.rowUs === undefined ? undefined : limitOf(costs, best, processors),
  };
}
