import { describe, expect, it } from 'vitest';
import { HistogramRecorder } from '../../../src/engine/dispatch/dispatch-stats.ts';

describe('histograms of the engine', () => {
  it('counts a value in the first bound that it does not exceed, cumulatively', () => {
    const histogram = new HistogramRecorder([1, 2, 4]);
    for (const value of [0.5, 1, 1.5, 3, 9]) histogram.record(value);
    expect(histogram.snapshot()).toEqual({ bounds: [1, 2, 4], counts: [2, 3, 4, 5], sum: 15, count: 5 });
  });

  it('returns snapshots that do not change', () => {
    const histogram = new HistogramRecorder([1]);
    const before = histogram.snapshot();
    histogram.record(1);
    expect(before).toEqual({ bounds: [1], counts: [0, 0], sum: 0, count: 0 });
  });
});
