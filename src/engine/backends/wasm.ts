import { existsSync, readFileSync } from 'node:fs';
import type { Backend, BackendSource, CryptoFunctions } from './backend.ts';

/** The module that wasm-bindgen writes beside the WASM file (`--target web`). */
export interface WasmGlue extends CryptoFunctions {
  initSync(options: { readonly module: WebAssembly.Module }): { readonly memory: WebAssembly.Memory };
}

/** Imports the glue anew; its state is module-wide, so that each instance needs a module of its own. */
export type LoadGlue = (glue: string, instance: number) => Promise<WasmGlue>;

const importGlue: LoadGlue = (glue, instance) =>
  import(instance === 0 ? glue : `${glue}?instance=${instance}`) as Promise<WasmGlue>;

/** Compiles the committed WASM file, once for all workers; or says why it cannot. */
export function findWasm(): BackendSource | { readonly reason: string } {
  const binary = new URL('../../../wasm/artifact/proofgate_wasm_bg.wasm', import.meta.url);
  const glue = new URL('../../../wasm/artifact/proofgate_wasm.js', import.meta.url);
  const missing = [binary, glue].find((file) => !existsSync(file));
  if (missing)
    return { reason: `WASM build not found: wasm/artifact${missing.pathname.replace(/^.*\//, '/')}` };
  try {
    return { kind: 'wasm', glue: glue.href, module: new WebAssembly.Module(readFileSync(binary)) };
  } catch (error) {
    return {
      reason: `WASM build does not compile: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** The WASM module in this thread. After a trap its memory is half changed: `renew` makes a new instance. */
export class WasmBackend implements Backend {
  readonly kind = 'wasm';
  readonly #glue: string;
  readonly #module: WebAssembly.Module;
  readonly #load: LoadGlue;
  #functions: WasmGlue;
  #memory: WebAssembly.Memory;
  #instance = 0;

  private constructor(glue: string, module: WebAssembly.Module, load: LoadGlue, functions: WasmGlue) {
    this.#glue = glue;
    this.#module = module;
    this.#load = load;
    this.#functions = functions;
    this.#memory = functions.initSync({ module }).memory;
  }

  /** @param load - How the glue is imported; tests give their own. */
  static async load(
    glue: string,
    module: WebAssembly.Module,
    load: LoadGlue = importGlue,
  ): Promise<WasmBackend> {
    return new WasmBackend(glue, module, load, await load(glue, 0));
  }

  get functions(): CryptoFunctions {
    return this.#functions;
  }

  get instance(): number {
    return this.#instance;
  }

  /** Bytes of linear memory; they never shrink. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  async renew(): Promise<void> {
    this.#instance += 1;
    this.#functions = await this.#load(this.#glue, this.#instance);
    this.#memory = this.#functions.initSync({ module: this.#module }).memory;
  }
}
