import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { type EngineAlone, startEngine } from './engine-verify.load.ts';
import { type Place, places } from './places.ts';
import { ISSUED_PER_HOLDER } from './refresh/refresh-holders.ts';
import type { RefreshKind } from './refresh/refresh-requests.ts';
import {
  type Enrolments,
  type MeasuredRefresh,
  openEnrolments,
  type RefreshTarget,
  startRefreshTarget,
} from './refresh/refresh-target.ts';
import { inRounds, type LoadResult } from './rounds.ts';

/** One case over HTTP while it is measured. */
interface LoadCase {
  readonly kind: RefreshKind;
  readonly connections: number;
  readonly kept: MeasuredRefresh[];
}

/** Refreshes in flight in the engine alone: full batches of each step, several rounds per window. */
const REFRESHES = 64;
const KINDS: readonly RefreshKind[] = ['without', 'with'];
/** Expected requests per second until the first run has measured the rate. */
const FIRST_RATE = 600;
/** Factor of prepared requests over the measured rate: each unused request costs an enrolment and a proof. */
const RESERVE = 1.3;

function engineCase(place: Place, backend: string, kind: RefreshKind, result: LoadResult): Case {
  return {
    subject: 'engine.refresh',
    contender: backend,
    parameters: { package: kind, workers: place.workers, cores: place.cores },
    unit: 'ops_per_s',
    isPeer: false,
    ...result,
  };
}

function refreshCase(
  place: Place,
  backend: string,
  loadCase: LoadCase,
  result: LoadResult,
  alone: LoadResult | undefined,
  durability: string,
): Case {
  const middle = (pick: (figures: MeasuredRefresh) => number): number => median(loadCase.kept.map(pick));
  const [cores, rate] = [middle((one) => one.serverCores), median(result.samples)];
  return {
    subject: 'refresh.issue',
    contender: backend,
    parameters: {
      package: loadCase.kind,
      connections: loadCase.connections,
      workers: place.workers,
      cores: place.cores,
    },
    unit: 'ops_per_s',
    isPeer: false,
    samples: result.samples,
    figures: {
      ...result.figures,
      ...(alone === undefined ? {} : { percent_of_engine: (100 * rate) / median(alone.samples) }),
      server_cores: cores,
      server_main_thread_cores: middle((one) => one.serverMainCores),
      server_cpu_ms_per_op: (1000 * cores) / rate,
      client_cores: middle((one) => one.ownCpuShare),
      request_kib: middle((one) => one.requestBytes) / 1024,
    },
    note: `durable writes (${durability})`,
  };
}

async function loadOne(
  place: Place,
  engine: EngineAlone,
  target: RefreshTarget,
  durability: string,
  { budget, say }: SuiteContext,
): Promise<Case[]> {
  const plan = { ...budget, windows: Math.ceil(budget.windows / 2) };
  const enginePlan = { ...plan, windows: Math.ceil(plan.windows / 2) };
  const loadCases = KINDS.flatMap((kind) =>
    budget.refreshConnections.map((connections): LoadCase => ({ kind, connections, kept: [] })),
  );
  const rates = new Map<RefreshKind, number>();
  const warmUp = { warmUpMs: 0, windowMs: budget.serverWarmUpMs / 4, windows: 1 };

  async function run({ kind, connections, kept }: LoadCase, over: typeof warmUp): Promise<MeasuredRefresh> {
    const expectedRate = RESERVE * (rates.get(kind) || FIRST_RATE);
    const figures = await target.run({ kind, connections, expectedRate, plan: over });
    // The median latency gives the rate even if the requests ran out before a window was full.
    const rate = Math.max((1000 * connections) / figures.p50Ms || 0, ...figures.rates);
    rates.set(kind, Math.max(rates.get(kind) ?? 0, rate));
    kept.push(figures);
    return figures;
  }

  const busiest = Math.max(...budget.refreshConnections);
  for (const loadCase of loadCases) if (loadCase.connections === busiest) await run(loadCase, warmUp);
  for (const loadCase of loadCases) loadCase.kept.length = 0;
  const results = await inRounds(
    [
      ...KINDS.map((kind) => () => engine.runRefresh(kind, REFRESHES, enginePlan)),
      ...loadCases.map((loadCase) => async () => {
        const figures = await run(loadCase, plan);
        if (figures.isExhausted) say('the prepared requests ran out; the last windows are left out');
        return figures;
      }),
    ],
    budget.loadRounds,
  );
  const filled = results.map((result) => (result.samples.length === 0 ? undefined : result));
  if (filled.includes(undefined))
    say('refresh: a case filled no window on this busy machine and is left out');
  const alone = KINDS.flatMap((kind, index) => {
    const result = filled[index];
    return result === undefined ? [] : [engineCase(place, engine.backend, kind, result)];
  });
  const issued = loadCases.flatMap((loadCase, index) => {
    const [result, peer] = [filled[KINDS.length + index], filled[KINDS.indexOf(loadCase.kind)]];
    return result === undefined
      ? []
      : [refreshCase(place, engine.backend, loadCase, result, peer, durability)];
  });
  return [...alone, ...issued];
}

async function measure(
  place: Place,
  backend: 'native' | 'wasm',
  holders: Enrolments,
  context: SuiteContext,
): Promise<Case[]> {
  const engine = await startEngine(backend, place.workers, context.say, place.server);
  if (!engine) return [];
  try {
    const target = await startRefreshTarget(place, backend, holders);
    try {
      return await loadOne(place, engine, target, holders.durability, context);
    } finally {
      await target.stop();
    }
  } finally {
    await engine.stop();
  }
}

/**
 * Credential refresh over HTTP, with and without a custody package, against the engine alone doing the same
 * work on the same cores. Every request is the first refresh of another holder, with another proof.
 */
export const refresh: Suite = {
  name: 'refresh',
  async run(context) {
    const folder = join(context.folder, 'refresh');
    mkdirSync(folder, { mode: 0o700 });
    const holders = await openEnrolments(folder);
    const cases: Case[] = [];
    try {
      for (const place of places()) {
        for (const backend of context.budget.httpBackends)
          cases.push(...(await measure(place, backend, holders, context)));
      }
    } finally {
      await holders.close();
    }
    context.say(
      `refresh: credentials verified in plain JavaScript; at most ${ISSUED_PER_HOLDER} per holder and window, a new holder in every request`,
    );
    return cases;
  },
};
