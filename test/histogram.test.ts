import { describe, expect, it } from 'vitest';
import { Histogram } from '../src/histogram.ts';

describe('a histogram', () => {
  it('counts a value in the first bound that it does not exceed, cumulatively', () => {
    const histogram = new Histogram([1, 2, 4]);
    for (const value of [0.5, 1, 1.5, 3, 9]) histogram.observe(value);
    expect(histogram.sample()).toEqual({ bounds: [1, 2, 4], counts: [2, 3, 4, 5], sum: 15, count: 5 });
  });

  it('returns samples that do not change', () => {
    const histogram = new Histogram([1]);
    const before = histogram.sample();
    histogram.observe(1);
    expect(before).toEqual({ bounds: [1], counts: [0, 0], sum: 0, count: 0 });
  });
});
