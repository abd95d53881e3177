import { describe, expect, it } from 'vitest';
import { percentOfLimit } from '../../bench/report/limits.ts';
import {
  best,
  caseName,
  median,
  peersOf,
  quantile,
  thin,
  timesBetter,
} from '../../bench/report/statistics.ts';
import { proofCase } from './sample-run.ts';

describe('statistics of samples', () => {
  it('interpolates quantiles between neighbours, in any order of the samples', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(quantile([10, 20, 30, 40, 50], 0.99)).toBeCloseTo(49.6);
    expect(() => median([])).toThrow(RangeError);
  });

  it('picks the lowest time and the highest rate as the best', () => {
    expect(best([3, 1, 2], 'us_per_op')).toBe(1);
    expect(best([3, 1, 2], 'ops_per_s')).toBe(3);
  });

  it('thins evenly and leaves few samples unchanged', () => {
    expect(thin([1, 2, 3], 5)).toEqual([1, 2, 3]);
    expect(thin([0, 1, 2, 3, 4, 5, 6, 7], 4)).toEqual([0, 2, 4, 6]);
    expect(thin([1 / 3], 1)).toEqual([0.333333]);
  });
});

describe('comparison of cases', () => {
  const native = proofCase('native', [400]);
  const peer = proofCase('snarkjs', [14000], { isPeer: true });

  it('names a case by subject, contender and parameters', () => {
    expect(caseName(native)).toBe('groth16.verify/native/inputs=4/batch=1');
  });

  it('computes how many times better a case is, for times and rates', () => {
    expect(timesBetter(native, peer)).toBe(35);
    const rate = proofCase('native', [300], { unit: 'ops_per_s' });
    expect(timesBetter(rate, proofCase('other', [100], { unit: 'ops_per_s' }))).toBe(3);
    expect(() => timesBetter(native, rate)).toThrow(TypeError);
  });

  it('compares a batch with single proofs of the peers, and never with other work', () => {
    const batch = proofCase('native', [300], { parameters: { inputs: 4, batch: 64 } });
    const otherWork = proofCase('snarkjs', [1], { isPeer: true, parameters: { inputs: 1, batch: 1 } });
    const cases = [native, batch, peer, otherWork];
    expect(peersOf(batch, cases)).toEqual([peer]);
    expect(peersOf(native, cases)).toEqual([peer]);
  });

  it('returns the percentage of the limit only for native cases with a stated limit', () => {
    expect(percentOfLimit(proofCase('native-adx', [280]))).toBe(50);
    expect(percentOfLimit(proofCase('wasm-simd', [280]))).toBeUndefined();
    expect(
      percentOfLimit(proofCase('native', [280], { parameters: { inputs: 4, batch: 2 } })),
    ).toBeUndefined();
  });
});
