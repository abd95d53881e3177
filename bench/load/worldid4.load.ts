import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../report/types.ts';
import type { Suite } from '../suite.ts';
import { OUTSTANDING } from './engine-verify.load.ts';
import { openConnection } from './http/http-connection.ts';
import { type HttpFigures, startHttpTarget, TEMPLATE } from './http/http-target.ts';
import { verifyRequests } from './http/verify-requests.ts';
import { type WorldId4Template, worldId4Requests } from './http/worldid4-requests.ts';
import { setUpWorldId4, WORLDID4_VARIABLES, worldId4Template } from './http/worldid4-target.ts';
import { httpCase, type Load } from './http-verify.load.ts';
import { type Place, places } from './places.ts';
import type { LoadPlan } from './plan.ts';
import { type ServerSettings, startServer } from './processes/server-process.ts';
import { inRounds, type LoadResult } from './rounds.ts';

/** Running number of the proofs that are sent before timing, out of reach of those of the runs. */
const FIRST = 2 ** 40;
/** Proofs per second for which requests are prepared, if no run was faster. */
const FIRST_RATE = 10_000;

const LOADS: readonly (Load & Readonly<{ protocol: '3.0' | '4.0' }>)[] = ([1, 16] as const).flatMap(
  (proofs) =>
    (['3.0', '4.0'] as const).map((protocol) => ({ protocol, proofs, connections: OUTSTANDING / proofs })),
);

/**
 * Expects that a true proof of either protocol is accepted and a false one is refused. A server of its own answers: after
 * a false proof the engine keeps sources apart for a minute, which would change the figures.
 */
async function assertVerdicts(settings: ServerSettings, template: WorldId4Template): Promise<void> {
  const server = await startServer(settings);
  const connection = await openConnection('127.0.0.1', server.port);
  try {
    for (const [isFalse, expected] of [
      [false, 200],
      [true, 400],
    ] as const) {
      const requests = [
        ...(await verifyRequests(TEMPLATE, 1, 1, FIRST, isFalse)),
        ...(await worldId4Requests(template, 1, 1, FIRST + 1, isFalse)),
      ];
      for (const request of requests) {
        const { status, body } = await connection.send(request);
        if (status !== expected) throw new Error(`expected ${expected}, got ${status}: ${body}`);
      }
    }
  } finally {
    connection.close();
    await server.stop();
  }
}

/** Verification of World ID 4.0 over HTTP next to 3.0, on one server and database, with one proof and 16 per request. */
export const httpWorldId4: Suite = {
  name: 'http-worldid4',
  async run({ budget, folder, say }): Promise<Case[]> {
    const place = places().at(-1) as Place;
    const data = join(folder, 'worldid4');
    mkdirSync(data, { mode: 0o700 });
    const template = worldId4Template();
    const target = await startHttpTarget(
      {
        backend: 'native',
        workers: place.workers,
        variables: WORLDID4_VARIABLES,
        ...(place.server === undefined ? {} : { cores: place.server }),
      },
      data,
      place.client,
      {
        setUp: async (settings) => {
          await setUpWorldId4(settings, template);
          await assertVerdicts(settings, template);
        },
      },
    );
    try {
      const rates = LOADS.map(({ proofs }) => FIRST_RATE / proofs);
      const kept = LOADS.map((): HttpFigures[] => []);
      const run = async (index: number, plan: LoadPlan): Promise<HttpFigures> => {
        const { protocol, proofs, connections } = LOADS[index] as (typeof LOADS)[number];
        const load = { proofs, connections, expectedRate: 1.5 * (rates[index] as number), plan };
        const figures = await target.run(protocol === '3.0' ? load : { ...load, template });
        if (figures.isExhausted) say('the prepared requests ran out; the last windows are left out');
        rates[index] = Math.max(rates[index] as number, ...figures.rates);
        return figures;
      };
      // Each kind of request has its own code path, which has to be compiled.
      const warmUp = { warmUpMs: 0, windowMs: budget.serverWarmUpMs / LOADS.length, windows: 1 };
      for (const index of LOADS.keys()) await run(index, warmUp);
      const plan = { ...budget, windows: budget.httpWindows };
      const results = await inRounds(
        LOADS.map((_, index) => async () => {
          const figures = await run(index, plan);
          kept[index]?.push(figures);
          return figures;
        }),
        budget.loadRounds,
      );
      return LOADS.map((load, index) =>
        httpCase(
          'http.verify-worldid4',
          place,
          'native',
          load,
          results[index] as LoadResult,
          kept[index] ?? [],
        ),
      );
    } finally {
      await target.stop();
    }
  },
};
