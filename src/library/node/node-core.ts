import type { Engine } from '../../engine/index.ts';
import type { CoreVerdict, EngineCore } from '../facade/engine-core.ts';

const MIN_WINDOW = 256;

/** The core in Node: the worker threads of the engine. */
export class NodeCore implements EngineCore {
  readonly window: number;
  readonly #engine: Engine;

  /** @param engine - Started; it is closed with this core. @param settings - Those of the engine. */
  constructor(
    engine: Engine,
    settings: { readonly workers: number; readonly maxBatch: number; readonly maxQueue: number },
  ) {
    this.#engine = engine;
    // Two batches for each worker, and two that are being filled.
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
