import { parseArgs } from 'node:util';
import type { Budget } from './suite.ts';

/** Ends within two and a half minutes on two cores. */
export const QUICK: Budget = {
  mode: 'quick',
  rounds: 3,
  sliceMs: 120,
  batches: [1, 4, 16, 64],
  loadRounds: 2,
  warmUpMs: 300,
  windowMs: 500,
  windows: 3,
  serverWarmUpMs: 4000,
  httpBackends: ['native'],
  httpConnections: [256],
  signinConnections: [16],
  refreshConnections: [16],
};

/** Enough samples for figures that are written down. */
export const FULL: Budget = {
  mode: 'full',
  rounds: 9,
  sliceMs: 300,
  batches: [1, 2, 4, 8, 16, 32, 64],
  loadRounds: 3,
  warmUpMs: 1000,
  windowMs: 500,
  windows: 12,
  serverWarmUpMs: 10_000,
  httpBackends: ['native', 'wasm'],
  httpConnections: [64, 256],
  signinConnections: [1, 16],
  refreshConnections: [1, 16],
};

/** What the command line asked for. */
export interface Options {
  readonly budget: Budget;
  /** Names of suites; empty: all. */
  readonly only: readonly string[];
  readonly output: string | undefined;
  readonly isHelp: boolean;
}

/** The text of `--help`; `names` are those of the suites. */
export function usage(names: readonly string[]): string {
  return [
    'npm run bench -- [--quick] [--only NAME]... [--output FOLDER]',
    '',
    '  --quick          fewer rounds; ends within two and a half minutes',
    '  --only NAME      run one suite; may be repeated',
    '  --output FOLDER  where JSON, Markdown and SVG go (default bench/results)',
    '',
    `Suites: ${names.join(', ')}.`,
  ].join('\n');
}

/**
 * Reads the arguments of the bench.
 *
 * @throws Error for an unknown option or suite; the message names it.
 */
export function parseOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      output: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = values.only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`no suite "${unknown}"; there are ${names.join(', ')}`);
  return {
    budget: values.quick ? QUICK : FULL,
    only: values.only,
    output: values.output,
    isHelp: values.help,
  };
}
