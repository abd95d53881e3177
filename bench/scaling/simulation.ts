import { quantile } from '../report/statistics.ts';
import { Clock } from './clock.ts';
import type { Costs } from './costs.ts';
import { DatabaseThread } from './database-thread.ts';
import { Machine, Thread } from './machine.ts';
import { NODE_LIMITS, Node, type NodeLimits } from './node.ts';
import { exponential, seededRandom } from './random.ts';
import { type Database, Shard } from './shard.ts';

/** How requests arrive. */
export type Arrivals =
  /** A Poisson process; `burst` > 1 makes it that many times as fast for a tenth of each second. */
  | { readonly kind: 'poisson'; readonly perSecond: number; readonly burst?: number }
  /** Evenly, in steps of a millisecond, from a client on the machine of the nodes, like the load client of the bench. */
  | { readonly kind: 'paced'; readonly perSecond: number }
  /** Connections that send a request as soon as the last one is answered, from such a client. */
  | { readonly kind: 'closed'; readonly connections: number };

/** What is simulated. */
export interface Shape {
  readonly nodes: number;
  /** Workers of each node, or of all nodes of one machine. */
  readonly workers: number;
  /** Threads of the balancer; 0 for none. */
  readonly balancers: number;
  /** PostgreSQL servers, each with the nullifiers of an equal share of the hashes. */
  readonly shards: number;
  /** Cores that all parts share; if absent, each thread has one of its own. */
  readonly sharedCores?: number;
  readonly limits?: NodeLimits;
  /** The nodes are the front ends of one service, and its database thread takes the place of PostgreSQL. */
  readonly isOneMachine?: boolean;
}

/** Length of a simulation, and the seed of its random numbers. */
export interface Plan {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Busy cores of the parts, as means of the measured time. */
export interface BusyCores {
  readonly client: number;
  readonly balancer: number;
  readonly main: number;
  readonly workers: number;
  readonly database: number;
}

/** Result of a simulation. Times count from the arrival of a request to its answer. */
export interface Simulated {
  /** Over the whole simulation: `arrived` = `served` + `refused` + `inFlight`. */
  readonly arrived: number;
  readonly served: number;
  readonly refused: number;
  readonly inFlight: number;
  /** In the measured time. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly busy: BusyCores;
  /** Highest share of the time that one thread of a part was busy: 0 to 1. */
  readonly utilisation: { readonly balancer: number; readonly main: number; readonly workers: number };
  /** Starts of main threads and workers, per answered request. */
  readonly starts: { readonly main: number; readonly workers: number };
  readonly commitsPerSecond: number;
  readonly rowsPerGroup: number;
  /** Connections of all nodes that were busy at the same time, at most, at one shard. */
  readonly connections: number;
}

const BURST_SHARE = 0.1;

/** Simulates the parts of a verification with their measured costs; the same input has the same result. */
export function simulate(shape: Shape, costs: Costs, arrivals: Arrivals, plan: Plan): Simulated {
  const clock = new Clock();
  const machine = new Machine(clock, shape.sharedCores);
  const random = seededRandom(plan.seed);
  const client = new Thread(machine);
  const balancers = Array.from({ length: shape.balancers }, () => new Thread(machine));
  const shards = Array.from({ length: shape.shards }, () =>
    shape.isOneMachine ? new DatabaseThread(machine, costs) : new Shard(clock, machine, costs),
  );
  const limits = shape.limits ?? NODE_LIMITS;
  const nodes = Array.from(
    { length: shape.nodes },
    (_, index) => new Node(machine, costs, workersOf(shape, index), shards, limits),
  );
  const measuredFrom = plan.warmUpSeconds * 1e6;
  const end = measuredFrom + plan.seconds * 1e6;
  const times: number[] = [];
  let [arrived, served, refused] = [0, 0, 0];

  /** Lets a thread that may be absent work before a step. */
  const through = (thread: Thread | undefined, us: number, step: () => void): void => {
    if (thread === undefined || us === 0) step();
    else thread.add(us, step);
  };
  const arrive = (from: Thread | undefined, ended: () => void = () => undefined): void => {
    const [began, number] = [clock.now, arrived++];
    // As HAProxy does by default, in turn.
    const node = nodes[number % nodes.length] as Node;
    const balancer = balancers[number % Math.max(1, balancers.length)];
    const shard = Math.floor(random() * shards.length);
    const finish = (isServed: boolean): void => {
      if (isServed) served++;
      else refused++;
      if (isServed && clock.now >= measuredFrom) times.push((clock.now - began) / 1000);
      ended();
    };
    through(from, costs.clientUs / 2, () =>
      through(balancer, costs.balancerUs / 2, () =>
        node.request(shard, (isServed) =>
          through(balancer, costs.balancerUs / 2, () =>
            through(from, costs.clientUs / 2, () => finish(isServed)),
          ),
        ),
      ),
    );
  };
  start(arrivals, clock, random, arrive, client);

  clock.runUntil(measuredFrom);
  const threads = {
    client: [client],
    balancer: balancers,
    main: nodes.map(({ main }) => main),
    workers: nodes.flatMap(({ workers }) => workers),
    database: shards,
  };
  const busyOf = (list: readonly { readonly busyUs: number }[]): number[] => list.map(({ busyUs }) => busyUs);
  const before = mapValues(threads, busyOf);
  const startsOf = (list: readonly Thread[]): number => list.reduce((sum, { starts }) => sum + starts, 0);
  const startsBefore = { main: startsOf(threads.main), workers: startsOf(threads.workers) };
  const committedBefore = totals(shards);
  clock.runUntil(end);
  const shares = mapValues(threads, (list, part) =>
    busyOf(list).map((us, index) => (us - (before[part][index] as number)) / (plan.seconds * 1e6)),
  );
  const committed = totals(shards);
  const [commits, rows] = [
    committed.commits - committedBefore.commits,
    committed.rows - committedBefore.rows,
  ];
  const most = (list: readonly number[]): number => Math.max(0, ...list);
  return {
    arrived,
    served,
    refused,
    inFlight: arrived - served - refused,
    perSecond: times.length / plan.seconds,
    p50Ms: times.length === 0 ? Number.NaN : quantile(times, 0.5),
    p99Ms: times.length === 0 ? Number.NaN : quantile(times, 0.99),
    busy: mapValues(shares, (list) => list.reduce((sum, each) => sum + each, 0)),
    utilisation: {
      balancer: most(shares.balancer),
      main: most(shares.main),
      workers: most(shares.workers),
    },
    starts: {
      main: (startsOf(threads.main) - startsBefore.main) / times.length,
      workers: (startsOf(threads.workers) - startsBefore.workers) / times.length,
    },
    commitsPerSecond: commits / plan.seconds,
    rowsPerGroup: commits === 0 ? 0 : rows / commits,
    connections: Math.max(...shards.map(({ connections }) => connections)),
  };
}

/** Returns the number of workers of a node. */
function workersOf({ isOneMachine, nodes, workers }: Shape, index: number): number {
  return isOneMachine ? Math.floor(workers / nodes) + (index < workers % nodes ? 1 : 0) : workers;
}

function start(
  arrivals: Arrivals,
  clock: Clock,
  random: () => number,
  arrive: (client?: Thread, ended?: () => void) => void,
  client: Thread,
): void {
  switch (arrivals.kind) {
    case 'poisson': {
      const { perSecond, burst = 1 } = arrivals;
      const calm = (1 - BURST_SHARE * burst) / (1 - BURST_SHARE);
      if (burst < 1 || calm < 0) throw new RangeError('a burst must be 1 to 10 times the mean rate');
      // Arrivals at the rate of a burst, of which a part is dropped outside of one.
      const next = (): void =>
        clock.after(exponential(random, 1e6 / (perSecond * burst)), () => {
          const isBurst = clock.now % 1e6 < BURST_SHARE * 1e6;
          if (isBurst || random() < calm / burst) arrive();
          next();
        });
      next();
      return;
    }
    case 'paced': {
      let due = 0;
      const tick = (): void => {
        due += arrivals.perSecond / 1000;
        for (; due >= 1; due--) arrive(client);
        clock.after(1000, tick);
      };
      tick();
      return;
    }
    case 'closed': {
      const again = (): void => arrive(client, again);
      for (let index = 0; index < arrivals.connections; index++) again();
    }
  }
}

function totals(shards: readonly Database[]): { commits: number; rows: number } {
  const sum = { commits: 0, rows: 0 };
  for (const { committed } of shards) {
    sum.commits += committed.commits;
    sum.rows += committed.rows;
  }
  return sum;
}

function mapValues<Key extends string, Value, Result>(
  object: Readonly<Record<Key, Value>>,
  map: (value: Value, key: Key) => Result,
): Record<Key, Result> {
  const entries = Object.entries(object) as [Key, Value][];
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value, key)])) as Record<Key, Result>;
}
