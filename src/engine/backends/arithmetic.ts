/**
 * The arithmetics by name (spec/engine.md#field-arithmetic), and which of them a setting lets run. Names of native ones are those
 * of the addon; a WASM name is that of the module which has been built for it.
 */
type Shipped = 'ifma' | 'avx2' | 'adx' | 'portable';
/** The algorithms of lanes without their instructions: far slower than `portable`, for tests on any machine. */
type Emulated = 'ifma-emulated' | 'avx2-emulated';

/** An arithmetic of the addon. */
export type NativeArithmetic = Shipped | Emulated;
/** An arithmetic of WASM: relaxed SIMD with a fused multiply-add, plain SIMD, or neither. */
export type WasmArithmetic = 'wasm-relaxed' | 'wasm-simd' | 'wasm-scalar';
/** Any arithmetic. */
export type Arithmetic = NativeArithmetic | WasmArithmetic;

const NATIVE: readonly Shipped[] = ['ifma', 'avx2', 'adx', 'portable'];
const EMULATED: readonly Emulated[] = ['ifma-emulated', 'avx2-emulated'];

/** The arithmetics of WASM, the preferred ones first. */
export const WASM_ARITHMETICS: readonly WasmArithmetic[] = ['wasm-relaxed', 'wasm-simd', 'wasm-scalar'];

/** Values of `engine.backend`: a free choice, the best of one kind, or one arithmetic alone. */
export type BackendChoice = 'auto' | 'native' | 'wasm' | `native-${NativeArithmetic}` | WasmArithmetic;

/** What may run, with its kind. */
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

/** The choices of one arithmetic that users get, the preferred ones first: all but the emulated ones. */
export const SHIPPED_CHOICES: readonly BackendChoice[] = [...NATIVE, ...WASM_ARITHMETICS].map(choiceOf);

/** What a setting lets run, the preferred ones first. */
export function candidatesOf(choice: BackendChoice): readonly Candidate[] {
  return CANDIDATES.get(choice) ?? [];
}

function isWasm(arithmetic: Arithmetic): arithmetic is WasmArithmetic {
  return WASM_ARITHMETICS.some((name) => name === arithmetic);
}

/** The choice of one arithmetic alone; it is also the full name of the arithmetic, with its backend. */
export function choiceOf(arithmetic: Arithmetic): BackendChoice {
  return isWasm(arithmetic) ? arithmetic : `native-${arithmetic}`;
}
