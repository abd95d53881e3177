import { median } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { type EngineAlone, OUTSTANDING, startEngine } from './engine-verify.load.ts';
import { type HttpFigures, type HttpTarget, startHttpTarget } from './http/http-target.ts';
import { type Place, places } from './places.ts';
import type { LoadPlan } from './plan.ts';
import { inRounds, type LoadResult } from './rounds.ts';

/** Proofs per request, and connections, each with one request in flight. */
export type Load = Readonly<{ proofs: number; connections: number }>;

// As many proofs in flight over HTTP as in the run of the engine alone: with fewer than a few batches, the
// workers are idle between the answers of one batch and the arrival of the next.
const loadsOf = (singleConnections: readonly number[]): Load[] => [
  ...singleConnections.map((connections) => ({ proofs: 1, connections })),
  { proofs: 16, connections: OUTSTANDING / 16 },
];

/** Makes the case of one kind of request from its runs. */
export function httpCase(
  subject: string,
  place: Place,
  backend: string,
  load: Load,
  result: LoadResult,
  runs: readonly HttpFigures[],
): Case {
  const middle = (pick: (figures: HttpFigures) => number): number => median(runs.map(pick));
  return {
    subject,
    contender: backend,
    parameters: { ...load, workers: place.workers, cores: place.cores },
    unit: 'ops_per_s',
    isPeer: false,
    samples: result.samples,
    figures: {
      ...result.figures,
      proofs_per_s: median(result.samples) * load.proofs,
      server_cores: middle((figures) => figures.serverCores),
      server_us_per_proof: middle((figures) => figures.serverUs) / load.proofs,
      outside_us_per_request: middle((figures) => figures.outsideUs),
      server_main_thread_cores: middle((figures) => figures.serverMainCores),
      client_cores: middle((figures) => figures.ownCpuShare),
    },
  };
}

function processCases(place: Place, backend: string, target: HttpTarget): Case[] {
  const common = {
    contender: backend,
    parameters: { workers: place.workers, cores: place.cores },
    isPeer: false,
  };
  return [
    { ...common, subject: 'service.start', unit: 'ms', samples: [target.server.startMs] },
    { ...common, subject: 'service.memory-after-load', unit: 'mib', samples: [target.residentMib()] },
  ];
}

async function loadOne(
  place: Place,
  engine: EngineAlone,
  target: HttpTarget,
  { budget, say }: SuiteContext,
): Promise<Case[]> {
  const loads = loadsOf(budget.httpConnections);
  const plan: LoadPlan = { ...budget, windows: budget.httpWindows };
  const kept = loads.map((): HttpFigures[] => []);
  const known: Load = { proofs: 1, connections: OUTSTANDING };
  const ofKnown: HttpFigures[] = [];
  const engineCpuUs: number[] = [];
  let proofsPerSecond = Math.max(...(await engine.run({ ...budget, windows: 2 })).rates);
  // Each kind of request has its own code path, which has to be compiled.
  const warmUp = { warmUpMs: 0, windowMs: budget.serverWarmUpMs / 2, windows: 1 };
  for (const proofs of [1, 16]) {
    const connections = OUTSTANDING / proofs;
    await target.run({ proofs, connections, expectedRate: proofsPerSecond / proofs, plan: warmUp });
  }
  const results = await inRounds(
    [
      async () => {
        const figures = await engine.run(plan);
        engineCpuUs.push(figures.cpuUsPerProof);
        proofsPerSecond = Math.max(proofsPerSecond, ...figures.rates);
        return figures;
      },
      ...loads.map((load, index) => async () => {
        const expectedRate = (1.5 * proofsPerSecond) / load.proofs;
        const figures = await target.run({ ...load, expectedRate, plan });
        if (figures.isExhausted) say('the prepared requests ran out; the last windows are left out');
        kept[index]?.push(figures);
        return figures;
      }),
      async () => {
        const figures = await target.runKnown({ ...known, plan });
        ofKnown.push(figures);
        return figures;
      },
    ],
    budget.loadRounds,
  );
  const [alone, ...http] = results as [LoadResult, ...LoadResult[]];
  const engineCase: Case = {
    subject: 'engine.verify',
    contender: engine.backend,
    parameters: { inputs: 4, workers: place.workers, cores: place.cores },
    unit: 'ops_per_s',
    isPeer: false,
    samples: alone.samples,
    figures: { ...alone.figures, cpu_us_per_proof: median(engineCpuUs) },
  };
  const httpCases = loads.map((load, index) =>
    httpCase('http.verify', place, engine.backend, load, http[index] as LoadResult, kept[index] ?? []),
  );
  const lastResult = http.at(-1) as LoadResult;
  const knownCase = httpCase('http.verify-known', place, engine.backend, known, lastResult, ofKnown);
  return [engineCase, ...httpCases, knownCase, ...processCases(place, engine.backend, target)];
}

/** Verification over HTTP from a client in another process, against the engine alone on the same cores. */
export const httpVerify: Suite = {
  name: 'http',
  async run(context) {
    const cases: Case[] = [];
    // The targets are about the last place.
    for (const place of context.budget.mode === 'full' ? places() : places().slice(-1)) {
      for (const backend of context.budget.httpBackends) {
        const engine = await startEngine(backend, place.workers, context.say, place.server);
        if (!engine) continue;
        try {
          const settings = { backend, workers: place.workers };
          const pinned = place.server === undefined ? settings : { ...settings, cores: place.server };
          const target = await startHttpTarget(pinned, context.folder, place.client);
          try {
            cases.push(...(await loadOne(place, engine, target, context)));
          } finally {
            await target.stop();
          }
        } finally {
          await engine.stop();
        }
      }
    }
    return cases;
  },
};
