import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../text.ts';
import { WASM_ARITHMETICS, type WasmArithmetic } from './arithmetic.ts';
import type { Backend, BackendSource, CryptoFunctions } from './backend.ts';
import { missingWasmFeature } from './wasm-features.ts';

/** The JavaScript module that wasm-bindgen generates with the WASM file (`--target web`). */
export interface WasmGlue extends CryptoFunctions {
  initSync(options: { readonly module: WebAssembly.Module }): { readonly memory: WebAssembly.Memory };
}

/**
 * Imports the glue for one instance: its state is module-wide, so each instance needs its own copy of the
 * module.
 */
export type LoadGlue = (glue: string, instance: number) => Promise<WasmGlue>;

const importGlue: LoadGlue = (glue, instance) =>
  import(instance === 0 ? glue : `${glue}&instance=${instance}`) as Promise<WasmGlue>;

type WasmSource = Extract<BackendSource, { kind: 'wasm' }>;

const ARTIFACT = new URL('../../../wasm/artifact/', import.meta.url);
const FILES: Readonly<Record<WasmArithmetic, string>> = {
  'wasm-relaxed': 'relaxed.wasm',
  'wasm-simd': 'simd.wasm',
  'wasm-scalar': 'scalar.wasm',
};

/** By glue, the instance that is loaded next in this thread: one that has trapped is not handed out again. */
const instances = new Map<string, number>();

/** Modules compiled in this process, whose machine code improves as they run. */
const compiled = new Map<WasmArithmetic, WebAssembly.Module>();

/**
 * Compiles one of the committed WASM modules, once for all engines and workers, or returns why it cannot.
 *
 * @param arithmetic - Arithmetic of the module; if absent, the best that runs in this process.
 */
export function findWasm(arithmetic: WasmArithmetic = bestWasm()): WasmSource | { readonly reason: string } {
  const reason = missingWasmFeature(arithmetic);
  if (reason !== undefined) return { reason: `${arithmetic} does not run: ${reason}` };
  const binary = new URL(FILES[arithmetic], ARTIFACT);
  const glue = new URL('proofgate_wasm.js', ARTIFACT);
  const missing = [binary, glue].find((file) => !existsSync(file));
  if (missing)
    return { reason: `WASM build not found: wasm/artifact${missing.pathname.replace(/^.*\//, '/')}` };
  // The glue holds one instance: another module needs its own copy of the glue.
  glue.search = arithmetic;
  try {
    const module = compiled.get(arithmetic) ?? new WebAssembly.Module(readFileSync(binary));
    compiled.set(arithmetic, module);
    return { kind: 'wasm', glue: glue.href, module };
  } catch (error) {
    return {
      reason: `${arithmetic} does not compile: ${messageOf(error)}`,
    };
  }
}

function bestWasm(): WasmArithmetic {
  return WASM_ARITHMETICS.find((name) => missingWasmFeature(name) === undefined) ?? 'wasm-scalar';
}

/** The WASM module in this thread. A trap leaves its memory inconsistent: `renew` creates a new instance. */
export class WasmBackend implements Backend {
  readonly kind = 'wasm';
  readonly #glue: string;
  readonly #module: WebAssembly.Module;
  readonly #load: LoadGlue;
  #functions: WasmGlue;
  #memory: WebAssembly.Memory;
  #instance: number;

  private constructor(
    glue: string,
    module: WebAssembly.Module,
    load: LoadGlue,
    instance: number,
    functions: WasmGlue,
  ) {
    this.#glue = glue;
    this.#instance = instance;
    this.#module = module;
    this.#load = load;
    this.#functions = functions;
    this.#memory = functions.initSync({ module }).memory;
  }

  /** @param load - Imports the glue; tests pass their own. */
  static async load(
    glue: string,
    module: WebAssembly.Module,
    load: LoadGlue = importGlue,
  ): Promise<WasmBackend> {
    const instance = instances.get(glue) ?? 0;
    return new WasmBackend(glue, module, load, instance, await load(glue, instance));
  }

  get functions(): CryptoFunctions {
    return this.#functions;
  }

  get instance(): number {
    return this.#instance;
  }

  /** Bytes of linear memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  async renew(): Promise<void> {
    this.#instance += 1;
    instances.set(this.#glue, Math.max(this.#instance, instances.get(this.#glue) ?? 0));
    this.#functions = await this.#load(this.#glue, this.#instance);
    this.#memory = this.#functions.initSync({ module: this.#module }).memory;
  }
}
