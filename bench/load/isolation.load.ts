import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../report/statistics.ts';
import type { Suite } from '../suite.ts';
import { startChild } from '../support/child.ts';
import { OUTSTANDING } from './engine-verify.load.ts';
import { type HttpTarget, startHttpTarget, TEMPLATE } from './http/http-target.ts';
import type { IsolationClient, Source, SourceFigures } from './http/isolation-client.ts';
import { paceOf } from './paced.ts';
import { type Place, places } from './places.ts';

/** Number of client addresses; all offer the same load. */
const SOURCES = 8;
const CONNECTIONS_PER_SOURCE = 64;
/** Load that all offer together, in percent of the server's capacity. */
const LOAD_PERCENT = 75;
/** Number of the first proof of this suite; those of the target's closed loop begin at zero. */
const FIRST = 2 ** 31;

const addresses = Array.from({ length: SOURCES }, (_, index) => `127.0.0.${index + 2}`);
const sources = (badOne: number | undefined): Source[] =>
  addresses.map((address, index) => ({ address, isBad: index === badOne }));

/** Rates of the first source and of all others, in one run. */
interface Rates {
  readonly first: number;
  readonly rest: number;
}

function ratesOf([first, ...rest]: readonly SourceFigures[]): Rates {
  return { first: first?.rate ?? 0, rest: rest.reduce((sum, { rate }) => sum + rate, 0) };
}

const middle = (runs: readonly Rates[], key: keyof Rates): number => median(runs.map((run) => run[key]));

/** Measures the answers per second in a closed loop; this also compiles the server's code. */
async function capacityOf(target: HttpTarget, warmUpMs: number, windowMs: number): Promise<number> {
  const load = { proofs: 1, connections: OUTSTANDING };
  const warm = { warmUpMs: 0, windowMs: warmUpMs, windows: 1 };
  const first = await target.run({ ...load, expectedRate: 10_000, plan: warm });
  const expectedRate = 2 * Math.max(500, ...first.rates);
  const { rates } = await target.run({ ...load, expectedRate, plan: { warmUpMs: 0, windowMs, windows: 3 } });
  return median(rates);
}

/**
 * One of eight client addresses sends only well-formed invalid proofs, at the pace at which all send valid
 * ones otherwise: the share of correct answers that the others lose, and the share that the bad one keeps.
 * The server is warmed up for both kinds of load before the measurement.
 */
export const isolation: Suite = {
  name: 'isolation',
  async run({ budget, folder }) {
    const place = places().at(-1) as Place;
    const data = join(folder, 'isolation');
    mkdirSync(data, { mode: 0o700 });
    const pinned = place.server === undefined ? {} : { cores: place.server };
    const target = await startHttpTarget(
      { backend: 'native', workers: place.workers, ...pinned },
      data,
      place.client,
    );
    const client = startChild<IsolationClient>(
      new URL('./http/isolation-client.ts', import.meta.url),
      place.client === undefined ? {} : { cores: place.client },
    );
    try {
      const capacity = await capacityOf(target, budget.serverWarmUpMs, budget.windowMs);
      const offered = (capacity * LOAD_PERCENT) / 100 / SOURCES;
      const pace = paceOf(offered, 2 * budget.warmUpMs, 2 * budget.windowMs * budget.windows);
      const [all, attacked]: [Rates[], Rates[]] = [[], []];
      let first = FIRST;
      const offer = async (isAttack: boolean): Promise<Rates> => {
        const figures = await client.call('run', {
          port: target.server.port,
          template: TEMPLATE,
          sources: sources(isAttack ? 0 : undefined),
          connections: CONNECTIONS_PER_SOURCE,
          first,
          pace,
        });
        first += SOURCES * pace.count;
        return ratesOf(figures);
      };
      // Compiles the code for false proofs; the closed loop has compiled that for valid ones.
      await offer(true);
      for (let round = 0; round < budget.loadRounds; round++) {
        all.push(await offer(false));
        attacked.push(await offer(true));
      }
      const [restBefore, firstBefore] = [middle(all, 'rest'), middle(all, 'first')];
      return [
        {
          subject: 'http.isolation',
          contender: 'native',
          parameters: { sources: SOURCES, load_percent: LOAD_PERCENT, cores: place.cores },
          unit: 'ops_per_s',
          isPeer: false,
          samples: attacked.map(({ rest }) => rest),
          figures: {
            offered_per_s: offered * SOURCES,
            others_before_per_s: restBefore,
            others_lost_percent: 100 * (1 - middle(attacked, 'rest') / restBefore),
            bad_kept_percent: (100 * middle(attacked, 'first')) / firstBefore,
          },
        },
      ];
    } finally {
      await client.stop();
      await target.stop();
    }
  },
};
