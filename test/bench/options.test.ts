import { describe, expect, it } from 'vitest';
import { FULL, parseOptions, QUICK, usage } from '../../bench/options.ts';
import type { Budget } from '../../bench/suite.ts';
import { SUITES } from '../../bench/suites.ts';

const NAMES = SUITES.map((suite) => suite.name);

/** Seconds that a budget gives to measuring alone, on two cores with every backend. */
function measuredSeconds(budget: Budget): number {
  const load = (windows: number): number =>
    (budget.loadRounds * (budget.warmUpMs + budget.windowMs * windows)) / 1000;
  // Singles of seven builds and six peers, batches of the builds, shares of bad proofs; hashes and signatures for a third.
  const builds = budget.mode === 'full' ? 7 : 2;
  const slices = 7 + 6 + 7 * budget.batches.length + 5 * builds + (11 * builds + 7) / 3;
  const half = load(Math.ceil(budget.windows / 2));
  const places = 2 * budget.httpBackends.length;
  const httpRun =
    (2 + budget.httpConnections.length) * load(budget.httpWindows) + budget.serverWarmUpMs / 1000;
  const http = (budget.mode === 'full' ? places : 1) * httpRun;
  // Exchange by three, user information and flow by two, each warmed up for a quarter of a server's time.
  const signin = 7 * (budget.signinConnections.length * half + budget.serverWarmUpMs / 4000);
  // Without and with a package over HTTP, each beside the engine alone, and both warmed up as there.
  const refreshRuns = budget.refreshConnections.length * half + load(Math.ceil(budget.windows / 4));
  const refresh = places * (2 * refreshRuns + budget.serverWarmUpMs / 2000);
  const isolation = 2 * load(2 * budget.windows) + (budget.serverWarmUpMs + 3 * budget.windowMs) / 1000;
  const measured = http + isolation + signin + refresh;
  return (budget.rounds * slices * budget.sliceMs) / 1000 + (4 + 4) * half + measured;
}

describe('npm run bench', () => {
  it('takes --quick, --only and --output', () => {
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

  it('refuses an unknown suite or option by name', () => {
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

  it('leaves room within three minutes for what a quick run does beside measuring', () => {
    expect(measuredSeconds(QUICK)).toBeLessThan(130);
    expect(measuredSeconds(FULL)).toBeGreaterThan(measuredSeconds(QUICK));
  });
});
