import { ServiceError } from '../errors/index.ts';
import { loadBackend } from './backends/load-backend.ts';
import type { BackendPlaces, ChosenBackend } from './choose-backend.ts';
import { chooseBackend } from './choose-backend.ts';
import type { EngineSettings } from './engine.ts';
import type { EngineEvent, Executor } from './executor.ts';
import { InlineExecutor } from './inline.ts';
import { WorkerPool } from './pool.ts';
import { ProofEngine } from './proof-engine.ts';
import { selfTest } from './self-test.ts';

/** What the caller of `createEngine` may give. */
export interface EngineOptions {
  /** Told of starts, losses and failures; never holds a proof or a key. */
  readonly log?: (event: EngineEvent) => void;
}

/** Parts that tests replace; not exported by the folder. */
export interface EngineInternals extends BackendPlaces {
  readonly workerFile?: string;
}

async function inlineExecutor({ native, source }: ChosenBackend): Promise<Executor> {
  const backend = native ?? (await loadBackend(source));
  const fault = native ? undefined : selfTest(backend.functions);
  if (fault) throw new ServiceError('engine.self_test_failed', `${source.kind}: ${fault}`);
  return new InlineExecutor(backend);
}

/**
 * Starts the engine: chooses the backend, loads the addon into this thread before any worker starts, and waits until
 * every worker has passed its self-test.
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
  const backend = chooseBackend(settings.backend, internals);
  const { source, arithmetic, reason } = backend;
  const { workers } = settings;
  const executor =
    workers === 0
      ? await inlineExecutor(backend)
      : await WorkerPool.start({
          workers,
          source,
          log,
          ...(internals.workerFile === undefined ? {} : { workerFile: internals.workerFile }),
        });
  log({ event: 'engine.started', backend: source.kind, arithmetic, reason });
  return new ProofEngine(settings, backend, executor, log);
}
