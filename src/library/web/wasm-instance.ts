import { instantiate, type ProofgateWasm } from '../../../wasm/artifact/proofgate_wasm.js';

/** Creates an instance of a compiled module. */
export type Instantiate = (module: WebAssembly.Module) => ProofgateWasm;

/**
 * An instance of a module in this thread. A trap leaves its memory inconsistent: after `discard`, the next use creates
 * a new one, in which earlier handles are invalid.
 */
export class WasmInstance {
  /** Number of discarded instances. */
  discarded = 0;
  readonly #module: WebAssembly.Module;
  readonly #instantiate: Instantiate;
  #functions: ProofgateWasm | undefined;

  /** @param create - Creates the instances; tests pass their own. */
  constructor(module: WebAssembly.Module, create: Instantiate = instantiate) {
    this.#module = module;
    this.#instantiate = create;
  }

  get functions(): ProofgateWasm {
    this.#functions ??= this.#instantiate(this.#module);
    return this.#functions;
  }

  discard(): void {
    this.#functions = undefined;
    this.discarded += 1;
  }
}
