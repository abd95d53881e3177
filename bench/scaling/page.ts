import type { Shape as Threads } from '../../src/config/settings/shape.ts';
import { threeDigits } from '../report/format.ts';
import { calibrated } from './calibration.ts';
import { type Capacity, capacityOf, storageOf } from './capacity.ts';
import { type Costs, type Measurements, readCosts, readStorageCosts, type StorageCosts } from './costs.ts';
import { SOURCES } from './measurements.ts';
import { type MachineRow, machineRows, type Rate } from './one-machine.ts';
import { type Comparison, validate } from './validation.ts';

/** What is asked for on the command line. */
export interface ScalingOptions {
  /** Verifications per second. */
  readonly rates: readonly number[];
  /** PostgreSQL servers that divide the nullifiers. */
  readonly shards: number;
  /** Added to the wait of each commit, such as the round trip to a standby elsewhere. */
  readonly commitMs: number;
  /** How many times as fast requests arrive in a tenth of each second. */
  readonly burst: number;
}

/** Simulates the rates and formats costs, validation and capacity as Markdown. */
export function scalingPage(measurements: Measurements, options: ScalingOptions): string {
  const costs = calibrated(measurements.cluster, readCosts(measurements, 'none'));
  const storage = readStorageCosts(measurements.parts);
  const { commitWaitUs } = readCosts(measurements, 'synchronous');
  const apart: Costs = { ...costs, commitWaitUs: commitWaitUs + options.commitMs * 1000 };
  const plans = options.rates.map((rate) => capacityOf(rate, options.shards, apart, options.burst));
  return [
    `# Simulated verifications, from ${SOURCES.cluster} and ${SOURCES.parts}`,
    '',
    '## Costs',
    '',
    ...costTable(apart),
    '',
    '## Simulation of the measured runs',
    '',
    ...validationTable(validate(measurements.cluster, costs)),
    '',
    `## Capacity: ${options.shards} PostgreSQL, bursts of ${options.burst}, ${threeDigits(options.commitMs)} ms added to a commit`,
    '',
    ...capacityTable(plans),
    '',
    `## One machine with the embedded store, at full speed, from ${SOURCES.machine}`,
    '',
    ...machineTable(machineRows(measurements.machine)),
    '',
    '## Storage, for a rate that is held without a pause',
    '',
    ...storageTable(options.rates, storage),
    '',
  ].join('\n');
}

/** Rows of the costs of a verification by part. */
export function costTable(costs: Costs): string[] {
  const us = (value: number): string => `${threeDigits(value)} µs`;
  const curve = (of: (count: number) => number): string =>
    [1, 8, 64].map((count) => threeDigits(of(count) / count)).join(', ');
  return table(
    ['part', 'cost'],
    [
      ['balancer', us(costs.balancerUs)],
      ['main thread, per request', us(costs.mainRequestUs)],
      ['main thread, per group of nullifiers', us(costs.mainGroupUs)],
      ['main thread, per start on a core', us(costs.mainStartUs)],
      ['worker, per proof in batches of 1, 8, 64', `${curve(costs.batchUs)} µs`],
      ['worker, per start on a core', us(costs.workerStartUs)],
      ['database, per row in groups of 1, 8, 64', `${curve(costs.groupUs)} µs`],
      ['wait of a commit for log and standby', us(costs.commitWaitUs)],
    ],
  );
}

/** Rows that show each measured run next to its simulation. */
export function validationTable(comparisons: readonly Comparison[]): string[] {
  const pair = (one: number, other: number): string => `${threeDigits(one)} / ${threeDigits(other)}`;
  return table(
    [
      'measured / simulated',
      'requests/s',
      'error',
      'p50 ms',
      'p99 ms',
      'main threads µs',
      'database µs',
      'commits/s',
    ],
    comparisons.map(({ name, isCalibration, measured, simulated }) => [
      `${name}${isCalibration ? ' (calibration)' : ''}`,
      pair(measured.perSecond, simulated.perSecond),
      `${Math.round((simulated.perSecond / measured.perSecond - 1) * 100)} %`,
      pair(measured.p50Ms, simulated.p50Ms),
      pair(measured.p99Ms, simulated.p99Ms),
      pair(measured.mainUs, simulated.mainUs),
      pair(measured.databaseUs, simulated.databaseUs),
      pair(measured.commitsPerSecond, simulated.commitsPerSecond),
    ]),
  );
}

/** Rows of what the rates need, with 30 % to spare. */
export function capacityTable(plans: readonly Capacity[]): string[] {
  return table(
    [
      'verifications/s',
      'nodes × workers (machines of 8 cores)',
      'balancer threads',
      'busy cores: balancer, main, workers, database',
      'cores of a PostgreSQL',
      'commits/s, rows per group',
      'connections in use',
      'p50, p99 ms',
      'busiest part at the highest rate, that rate',
    ],
    plans.map(({ shape, run, machines, databaseCores, limit }) => [
      threeDigits(run.perSecond),
      `${shape.nodes} × ${shape.workers} (${machines})`,
      String(shape.balancers),
      [run.busy.balancer, run.busy.main, run.busy.workers, run.busy.database].map(threeDigits).join(', '),
      String(databaseCores),
      `${threeDigits(run.commitsPerSecond)}, ${threeDigits(run.rowsPerGroup)}`,
      String(run.connections),
      `${threeDigits(run.p50Ms)}, ${threeDigits(run.p99Ms)}`,
      `${limit.part}, ${threeDigits(limit.perSecond)}/s`,
    ]),
  );
}

/** Rows of machines of 4 to 64 cores, with the rates of `auto`. */
export function machineTable(rows: readonly MachineRow[]): string[] {
  const thousands = (perSecond: number): string => `${Math.round(perSecond / 1000)},000`;
  const shown = ({ perSecond, usedUp }: Rate): string => `${thousands(perSecond)}, ${usedUp}`;
  const shape = ({ frontEnds, workers }: Threads): string => `${frontEnds} × ${workers}`;
  return table(
    [
      'cores',
      'AVX-512',
      '`auto`: front ends × workers',
      'proofs/s without a new row, used up first',
      'new nullifiers/s, used up first',
      'best shape without a new row',
    ],
    rows.map(({ cores, arithmetic, auto, withoutRows, withRows, best }) => [
      String(cores),
      arithmetic,
      shape(auto),
      shown(withoutRows),
      shown(withRows),
      `${shape(best)}: ${thousands(best.withoutRows.rate)}`,
    ]),
  );
}

/** Rows of the storage that the rates need. */
export function storageTable(rates: readonly number[], costs: StorageCosts): string[] {
  return table(
    [
      'verifications/s',
      'rows per day',
      'GB per day',
      'TB per year',
      'index GB after a year',
      'WAL MB/s without page images',
      'with them, after a year; compressed',
      'table limit of 32 TiB after',
    ],
    rates.map((rate) => {
      const one = storageOf(rate, costs);
      return [
        threeDigits(rate),
        threeDigits(one.rowsPerDay),
        threeDigits(one.gbPerDay),
        threeDigits(one.tbPerYear),
        threeDigits(one.indexGbAfterYear),
        threeDigits(one.walMbPerSecond),
        `${threeDigits(one.walMbPerSecondWithImages)}; ${threeDigits(one.walMbPerSecondCompressed)}`,
        `${threeDigits(one.daysToTableLimit)} days`,
      ];
    }),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, index) => (index === 0 ? '---|' : '---:|')).join('')}`,
    ...rows.map(line),
  ];
}
