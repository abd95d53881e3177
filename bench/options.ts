import { parseArgs } from 'node:util';
import type { ScalingOptions } from './scaling/page.ts';
import type { Budget } from './suite.ts';

/** Budget of a quick run: some minutes on two quiet cores, without building contenders. */
export const QUICK: Budget = {
  mode: 'quick',
  rounds: 3,
  sliceMs: 120,
  batches: [8, 64, 256],
  loadRounds: 2,
  warmUpMs: 300,
  windowMs: 500,
  windows: 3,
  serverWarmUpMs: 4000,
  httpWindows: 6,
  httpBackends: ['native'],
  httpConnections: [512],
  signinConnections: [16],
  refreshConnections: [16],
};

/** Budget of a run whose figures mean nothing: it shows that the suites run. */
export const SMOKE: Budget = {
  ...QUICK,
  mode: 'smoke',
  rounds: 1,
  sliceMs: 40,
  batches: [8],
  loadRounds: 1,
  warmUpMs: 100,
  windowMs: 300,
  windows: 1,
  serverWarmUpMs: 400,
  httpWindows: 2,
};

/** Budget of a full run, with enough samples for published figures. */
export const FULL: Budget = {
  mode: 'full',
  rounds: 9,
  sliceMs: 300,
  batches: [2, 4, 8, 16, 32, 64, 128, 256],
  loadRounds: 3,
  warmUpMs: 1000,
  windowMs: 500,
  windows: 12,
  serverWarmUpMs: 10_000,
  httpWindows: 12,
  httpBackends: ['native', 'wasm'],
  httpConnections: [64, 512],
  signinConnections: [1, 16],
  refreshConnections: [1, 16],
};

/** Options of the command line. */
export interface Options {
  readonly budget: Budget;
  /** Names of the suites to run; empty means all. */
  readonly only: readonly string[];
  readonly output: string | undefined;
  /** Result files: one to compare the new run with, or two to compare without a run. */
  readonly compare: readonly string[];
  /** Rates to simulate instead of measuring. */
  readonly scaling?: ScalingOptions;
  readonly isHelp: boolean;
}

/** Returns the text of `--help`; `names` are those of the suites. */
export function usage(names: readonly string[]): string {
  return [
    'npm run bench -- [--quick | --smoke] [--only NAME]... [--output FOLDER] [--compare FILE [--compare FILE]]',
    '',
    '  --quick          fewer rounds and builds; some minutes',
    '  --smoke          as short as possible, to see that the suites run; its figures mean nothing',
    '  --only NAME      run one suite; may be repeated',
    '  --output FOLDER  folder for the JSON, Markdown and SVG files (default bench/results)',
    '  --compare FILE   compare the new run with an earlier one; given twice: two earlier runs, without a new one',
    '',
    'npm run bench -- --simulate RATE... [--shards N] [--burst FACTOR] [--commit-ms MS]',
    '',
    '  --simulate RATE  measure nothing; print what so many verifications per second need, by simulation with measured',
    '                   costs (src/docs/scaling.md); may be repeated',
    '  --shards N       PostgreSQL servers that divide the nullifiers by hash (default 1)',
    '  --burst FACTOR   in a tenth of each second requests arrive FACTOR times as fast (default 1, at most 10)',
    '  --commit-ms MS   added to the wait of each commit, such as the round trip to a distant standby (default 0)',
    '',
    `Suites: ${names.join(', ')}.`,
  ].join('\n');
}

/**
 * Parses the arguments of the bench.
 *
 * @throws Error naming an unknown option or suite
 */
export function parseOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      output: { type: 'string' },
      compare: { type: 'string', multiple: true, default: [] },
      simulate: { type: 'string', multiple: true, default: [] },
      shards: { type: 'string', default: '1' },
      burst: { type: 'string', default: '1' },
      'commit-ms': { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.compare.length > 2) throw new Error('--compare takes one file or two');
  const unknown = values.only.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`unknown suite "${unknown}"; expected one of ${names.join(', ')}`);
  const scaling: ScalingOptions = {
    rates: values.simulate.map((text) => numberOf('simulate', text, 1, 1_000_000)),
    shards: numberOf('shards', values.shards, 1, 1000),
    burst: numberOf('burst', values.burst, 1, 10),
    commitMs: numberOf('commit-ms', values['commit-ms'], 0, 10_000),
  };
  if (!Number.isInteger(scaling.shards)) throw new Error('--shards must be a whole number');
  return {
    ...(scaling.rates.length > 0 ? { scaling } : {}),
    budget: values.smoke ? SMOKE : values.quick ? QUICK : FULL,
    only: values.only,
    output: values.output,
    compare: values.compare,
    isHelp: values.help,
  };
}

function numberOf(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= min && value <= max) return value;
  throw new Error(`--${option} must be a number from ${min} to ${max}, got "${text}"`);
}
