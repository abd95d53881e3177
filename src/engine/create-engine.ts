import { WASM_ARITHMETICS } from './backends/backend.ts';
import { type BackendOverrides, chooseBackend } from './backends/choose-backend.ts';
import type { EngineEvent, EngineSettings } from './engine.ts';
import { InlineExecutor } from './pool/executor.ts';
import { WorkerPool } from './pool/worker-pool.ts';
import { ProofEngine, type StartExecutor } from './proof-engine.ts';
import { selfTest, selfTestInLanes } from './self-test/self-test.ts';

/** Options of `createEngine`. */
export interface EngineOptions {
  /** Receives starts, losses and failures; an event never contains a proof or a key. */
  readonly log?: (event: EngineEvent) => void;
  /**
   * `short` leaves the test of WASM to the workers and skips the batches that fill SIMD lanes, which take longer than
   * the rest of a start; for programs that check few proofs. The addon is always tested in full.
   */
  readonly selfTest?: 'full' | 'short';
}

/** Parts that tests replace; not exported by the folder. */
export interface EngineInternals extends BackendOverrides {
  readonly workerFile?: string;
}

/**
 * Starts the engine: chooses the backend, loads it into this thread before any worker starts, and waits until
 * every worker has passed its self-test. Engines of one process that run the addon share its arithmetic, see
 * `chooseBackend`: the engine started last sets it, except for keys that are already prepared.
 *
 * @param internals - For tests only.
 * @throws ServiceError `engine.backend_unavailable`, `engine.self_test_failed`, `engine.worker_failed`
 */
export async function createEngine(
  settings: EngineSettings,
  options: EngineOptions = {},
  internals: EngineInternals = {},
): Promise<ProofEngine> {
  const log = options.log ?? ((): void => undefined);
  const tests = options.selfTest === 'short' ? { selfTest: shortSelfTest(settings.workers) } : {};
  const backend = await chooseBackend(settings.backend, { ...tests, ...internals }, (faulty) =>
    log({ event: 'engine.arithmetic_refused', ...faulty }),
  );
  const { source, arithmetic, reason } = backend;
  const { maxBatch } = settings;
  const startExecutor: StartExecutor = async (workers) =>
    workers === 0
      ? new InlineExecutor(backend.loaded, maxBatch)
      : await WorkerPool.start({
          workers,
          maxBatch,
          source,
          log,
          ...(internals.workerFile === undefined ? {} : { workerFile: internals.workerFile }),
        });
  const executor = await startExecutor(settings.workers);
  log({ event: 'engine.started', backend: source.kind, arithmetic, reason });
  return new ProofEngine(settings, backend, executor, log, startExecutor);
}

/** Returns the reduced test of a backend in the calling thread, for engines whose workers test their own. */
function shortSelfTest(workers: number): typeof selfTestInLanes {
  return (functions) => {
    const isWasm = WASM_ARITHMETICS.some((name) => name === functions.arithmetic());
    if (!isWasm) return selfTestInLanes(functions);
    return workers > 0 ? undefined : selfTest(functions);
  };
}
