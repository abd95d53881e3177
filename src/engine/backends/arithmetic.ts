/**
 * Arithmetics by name (spec/engine.md#field-arithmetic), and those that each setting allows. Native names are
 * those of the addon; a WASM name is that of its module.
 */
type Shipped = 'ifma' | 'avx2' | 'adx' | 'arm64' | 'portable';
/** The SIMD algorithms without SIMD instructions: far slower than `portable`, for tests on any machine. */
type Emulated = 'ifma-emulated' | 'avx2-emulated';

/** An arithmetic of the addon. */
export type NativeArithmetic = Shipped | Emulated;
/** An arithmetic of WASM: relaxed SIMD with a fused multiply-add, plain SIMD, or neither. */
export type WasmArithmetic = 'wasm-relaxed' | 'wasm-simd' | 'wasm-scalar';
/** Any arithmetic. */
export type Arithmetic = NativeArithmetic | WasmArithmetic;

const NATIVE: readonly Shipped[] = ['ifma', 'avx2', 'adx', 'arm64', 'portable'];
const EMULATED: readonly Emulated[] = ['ifma-emulated', 'avx2-emulated'];

/** The arithmetics of WASM, the preferred ones first. */
export const WASM_ARITHMETICS: readonly WasmArithmetic[] = ['wasm-relaxed', 'wasm-simd', 'wasm-scalar'];

/** Values of `engine.backend`: a free choice, the best of one kind, or one arithmetic alone. */
export type BackendChoice = 'auto' | 'native' | 'wasm' | `native-${NativeArithmetic}` | WasmArithmetic;

/** An arithmetic that a setting allows, with the kind of its backend. */
export type Candidate =
  | { readonly kind: 'native'; readonly arithmetic: NativeArithmetic }
  | { readonly kind: 'wasm'; readonly arithmetic: WasmArithmetic };

type Row = [BackendChoice, readonly Candidate[]];

const native = (arithmetic: NativeArithmetic): Candidate => ({ kind: 'native', arithmetic });
const wasm = (arithmetic: WasmArithmetic): Candidate => ({ kind: 'wasm', arithmetic });

const CANDIDATES: ReadonlyMap<BackendChoice, readonly Candidate[]> = new Map([
  ['auto', [...NATIVE.map(native), ...WASM_ARITHMETICS.map(wasm)]],
  ['native', NATIVE.map(native)],
  ['wasm', WASM_ARITHMETICS.map(wasm)],
  ...[...NATIVE, ...EMULATED].map((name): Row => [`native-${name}`, [native(name)]]),
  ...WASM_ARITHMETICS.map((name): Row => [name, [wasm(name)]]),
] satisfies Row[]);

/** Every value of `engine.backend`. */
export const BACKEND_CHOICES: readonly BackendChoice[] = [...CANDIDATES.keys()];

/** Choices of a single arithmetic for users, the preferred ones first: all but the emulated ones. */
export const SHIPPED_CHOICES: readonly BackendChoice[] = [...NATIVE, ...WASM_ARITHMETICS].map(choiceOf);

/** Returns the arithmetics that a setting allows, the preferred ones first. */
export function candidatesOf(choice: BackendChoice): readonly Candidate[] {
  return CANDIDATES.get(choice) ?? [];
}

function isWasm(arithmetic: Arithmetic): arithmetic is WasmArithmetic {
  return WASM_ARITHMETICS.some((name) => name === arithmetic);
}

/** Returns the choice of one arithmetic alone, which is also its full name, with its backend. */
export function choiceOf(arithmetic: Arithmetic): BackendChoice {
  return isWasm(arithmetic) ? arithmetic : `native-${arithmetic}`;
}
