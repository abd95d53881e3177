import { existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { instantiate, type ProofgateWasm } from '../../../wasm/artifact/proofgate_wasm.js';
import { messageOf } from '../../text.ts';
import {
  type Backend,
  type BackendSource,
  type CryptoFunctions,
  WASM_ARITHMETICS,
  type WasmArithmetic,
} from './backend.ts';
import { acceptsRelaxed, findFaults, NOT_TO_NEAREST, roundsToNearest } from './wasm-probes.ts';

/**
 * Whether V8 has relaxed SIMD: Node 20 has it behind a flag, Node 22 always, with a warning about the flag. Runs before
 * the first module is compiled, and only on the main thread: a flag of V8 applies to the whole process, and workers
 * receive the compiled module.
 */
function hasRelaxed(): boolean {
  if (acceptsRelaxed()) return true;
  setFlagsFromString('--experimental-wasm-relaxed-simd');
  return acceptsRelaxed();
}

let faults: ReturnType<typeof findFaults> | undefined;

/** Returns the reason why this process cannot run a WASM arithmetic, undefined if it can; detected once. */
function missingWasmFeature(arithmetic: WasmArithmetic): string | undefined {
  faults ??= findFaults(hasRelaxed);
  return faults[arithmetic];
}

/** Creates an instance of a compiled module. */
export type Instantiate = (module: WebAssembly.Module) => ProofgateWasm;

type WasmSource = Extract<BackendSource, { kind: 'wasm' }>;

const ARTIFACT = new URL('../../../wasm/artifact/', import.meta.url);
const FILES: Readonly<Record<WasmArithmetic, string>> = {
  'wasm-relaxed': 'relaxed.wasm',
  'wasm-simd': 'simd.wasm',
  'wasm-scalar': 'scalar.wasm',
};

/** Modules compiled in this process; kept, since V8 optimizes their machine code as they run. */
const compiled = new Map<WasmArithmetic, WebAssembly.Module>();

/**
 * Compiles one of the committed WASM modules, once for all engines and workers, or returns the reason why it cannot.
 *
 * @param arithmetic - Arithmetic of the module; if absent, the best that runs in this process.
 */
export function findWasm(arithmetic: WasmArithmetic = bestWasm()): WasmSource | { readonly reason: string } {
  const reason = findFault(arithmetic);
  if (reason !== undefined) return { reason: `${arithmetic} does not run: ${reason}` };
  const binary = new URL(FILES[arithmetic], ARTIFACT);
  if (!existsSync(binary)) return { reason: `WASM build not found: wasm/artifact/${FILES[arithmetic]}` };
  try {
    const module = compiled.get(arithmetic) ?? new WebAssembly.Module(readFileSync(binary));
    compiled.set(arithmetic, module);
    return { kind: 'wasm', module };
  } catch (error) {
    return {
      reason: `${arithmetic} does not compile: ${messageOf(error)}`,
    };
  }
}

/** Returns the reason why this thread cannot run an arithmetic; undefined if it can. */
function findFault(arithmetic: WasmArithmetic): string | undefined {
  const fault = missingWasmFeature(arithmetic);
  return fault === undefined && arithmetic === 'wasm-relaxed' && !roundsToNearest() ? NOT_TO_NEAREST : fault;
}

function bestWasm(): WasmArithmetic {
  return WASM_ARITHMETICS.find((name) => findFault(name) === undefined) ?? 'wasm-scalar';
}

/**
 * A WASM module in this thread. A trap leaves its memory inconsistent: `renew` creates a new instance. `wasm-relaxed`
 * throws instead of returning its functions while the thread does not round to nearest.
 */
export class WasmBackend implements Backend {
  readonly kind = 'wasm';
  readonly #module: WebAssembly.Module;
  readonly #instantiate: Instantiate;
  readonly #needsNearest: boolean;
  #functions: ProofgateWasm;
  #instance = 0;

  /** @param create - Creates the instances; tests pass their own. */
  constructor(module: WebAssembly.Module, create: Instantiate = instantiate) {
    this.#module = module;
    this.#instantiate = create;
    this.#functions = create(module);
    this.#needsNearest = this.#functions.arithmetic() === 'wasm-relaxed';
  }

  get functions(): CryptoFunctions {
    this.#checkRounding();
    return this.#functions;
  }

  get instance(): number {
    return this.#instance;
  }

  /** Bytes of linear memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#functions.memory.buffer.byteLength;
  }

  async renew(): Promise<void> {
    this.#checkRounding();
    this.#functions = this.#instantiate(this.#module);
    this.#instance += 1;
  }

  #checkRounding(): void {
    if (this.#needsNearest && !roundsToNearest()) throw new Error(NOT_TO_NEAREST);
  }
}
