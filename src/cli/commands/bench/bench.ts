import { processors } from '../../../config/settings/shape.ts';
import { isSharedStore } from '../../../storage/files/store-url.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';
import { measureCosts } from './measure-costs.ts';
import { bestShape, type Costs, type Limit, type ShapeRow } from './shape-table.ts';

const SIZES = [4, 8, 16, 32, 64];

/** `bench --shape`: measures for less than a second how many front ends and workers this machine should have. */
export const bench: Command = {
  path: ['bench'],
  summary: 'measure how many front ends and workers this machine should have',
  details:
    'Takes less than a second, starts no service and changes nothing. Rates are computed from processor times: those of a machine whose processors do nothing else, with one proof to a request.',
  options: [
    {
      flags: '--shape',
      description: 'measure a proof, a request and a row; print processors, front ends and workers',
      isRequired: true,
    },
  ],
  run: async (_input, context) => {
    const { config } = await context.loadConfig();
    const costs = await measureCosts(context, config.engine.backend, !isSharedStore(config.storage.url));
    const here = bestShape(costs, processors());
    const shapes = SIZES.map((size) => bestShape(costs, size));
    await context.print({ costs, here, shapes }, textOf(costs, here, shapes));
    return 0;
  },
};

function textOf(
  { arithmetic, requestUs, proofUs, rowUs }: Costs & { readonly arithmetic: string },
  here: ShapeRow,
  shapes: readonly ShapeRow[],
): string {
  return [
    `front end        ${shownUs(requestUs)} per request`,
    `worker           ${shownUs(proofUs)} per proof in batches (${arithmetic})`,
    `database thread  ${rowUs === undefined ? 'none: PostgreSQL' : `${shownUs(rowUs)} per row`}`,
    '',
    table(shapes),
    '',
    'This machine:',
    '',
    table([here]),
    '',
    `server.frontEnds ${here.frontEnds}, engine.workers ${here.workers}`,
  ].join('\n');
}

function table(rows: readonly ShapeRow[]): string {
  return textTable(rows, {
    processors: 'processors',
    'front ends × workers': ({ frontEnds, workers }) => `${frontEnds} × ${workers}`,
    'proofs/s, no new row': ({ withoutRows }) => shownRate(withoutRows),
    'used up first': ({ withoutRows }) => withoutRows.bound,
    'new nullifiers/s': ({ withRows }) => withRows && shownRate(withRows),
    'used up first ': ({ withRows }) => withRows?.bound,
  });
}

function shownUs(us: number): string {
  return `${us.toFixed(1).padStart(6)} µs`;
}

function shownRate({ rate }: Limit): number {
  return Number(rate.toPrecision(3));
}
