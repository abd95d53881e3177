/** Runs one suite on every available backend; an absent backend is reported as skipped, by name. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { findNative } from '../../../src/engine/backends/load-backend.ts';
import { findWasm } from '../../../src/engine/backends/wasm.ts';
import { createEngine, type EngineInternals } from '../../../src/engine/create-engine.ts';
import type { EngineEvent, EngineSettings } from '../../../src/engine/engine.ts';
import type { ProofEngine } from '../../../src/engine/proof-engine.ts';
import { RUNS_ALL } from '../../support/cases.ts';

export type BackendName = 'native' | 'wasm';

const REASONS: Readonly<Record<BackendName, () => string | undefined>> = {
  native: () => {
    const found = findNative();
    return 'reason' in found ? found.reason : undefined;
  },
  wasm: () => {
    const found = findWasm();
    return 'reason' in found ? found.reason : undefined;
  },
};

/** Returns why a backend cannot be tested here, or undefined when it can. */
export function missingReason(backend: BackendName): string | undefined {
  return REASONS[backend]();
}

/** Default engine settings of tests, with changes. */
export function settings(changes: Partial<EngineSettings> = {}): EngineSettings {
  return { workers: 2, backend: 'auto', maxQueue: 4096, maxBatch: 64, maxBatchDelayMs: 0, ...changes };
}

/** Starts an engine and collects the events that it logs. */
export async function startEngine(
  changes: Partial<EngineSettings>,
  internals: EngineInternals = {},
): Promise<{ readonly engine: ProofEngine; readonly events: EngineEvent[] }> {
  const events: EngineEvent[] = [];
  const engine = await createEngine(settings(changes), { log: (event) => events.push(event) }, internals);
  return { engine, events };
}

const BACKENDS: readonly BackendName[] = ['native', 'wasm'];

/**
 * Backends of a suite about what is the same code on each: all with `npm run test:all`, otherwise the best one. `.ci/run`
 * also runs the tests of the engine without the addon.
 */
export const ANY_BACKEND: readonly BackendName[] = RUNS_ALL
  ? BACKENDS
  : [BACKENDS.find((backend) => missingReason(backend) === undefined) ?? 'native'];

/** Runs a suite on each backend. */
export function describeBackend(
  title: string,
  suite: (backend: BackendName) => void,
  backends: readonly BackendName[] = BACKENDS,
): void {
  for (const backend of backends) {
    const reason = missingReason(backend);
    if (reason === undefined) describe(`${title}, ${backend}`, () => suite(backend));
    else describe(`${title}, ${backend}`, () => it.skip(`not run: ${reason}`, () => undefined));
  }
}

/** Runs a suite on each backend, with one engine for the whole suite. */
export function describeEngine(
  title: string,
  suite: (engine: () => ProofEngine, backend: BackendName) => void,
  changes: Partial<EngineSettings> = {},
  backends: readonly BackendName[] = BACKENDS,
): void {
  const withEngine = (backend: BackendName): void => {
    let engine: ProofEngine;
    beforeAll(async () => {
      ({ engine } = await startEngine({ ...changes, backend }));
    });
    afterAll(() => engine?.close());
    suite(() => engine, backend);
  };
  describeBackend(title, withEngine, backends);
}

/** Runs a suite on each backend in the calling thread: `test/engine` has the workers, whose start takes longer. */
export function describeEngineInThread(
  title: string,
  suite: (engine: () => ProofEngine, backend: BackendName) => void,
): void {
  describeEngine(title, suite, { workers: 0 });
}
