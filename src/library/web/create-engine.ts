import { Engine } from '../facade/engine.ts';
import { checkOptions, type EngineOptions } from '../facade/engine-options.ts';
import type { ModuleOption } from './compile-module.ts';
import { loadModule } from './load-module.ts';
import { WebCore } from './web-core.ts';

/** Options of `createEngine`. */
export interface WebEngineOptions extends EngineOptions {
  /**
   * The WASM module (`proofgate/wasm/relaxed.wasm`, `simd.wasm` or `scalar.wasm`): compiled, as bytes, as a response,
   * as a URL, as a promise of these, or as a function that receives the name of the requested one. If absent, the file
   * is fetched from the location of this program.
   */
  readonly module?: ModuleOption;
}

/**
 * Starts an engine in the calling thread: loads the best WASM module that runs here, and tests it. Proofs submitted in
 * one turn of the event loop are checked together; between batches the event loop gets a turn.
 *
 * @throws ProofgateError `engine.option` for an option out of range, `engine.backend_unavailable`,
 *   `engine.self_test_failed`
 */
export async function createEngine(options: WebEngineOptions = {}): Promise<Engine> {
  const { backend, maxQueue, maxBatch } = checkOptions(options, 0);
  const loaded = await loadModule({ backend, module: options.module });
  return new Engine(new WebCore({ ...loaded, maxQueue, maxBatch }));
}
