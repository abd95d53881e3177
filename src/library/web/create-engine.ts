import type { BackendChoice } from '../../engine/backends/backend.ts';
import type { EngineCore } from '../facade/engine-core.ts';
import { EngineFacade } from '../facade/engine-facade.ts';
import { backendOption, countOption, type EngineStats, queueOptions } from '../facade/engine-options.ts';
import { loadModule, type ModuleOption } from './load-module.ts';
import { WebCore } from './web-core.ts';

/** Options of `createEngine`. */
export interface EngineOptions {
  /**
   * `auto` and `wasm` take the best module that runs here: relaxed SIMD, SIMD or scalar (default). A module by its name:
   * `wasm-relaxed`, `wasm-simd`, `wasm-scalar`.
   */
  readonly backend?: BackendChoice;
  /**
   * The WASM module (`proofgate/wasm/relaxed.wasm`, `simd.wasm` or `scalar.wasm`): compiled, as bytes, as a response, as
   * a URL, as a promise of these, or a function that is told which one is wanted. If absent, the file is fetched from
   * beside this program.
   */
  readonly module?: ModuleOption;
  /** Proofs that may wait (default 4096); beyond them `verify` rejects with `engine.busy`. */
  readonly maxQueue?: number;
  /** Proofs that are checked together (default 64, at most 256). */
  readonly maxBatch?: number;
  /** Accepted for programs that also run in Node, and ignored: there is one thread. */
  readonly workers?: number;
}

/** A core that counts its work. */
export interface CountingCore extends EngineCore {
  stats(): EngineStats;
}

/** The engine outside Node; `await using` closes it. */
export class Engine extends EngineFacade {
  readonly #core: CountingCore;

  /** @internal Made by `createEngine` and `createWorkerEngine`. */
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
 * Starts an engine in the calling thread: loads the best WASM module that runs here, and tests it. Proofs that are handed
 * over in one turn of the event loop are checked together; between batches the event loop gets a turn.
 *
 * @throws ProofgateError `engine.option` for an option out of range, `engine.backend_unavailable`,
 * `engine.self_test_failed`
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  if (options.workers !== undefined) countOption('workers', options.workers);
  const limits = queueOptions(options);
  const backend = backendOption(options.backend ?? 'auto');
  const loaded = await loadModule({ backend, module: options.module });
  return new Engine(new WebCore({ ...loaded, ...limits }));
}
