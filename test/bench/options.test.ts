import { describe, expect, it } from 'vitest';
import { FULL, parseOptions, QUICK, SMOKE, usage } from '../../bench/options.ts';
import type { Budget } from '../../bench/suite.ts';
import { SUITES } from '../../bench/suites.ts';

const NAMES = SUITES.map((suite) => suite.name);

/** Seconds of measuring in a budget, on two cores with every backend. */
function measuredSeconds(budget: Budget): number {
  const load = (windows: number): number =>
    (budget.loadRounds * (budget.warmUpMs + budget.windowMs * windows)) / 1000;
  // Single proofs of seven builds and six peers, batches of the builds, percentages of bad proofs; a third of
  // that for hashes and signatures.
  const builds = budget.mode === 'full' ? 7 : 2;
  const slices = 7 + 6 + 7 * budget.batches.length + 5 * builds + (11 * builds + 7) / 3;
  const half = load(Math.ceil(budget.windows / 2));
  const places = 2 * budget.httpBackends.length;
  const httpRun =
    (2 + budget.httpConnections.length) * load(budget.httpWindows) + budget.serverWarmUpMs / 1000;
  const http = (budget.mode === 'full' ? places : 1) * httpRun;
  // Token exchange by three contenders, user information and whole flow by two, each with a quarter of the
  // server warm-up.
  const signin = 7 * (budget.signinConnections.length * half + budget.serverWarmUpMs / 4000);
  // Without and with a package over HTTP, each next to the engine alone, both with a warm-up.
  const refreshRuns = budget.refreshConnections.length * half + load(Math.ceil(budget.windows / 4));
  const refresh = places * (2 * refreshRuns + budget.serverWarmUpMs / 2000);
  const isolation = 2 * load(2 * budget.windows) + (budget.serverWarmUpMs + 3 * budget.windowMs) / 1000;
  const measured = http + isolation + signin + refresh;
  return (budget.rounds * slices * budget.sliceMs) / 1000 + (4 + 4) * half + measured;
}

describe('npm run bench', () => {
  it('takes the shortest budget with --smoke', () => {
    expect(parseOptions(['--smoke'], NAMES).budget).toBe(SMOKE);
    expect(SMOKE.mode).toBe('smoke');
  });

  it('accepts --quick, --only, --output and --compare', () => {
    expect(parseOptions([], NAMES)).toEqual({
      budget: FULL,
      only: [],
      output: undefined,
      isHelp: false,
      compare: [],
    });
    const args = ['--quick', '--only', 'http', '--only', 'engine', '--output', 'x', '--compare', 'a'];
    expect(parseOptions(args, NAMES)).toEqual({
      budget: QUICK,
      only: ['http', 'engine'],
      output: 'x',
      compare: ['a'],
      isHelp: false,
    });
  });

  it('refuses an unknown suite or option, which it names, and more than two files', () => {
    expect(() => parseOptions(['--only', 'nothing'], NAMES)).toThrow(
      /unknown suite "nothing"; expected one of groth16/,
    );
    expect(() => parseOptions(['--fast'], NAMES)).toThrow(/--fast/);
    const files = ['a', 'b', 'c'].flatMap((file) => ['--compare', file]);
    expect(parseOptions(files.slice(0, 4), NAMES).compare).toEqual(['a', 'b']);
    expect(() => parseOptions(files, NAMES)).toThrow(/one file or two/);
  });

  it('names every suite in its help, once', () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    for (const name of NAMES) expect(usage(NAMES)).toContain(name);
  });

  it('leaves room within three minutes for the work of a quick run other than measuring', () => {
    expect(measuredSeconds(QUICK)).toBeLessThan(130);
    expect(measuredSeconds(FULL)).toBeGreaterThan(measuredSeconds(QUICK));
  });
});
