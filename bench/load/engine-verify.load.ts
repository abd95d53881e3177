import { availableParallelism } from 'node:os';
import type { Suite, SuiteContext } from '../suite.ts';
import { type Child, startChild } from '../support/child.ts';
import { PLAIN_INPUTS } from '../support/stream-inputs.ts';
import type { LoopFigures } from '../support/window-counter.ts';
import type { LoadPlan } from './plan.ts';
import type { EngineFigures, EngineProcess } from './processes/engine-process.ts';
import type { RefreshKind } from './refresh/refresh-requests.ts';
import { inRounds } from './rounds.ts';

/** Proofs in flight: enough for every worker to find a full batch waiting. */
export const OUTSTANDING = 512;

/** An engine in its own process, without a server. */
export interface EngineAlone {
  readonly backend: 'native' | 'wasm';
  readonly workers: number;
  run(plan: LoadPlan): Promise<EngineFigures>;
  /** Runs the engine work of refreshes instead of single proofs, with `outstanding` refreshes in flight. */
  runRefresh(kind: RefreshKind, outstanding: number, plan: LoadPlan): Promise<LoopFigures>;
  stop(): Promise<void>;
}

/** Starts an engine, on `cores` if given; undefined if its backend is not available. */
export async function startEngine(
  backend: 'native' | 'wasm',
  workers: number,
  say: SuiteContext['say'],
  cores?: string,
): Promise<EngineAlone | undefined> {
  const child: Child<EngineProcess> = startChild<EngineProcess>(
    new URL('./processes/engine-process.ts', import.meta.url),
    cores === undefined ? {} : { cores },
  );
  try {
    await child.call('start', { workers, backend, stream: PLAIN_INPUTS });
  } catch (error) {
    await child.stop();
    if ((error as { code?: unknown }).code !== 'engine.backend_unavailable') throw error;
    say(`engine: ${backend} is not available here and is left out`);
    return undefined;
  }
  return {
    backend,
    workers,
    run: (plan) => child.call('run', { outstanding: OUTSTANDING, plan }),
    runRefresh: (kind, outstanding, plan) => child.call('runRefresh', { kind, outstanding, plan }),
    stop: () => child.stop(),
  };
}

/** Proofs per second through the engine with 1, 2, 4, … n workers, on both backends. */
export const engineVerify: Suite = {
  name: 'engine',
  async run({ budget, say }) {
    const counts: number[] = [];
    for (let workers = 1; workers <= availableParallelism(); workers *= 2) counts.push(workers);
    const wanted = (['native', 'wasm'] as const).flatMap((backend) =>
      counts.map((workers) => startEngine(backend, workers, say)),
    );
    const engines = (await Promise.all(wanted)).filter((engine) => engine !== undefined);
    try {
      const plan = { ...budget, windows: Math.ceil(budget.windows / 2) };
      const results = await inRounds(
        engines.map((engine) => () => engine.run(plan)),
        budget.loadRounds,
      );
      return engines.map((engine, index) => ({
        subject: 'engine.verify',
        contender: engine.backend,
        parameters: { inputs: 4, workers: engine.workers },
        unit: 'ops_per_s',
        isPeer: false,
        samples: results[index]?.samples ?? [],
        figures: results[index]?.figures ?? {},
      }));
    } finally {
      for (const engine of engines) await engine.stop();
    }
  },
};
