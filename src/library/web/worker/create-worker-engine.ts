import { messageOf } from '../../../text.ts';
import { backendOption, queueOptions } from '../../facade/engine-options.ts';
import { ProofgateError } from '../../facade/proofgate-error.ts';
import { Engine, type EngineOptions } from '../create-engine.ts';
import { compileFirst } from '../load-module.ts';
import type { EngineWorker } from './connection.ts';
import { WorkerCore } from './worker-core.ts';

/** Options of `createWorkerEngine`. */
export interface WorkerEngineOptions extends EngineOptions {
  /**
   * Starts the module worker with the program `proofgate/web-worker`, for bundlers that do not find it by themselves:
   * `() => new Worker('/proofgate-worker.js', { type: 'module' })`.
   */
  readonly worker?: () => EngineWorker;
}

declare const Worker: new (url: URL, options: { readonly type: 'module' }) => EngineWorker;

/**
 * Starts the engine in a module worker, so that the calling thread, such as a page, stays free while proofs are checked.
 * A worker that dies is replaced, and no proof is lost. `close()` ends the worker.
 *
 * @throws ProofgateError as `createEngine` does; `engine.worker_failed` if the worker does not start
 */
export async function createWorkerEngine(options: WorkerEngineOptions = {}): Promise<Engine> {
  const { maxQueue, maxBatch } = queueOptions(options);
  const backend = backendOption(options.backend ?? 'auto');
  const startWorker = checkedStart(options.worker ?? startOwnWorker);
  const { module: given } = options;
  const module = given === undefined ? undefined : await compileFirst(given, backend);
  return new Engine(await WorkerCore.start({ startWorker, start: { backend, maxBatch, module }, maxQueue }));
}

// One expression, which bundlers recognize. The file is beside the package's bundle.
function startOwnWorker(): EngineWorker {
  return new Worker(new URL('./web-worker.js', import.meta.url), { type: 'module' });
}

function checkedStart(start: () => EngineWorker): () => EngineWorker {
  return () => {
    try {
      return start();
    } catch (error) {
      throw new ProofgateError('engine.worker_failed', messageOf(error), { cause: error });
    }
  };
}
