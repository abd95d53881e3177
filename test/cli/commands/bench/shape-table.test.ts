import { describe, expect, it } from 'vitest';
import { bestShape, limitOf } from '../../../../src/cli/commands/bench/shape-table.ts';

const COSTS = { requestUs: 25, proofUs: 50, rowUs: 20 };

describe('the limit of a shape', () => {
  it('is the rate of the part that is used up first', () => {
    expect(limitOf(COSTS, { frontEnds: 1, workers: 8 }, 64)).toEqual({ bound: 'front ends', rate: 40_000 });
    expect(limitOf(COSTS, { frontEnds: 8, workers: 2 }, 64)).toEqual({ bound: 'workers', rate: 40_000 });
    expect(limitOf(COSTS, { frontEnds: 8, workers: 8 }, 64)).toEqual({
      bound: 'database thread',
      rate: 50_000,
    });
    expect(limitOf({ ...COSTS, rowUs: undefined }, { frontEnds: 2, workers: 4 }, 3)).toEqual({
      bound: 'processors',
      rate: 40_000,
    });
  });
});

describe('the best shape', () => {
  it('has one front end on a machine of one or two processors', () => {
    for (const processors of [1, 2]) {
      expect(bestShape(COSTS, processors)).toMatchObject({ frontEnds: 1, workers: 1, processors });
    }
  });

  it('gives front ends and workers the processors that they need', () => {
    expect(bestShape(COSTS, 16)).toMatchObject({
      frontEnds: 5,
      workers: 10,
      withoutRows: { bound: 'front ends', rate: 200_000 },
      withRows: { bound: 'database thread', rate: 50_000 },
    });
  });

  it('adds no front end for a gain of less than a fiftieth', () => {
    expect(bestShape({ requestUs: 1, proofUs: 1000, rowUs: 20 }, 64).frontEnds).toBe(1);
  });

  it('knows no database thread where a server has the store', () => {
    expect(bestShape({ ...COSTS, rowUs: undefined }, 8).withRows).toBeUndefined();
  });
});
