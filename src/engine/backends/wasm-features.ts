/**
 * Detects which WASM arithmetics this process can run. Runs before the first module is compiled, and only on
 * the main thread: a flag of V8 applies to the whole process, and workers receive the compiled module.
 */
import { setFlagsFromString } from 'node:v8';
import type { WasmArithmetic } from './arithmetic.ts';
import { acceptsRelaxed, findFaults } from './wasm-probes.ts';

/**
 * Whether V8 has relaxed SIMD: Node 20 has it behind a flag, Node 22 always, with a warning about the flag.
 */
function hasRelaxed(): boolean {
  if (acceptsRelaxed()) return true;
  setFlagsFromString('--experimental-wasm-relaxed-simd');
  return acceptsRelaxed();
}

let faults: ReturnType<typeof findFaults> | undefined;

/** Returns why this process cannot run a WASM arithmetic, or undefined if it can; detects this only once. */
export function missingWasmFeature(arithmetic: WasmArithmetic): string | undefined {
  faults ??= findFaults(hasRelaxed);
  return faults[arithmetic];
}
