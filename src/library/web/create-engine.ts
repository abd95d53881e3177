import type { BackendChoice } from '../../engine/backends/backend.ts';
import type { EngineCore } from '../facade/engine-core.ts';
import { EngineFacade } from '../facade/engine-facade.ts';
import { backendOption, countOption, type EngineStats, queueOptions } from '../facade/engine-options.ts';
import { loadModule, type ModuleOption } from './load-module.ts';
import { WebCore } from './web-core.ts';

/** Options of `createEngine`. */
export interface EngineOptions {
  /**
   * `auto` (default) and `wasm` use the best module that runs here: relaxed SIMD, SIMD or scalar. A specific module by
   * name: `wasm-relaxed`, `wasm-simd`, `wasm-scalar`.
   */
  readonly backend?: BackendChoice;
  /**
   * The WASM module (`proofgate/wasm/relaxed.wasm`, `simd.wasm` or `scalar.wasm`): compiled, as bytes, as a response,
   * as a URL, as a promise of these, or as a function that receives the name of the requested one. If absent, the file
   * is fetched from the location of this program.
   */
  readonly module?: ModuleOption;
  /** Maximum number of waiting proofs (default 4096); beyond it `verify` rejects with `engine.busy`. */
  readonly maxQueue?: number;
  /** Maximum number of proofs in a batch (default 64, at most 256). */
  readonly maxBatch?: number;
  /** Ignored, as there is one thread; accepted for programs that also run in Node. */
  readonly workers?: number;
}

/** A core that counts its work. */
export interface CountingCore extends EngineCore {
  stats(): EngineStats;
}

/** The engine outside Node; `await using` closes it. */
export class Engine extends EngineFacade {
  readonly #core: CountingCore;

  /** @internal Created by `createEngine` and `createWorkerEngine`. */
  constructor(core: CountingCore) {
    super(core);
    this.#core = core;
  }

  /** Returns counts and the chosen module. */
  stats(): EngineStats {
    return this.#core.stats();
  }
}

/**
 * Starts an engine in the calling thread: loads the best WASM module that runs here, and tests it. Proofs submitted in
 * one turn of the event loop are checked together; between batches the event loop gets a turn.
 *
 * @throws ProofgateError `engine.option` for an option out of range, `engine.backend_unavailable`,
 *   `engine.self_test_failed`
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  if (options.workers !== undefined) countOption('workers', options.workers);
  const limits = queueOptions(options);
  const backend = backendOption(options.backend ?? 'auto');
  const loaded = await loadModule({ backend, module: options.module });
  return new Engine(new WebCore({ ...loaded, ...limits }));
}
