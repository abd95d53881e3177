import { availableParallelism } from 'node:os';
import { createEngine as startEngine } from '../../engine/create-engine.ts';
import type { Engine as ProofEngine } from '../../engine/engine.ts';
import { Engine } from '../facade/engine.ts';
import type { CoreVerdict, EngineCore, EngineStats } from '../facade/engine-core.ts';
import { checkOptions, type EngineOptions } from '../facade/engine-options.ts';
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

  stats(): EngineStats {
    const {
      poisoned: _poisoned,
      brokenBatches: _brokenBatches,
      queueWaitSeconds: _queueWaitSeconds,
      batchSize: _batchSize,
      runSeconds: _runSeconds,
      ...stats
    } = this.#engine.stats();
    return stats;
  }

  close(): Promise<void> {
    return this.#engine.close();
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
    ...checkOptions(options, Math.max(1, availableParallelism() - 1)),
    maxBatchDelayMs: 0,
  };
  try {
    const engine = await startEngine(settings, { selfTest: 'short' });
    return new Engine(new NodeCore(engine, settings));
  } catch (error) {
    throw publicError(error);
  }
}
