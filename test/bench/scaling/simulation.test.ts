import { describe, expect, it } from 'vitest';
import type { Costs } from '../../../bench/scaling/costs.ts';
import { NODE_LIMITS } from '../../../bench/scaling/node.ts';
import { type Arrivals, type Plan, type Shape, simulate } from '../../../bench/scaling/simulation.ts';

const PLAN: Plan = { warmUpSeconds: 0.5, seconds: 2, seed: 7 };
const ONE: Shape = { nodes: 1, workers: 1, balancers: 1, shards: 1 };
const COSTS: Costs = {
  clientUs: 40,
  balancerUs: 60,
  mainRequestUs: 100,
  mainGroupUs: 200,
  mainStartUs: 50,
  workerStartUs: 0,
  batchUs: (proofs) => 300 + 60 * proofs,
  groupUs: (rows) => 300 + 15 * rows,
  commitWaitUs: 1000,
};
const at = (perSecond: number): Arrivals => ({ kind: 'poisson', perSecond });

describe('simulation of verifications', () => {
  it('has the same result for the same input, and another for another seed', () => {
    const shape = { ...ONE, nodes: 2, shards: 2 };
    const plan = { ...PLAN, seconds: 0.5 };
    const first = simulate(shape, COSTS, at(3000), plan);
    expect(simulate(shape, COSTS, at(3000), plan)).toEqual(first);
    expect(simulate(shape, COSTS, at(3000), { ...plan, seed: 8 })).not.toEqual(first);
  });

  it.each<[string, Partial<Shape>, Arrivals]>([
    ['a light load', {}, at(500)],
    ['an overload that is refused', {}, at(30_000)],
    ['bursts', { nodes: 2 }, { kind: 'poisson', perSecond: 4000, burst: 5 }],
    ['a closed loop on shared cores', { nodes: 3, sharedCores: 2 }, { kind: 'closed', connections: 64 }],
    ['several shards', { nodes: 2, shards: 4 }, at(5000)],
    ['front ends of one machine', { nodes: 3, workers: 4, isOneMachine: true }, at(5000)],
  ])('loses no request and is never busy for longer than the time: %s', (_name, change, arrivals) => {
    const shape = { ...ONE, ...change };
    const run = simulate(shape, COSTS, arrivals, { ...PLAN, seconds: 1 });
    expect(run.served).toBeGreaterThan(100);
    expect(run.inFlight).toBeGreaterThanOrEqual(0);
    expect(run.served + run.refused + run.inFlight).toBe(run.arrived);
    for (const share of Object.values(run.utilisation)) {
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThanOrEqual(1 + 1e-9);
    }
    if (shape.sharedCores !== undefined) {
      const busy = Object.values(run.busy).reduce((sum, each) => sum + each, 0);
      expect(busy).toBeLessThanOrEqual(shape.sharedCores + 1e-9);
    }
  });

  it('answers what is offered below the capacity of a part, and no more than its capacity above it', () => {
    // A main thread that takes 100 µs per request serves 10,000 per second.
    const costs = { ...COSTS, mainGroupUs: 0, mainStartUs: 0 };
    const below = simulate(ONE, costs, at(5000), PLAN);
    expect(below.refused).toBe(0);
    expect(below.perSecond).toBeGreaterThan(4900);
    expect(below.utilisation.main).toBeCloseTo(0.5, 1);
    const above = simulate(ONE, costs, at(14_000), PLAN);
    expect(above.utilisation.main).toBeGreaterThan(0.999);
    expect(above.perSecond).toBeLessThanOrEqual(10_100);
    expect(above.inFlight + above.refused).toBeGreaterThan(5000);
  });

  it('refuses what the queue of the engine has no room for', () => {
    const run = simulate(ONE, { ...COSTS, batchUs: (proofs) => 1000 * proofs }, at(3000), PLAN);
    expect(run.utilisation.workers).toBeGreaterThan(0.99);
    expect(run.refused).toBeGreaterThan(1000);
    const queued = NODE_LIMITS.maxQueue + NODE_LIMITS.maxBatch;
    expect(run.inFlight).toBeLessThanOrEqual(queued + NODE_LIMITS.maxBatch + 100);
  });

  it('commits two groups of a node at a time for each shard, if its pool has the connections', () => {
    const slow = { ...COSTS, commitWaitUs: 100_000 };
    expect(simulate({ ...ONE, nodes: 3 }, slow, at(2000), PLAN).connections).toBe(6);
    const wide = simulate({ ...ONE, shards: 4 }, slow, at(2000), PLAN);
    const limits = { ...NODE_LIMITS, poolSize: 3 };
    const narrow = simulate({ ...ONE, shards: 4, limits }, slow, at(2000), PLAN);
    expect(wide.commitsPerSecond).toBeGreaterThan(70);
    expect(narrow.commitsPerSecond).toBeLessThanOrEqual(30.5);
  });

  it('commits the groups of all front ends in one thread, which bounds them together', () => {
    const costs = { ...COSTS, mainRequestUs: 20, mainGroupUs: 0, batchUs: (proofs: number) => 20 * proofs };
    const shape = { ...ONE, balancers: 0, isOneMachine: true };
    const closed: Arrivals = { kind: 'closed', connections: 1024 };
    // A row takes 15 µs and a commit 300 µs more.
    const [two, four] = [2, 4].map((nodes) =>
      simulate({ ...shape, nodes, workers: nodes }, { ...costs, clientUs: 0 }, closed, PLAN),
    );
    expect(two?.busy.database).toBeGreaterThan(0.99);
    expect(four?.busy.database).toBeLessThanOrEqual(1 + 1e-9);
    expect(four?.perSecond).toBeLessThan(1.1 * (two?.perSecond ?? 0));
    expect(four?.connections).toBe(1);
  });

  it('slows down when parts share cores', () => {
    const closed: Arrivals = { kind: 'closed', connections: 64 };
    const shared = simulate({ ...ONE, sharedCores: 1 }, COSTS, closed, PLAN);
    const apart = simulate(ONE, COSTS, closed, PLAN);
    expect(shared.perSecond).toBeLessThan(0.8 * apart.perSecond);
  });

  it('keeps the mean rate when requests arrive in bursts', () => {
    const run = simulate({ ...ONE, nodes: 4 }, COSTS, { kind: 'poisson', perSecond: 2000, burst: 5 }, PLAN);
    expect(run.arrived / 2.5).toBeGreaterThan(1800);
    // Two and a half seconds have three bursts.
    expect(run.arrived / 2.5).toBeLessThan(2500);
    const even = simulate({ ...ONE, nodes: 4 }, COSTS, at(2000), PLAN);
    expect(run.p99Ms).toBeGreaterThan(even.p99Ms);
  });
});
