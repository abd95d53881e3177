import { describe, expect, it } from 'vitest';
import { changes, comparison, deviation } from '../../bench/report/compare.ts';
import type { Case, RunRecord } from '../../bench/report/types.ts';
import { proofCase, sampleRun } from './sample-run.ts';

const runOf = (cases: readonly Case[], change: Partial<RunRecord> = {}): RunRecord => ({
  ...sampleRun(),
  cases,
  ...change,
});

describe('comparison of two runs', () => {
  it('distinguishes better, worse and noise, depending on the unit', () => {
    const rate = { unit: 'ops_per_s' } as const;
    const before = runOf([
      proofCase('native-ifma', [100, 101, 99]),
      proofCase('native-adx', [100, 110, 90]),
      proofCase('http', [1000, 1010, 990], rate),
    ]);
    const after = runOf([
      proofCase('native-ifma', [50, 51, 49]),
      proofCase('native-adx', [105, 95, 115]),
      proofCase('http', [500, 505, 495], rate),
    ]);
    expect(changes(before, after).map(({ factor, judgement }) => [factor, judgement])).toEqual([
      [2, 'better'],
      [100 / 105, 'within noise'],
      [0.5, 'worse'],
    ]);
    const page = comparison(before, after);
    expect(page).toMatch(/native-ifma.* 100 \| 50 \| 2× \| better \|/);
    expect(page).toMatch(/native-adx.* within noise \|/);
    expect(page).toMatch(/http.* 0\.5× \| worse \|/);
  });

  it('does not judge by fewer than three samples', () => {
    const [before, after] = [[100], [50, 50]].map((samples) => runOf([proofCase('wasm-simd', samples)]));
    const [change] = changes(before as RunRecord, after as RunRecord);
    expect([change?.factor, change?.judgement]).toEqual([2, 'too few samples']);
  });

  it('measures the spread as the median distance from the median', () => {
    expect(deviation([1, 2, 3, 4, 100])).toBe(1);
  });

  it('omits cases that one of the runs lacks', () => {
    const before = runOf([proofCase('native-adx', [1])]);
    expect(changes(before, runOf([proofCase('native-ifma', [1])]))).toEqual([]);
  });

  it('compares the chosen build with older files that name only its kind', () => {
    const before = runOf([proofCase('native', [600]), proofCase('wasm', [2000])]);
    const after = runOf(
      [proofCase('native-ifma', [60]), proofCase('native-adx', [300]), proofCase('wasm-relaxed', [500])],
      { chosen: { native: 'native-ifma', wasm: 'wasm-relaxed' } },
    );
    expect(changes(before, after).map(({ name, factor }) => [name, factor])).toEqual([
      ['groth16.verify/native-ifma/inputs=4/batch=1', 10],
      ['groth16.verify/wasm-relaxed/inputs=4/batch=1', 4],
    ]);
    expect(changes(after, before).map(({ factor }) => factor)).toEqual([0.1, 0.25]);
  });

  it('reports when the machines differ', () => {
    const other = runOf([], { machine: { ...sampleRun().machine, cpu: 'Another' } });
    expect(comparison(sampleRun(), other)).toContain('**Different machines**');
    expect(comparison(sampleRun(), sampleRun())).not.toContain('Different machines');
  });
});
