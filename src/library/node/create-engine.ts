import { availableParallelism } from 'node:os';
import type { BackendChoice } from '../../engine/backends/backend.ts';
import { createEngine as startEngine } from '../../engine/create-engine.ts';
import type { Engine as ProofEngine } from '../../engine/engine.ts';
import type { CoreVerdict, EngineCore } from '../facade/engine-core.ts';
import { EngineFacade } from '../facade/engine-facade.ts';
import { backendOption, countOption, type EngineStats, queueOptions } from '../facade/engine-options.ts';
import { publicError } from '../facade/proofgate-error.ts';

const MIN_WINDOW = 256;

/** The core in Node: the worker threads of the engine. */
export class NodeCore implements EngineCore {
  readonly window: number;
  readonly #engine: ProofEngine;

  /** @param engine - A started engine; closed with this core. @param settings - Settings of the engine. */
  constructor(
    engine: ProofEngine,
    settings: { readonly workers: number; readonly maxBatch: number; readonly maxQueue: number },
  ) {
    this.#engine = engine;
    // Two batches for each worker, and two being filled.
    const wanted = Math.max(MIN_WINDOW, 2 * (settings.workers + 1) * settings.maxBatch);
    this.window = Math.min(wanted, settings.maxQueue);
  }

  async addKey(keyId: string, key: Uint8Array, acceptsDegenerate: boolean): Promise<void> {
    const options = acceptsDegenerate ? { onDegenerateInputs: (): void => undefined } : {};
    await this.#engine.registerKey(keyId, key, options);
  }

  inputCount(keyId: string): number | undefined {
    return this.#engine.inputCount(keyId);
  }

  hasRoom(): boolean {
    return this.#engine.canAccept(1);
  }

  verify(keyId: string, statement: Uint8Array, signal: AbortSignal | undefined): Promise<CoreVerdict> {
    return new Promise((resolve, reject) => {
      const receiver = {
        verdict: (_index: number, verdict: CoreVerdict): void => resolve(verdict),
        failed: (_index: number, fault: Error): void => reject(fault),
      };
      this.#engine.verifyStatement(keyId, statement, signal ? { signal } : {}, receiver, 0);
    });
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/** Options of `createEngine`. */
export interface EngineOptions {
  /** Worker threads (default: one fewer than the processor has, at least 1); 0 checks in the calling thread. */
  readonly workers?: number;
  /** `auto` (default) uses the native addon if it runs here, otherwise WebAssembly. */
  readonly backend?: BackendChoice;
  /** Maximum number of waiting proofs (default 4096); beyond it `verify` rejects with `engine.busy`. */
  readonly maxQueue?: number;
  /** Maximum number of proofs in a batch (default 64, at most 256). */
  readonly maxBatch?: number;
}

/** The engine in Node; `await using` closes it. An idle engine does not keep the process alive. */
export class Engine extends EngineFacade {
  readonly #engine: ProofEngine;

  /** @internal Created by `createEngine`. */
  constructor(engine: ProofEngine, core: NodeCore) {
    super(core);
    this.#engine = engine;
  }

  /** Returns counts and the chosen backend. */
  stats(): EngineStats {
    const {
      backend,
      arithmetic,
      reason,
      workers,
      readyWorkers,
      workerRestarts,
      queueDepth,
      running,
      verified,
    } = this.#engine.stats();
    return {
      backend,
      arithmetic,
      reason,
      workers,
      readyWorkers,
      workerRestarts,
      queueDepth,
      running,
      verified,
    };
  }
}

/**
 * Starts an engine and waits until its workers have passed their self-test.
 *
 * @throws ProofgateError `engine.option` for an option out of range, `engine.backend_unavailable`,
 * `engine.self_test_failed`, `engine.worker_failed`
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const settings = {
    ...queueOptions(options),
    workers: countOption('workers', options.workers ?? Math.max(1, availableParallelism() - 1)),
    backend: backendOption(options.backend ?? 'auto'),
    maxBatchDelayMs: 0,
  };
  try {
    const engine = await startEngine(settings, { selfTest: 'short' });
    return new Engine(engine, new NodeCore(engine, settings));
  } catch (error) {
    throw publicError(error);
  }
}
