import { instantiate, type ProofgateWasm } from '../../../wasm/artifact/proofgate_wasm.js';
import {
  type BackendChoice,
  candidatesOf,
  WASM_ARITHMETICS,
  type WasmArithmetic,
} from '../../engine/backends/backend.ts';
import { findFaults } from '../../engine/backends/wasm-probes.ts';
import { selfTest } from '../../engine/self-test/self-test.ts';
import { ProofgateError } from '../facade/proofgate-error.ts';
import { compileModule, type ModuleOption, type ModuleSource } from './compile-module.ts';

/** Choice and source of the module. */
export interface ModuleOptions {
  readonly backend: BackendChoice;
  /** If absent, the file of the package is fetched. */
  readonly module?: ModuleOption | undefined;
}

/** A module that has passed its self-test. */
export interface LoadedModule {
  readonly module: WebAssembly.Module;
  readonly arithmetic: WasmArithmetic;
  readonly reason: string;
}

// One literal for each file, so that bundlers find and emit it.
const FILES: Readonly<Record<WasmArithmetic, () => URL>> = {
  'wasm-relaxed': () => new URL('../../../wasm/artifact/relaxed.wasm', import.meta.url),
  'wasm-simd': () => new URL('../../../wasm/artifact/simd.wasm', import.meta.url),
  'wasm-scalar': () => new URL('../../../wasm/artifact/scalar.wasm', import.meta.url),
};

/** Modules that have passed their self-test in this thread, so that none is fetched, compiled or tested twice. */
const passed = new Map<WasmArithmetic, LoadedModule>();

/** The module last passed by a caller: also used by engines and hashes without one. */
let given: LoadedModule | undefined;

/** Returns any module that has passed its self-test in this thread. */
export function anyLoadedModule(): LoadedModule | undefined {
  return given ?? passed.values().next().value;
}

/**
 * Loads a module and tests it: the given one, else one given before, else the first that this runtime supports and that
 * passes its self-test.
 *
 * @throws ProofgateError `engine.backend_unavailable`, `engine.self_test_failed`, `engine.option`
 */
export async function loadModule({ backend, module }: ModuleOptions): Promise<LoadedModule> {
  if (module !== undefined && typeof module !== 'function') return await loadGiven(module, backend);
  if (module === undefined && given !== undefined && allows(backend, given.arithmetic)) return given;
  const faults: string[] = [];
  for (const { arithmetic, reason } of supportedBy(backend)) {
    const known = module === undefined ? passed.get(arithmetic) : undefined;
    if (known) return { ...known, reason };
    const loaded = { module: await compileModule((module ?? fileOf)(arithmetic)), arithmetic, reason };
    const fault = faultOf(loaded);
    if (fault === undefined) return loaded;
    faults.push(fault);
  }
  throw new ProofgateError('engine.self_test_failed', faults.join('; '));
}

/**
 * Compiles the module that `loadModule` would try first, to be tested by another thread.
 *
 * @throws ProofgateError `engine.backend_unavailable`, `engine.option`
 */
export async function compileFirst(
  module: ModuleOption,
  backend: BackendChoice,
): Promise<WebAssembly.Module> {
  if (typeof module !== 'function') return await compileModule(module);
  const [first] = supportedBy(backend);
  return await compileModule(module((first as Supported).arithmetic));
}

interface Supported {
  readonly arithmetic: WasmArithmetic;
  readonly reason: string;
}

function fileOf(arithmetic: WasmArithmetic): URL {
  return FILES[arithmetic]();
}

/** Returns the modules that run here, in order of preference; at least one. */
function supportedBy(backend: BackendChoice): Supported[] {
  const allowed = candidatesOf(backend).flatMap(({ kind, arithmetic }) =>
    kind === 'wasm' ? [arithmetic] : [],
  );
  if (allowed.length === 0)
    throw new ProofgateError('engine.backend_unavailable', `${backend} does not run here, only WebAssembly`);
  const missing = findFaults();
  const supported = allowed.filter((arithmetic) => missing[arithmetic] === undefined);
  if (supported.length === 0)
    throw new ProofgateError(
      'engine.backend_unavailable',
      allowed.map((arithmetic) => `${arithmetic} does not run: ${missing[arithmetic]}`).join('; '),
    );
  const reason = allowed.length > 1 ? 'the best WebAssembly module that runs here' : `backend is ${backend}`;
  return supported.map((arithmetic) => ({ arithmetic, reason }));
}

/** Loads a given module; its arithmetic is read from the module. */
async function loadGiven(
  source: ModuleSource | Promise<ModuleSource>,
  backend: BackendChoice,
): Promise<LoadedModule> {
  const module = await compileModule(source);
  const arithmetic = arithmeticOf(module);
  if (!allows(backend, arithmetic))
    throw new ProofgateError('engine.option', `module: backend is ${backend}, but this is ${arithmetic}`);
  const loaded = { module, arithmetic, reason: 'the module was given' };
  const fault = faultOf(loaded);
  if (fault !== undefined) throw new ProofgateError('engine.self_test_failed', fault);
  given = loaded;
  return loaded;
}

function allows(backend: BackendChoice, arithmetic: WasmArithmetic): boolean {
  return candidatesOf(backend).some((candidate) => candidate.arithmetic === arithmetic);
}

function arithmeticOf(module: WebAssembly.Module): WasmArithmetic {
  let name: string | undefined;
  let cause: unknown;
  try {
    name = new WasmInstance(module).functions.arithmetic();
  } catch (error) {
    cause = error;
  }
  const arithmetic = WASM_ARITHMETICS.find((known) => known === name);
  if (arithmetic !== undefined) return arithmetic;
  throw new ProofgateError('engine.option', 'module: expected a WASM module of this package', { cause });
}

/** Tests a module that has not passed yet; this also detects a processor whose `relaxed_madd` is not fused. */
function faultOf(loaded: LoadedModule): string | undefined {
  const { arithmetic, module } = loaded;
  if (passed.get(arithmetic)?.module === module) return undefined;
  const { functions } = new WasmInstance(module);
  const fault =
    functions.arithmetic() === arithmetic
      ? selfTest(functions)
      : `the module has the arithmetic ${functions.arithmetic()}`;
  if (fault === undefined) passed.set(arithmetic, loaded);
  return fault === undefined ? undefined : `${arithmetic}: ${fault}`;
}

/** @internal Creates an instance of a compiled module. */
export type Instantiate = (module: WebAssembly.Module) => ProofgateWasm;

/**
 * An instance of a module in this thread. A trap leaves its memory inconsistent: after `discard`, the next use creates
 * a new one, in which earlier handles are invalid.
 *
 * @internal The package has no types of the module.
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
