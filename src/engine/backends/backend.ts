/**
 * Arithmetics by name (spec/engine.md#field-arithmetic), and the ones allowed by each setting. Native names are those
 * of the addon; WASM names are those of the modules.
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

/** The arithmetics of WASM, in order of preference. */
export const WASM_ARITHMETICS: readonly WasmArithmetic[] = ['wasm-relaxed', 'wasm-simd', 'wasm-scalar'];

/** Values of `engine.backend`: automatic, the best of one kind, or one arithmetic. */
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

/** Choices of a single arithmetic for users, in order of preference: all except the emulated ones. */
export const SHIPPED_CHOICES: readonly BackendChoice[] = [...NATIVE, ...WASM_ARITHMETICS].map(choiceOf);

/** Returns the arithmetics that a setting allows, in order of preference. */
export function candidatesOf(choice: BackendChoice): readonly Candidate[] {
  return CANDIDATES.get(choice) ?? [];
}

function isWasm(arithmetic: Arithmetic): arithmetic is WasmArithmetic {
  return WASM_ARITHMETICS.some((name) => name === arithmetic);
}

/** Returns the setting that selects exactly one arithmetic; also its full name, with the backend. */
export function choiceOf(arithmetic: Arithmetic): BackendChoice {
  return isWasm(arithmetic) ? arithmetic : `native-${arithmetic}`;
}

/**
 * The functions of the crypto core, as the addon and the WASM module both export them. Field elements are 32 bytes,
 * big-endian. A refused call throws an `Error` whose message is `code: detail`; any other error is an internal fault.
 */
export interface CryptoFunctions {
  arithmetic(): string;
  /**
   * Selects an arithmetic. In the addon it applies to all threads of the process, but a key keeps the one with which it
   * was prepared; a WASM module has only one.
   */
  selectArithmetic(name: string): void;
  /** Checks and prepares a verifying key; returns its handle. */
  prepareKey(key: Uint8Array): number;
  /**
   * Finds relations with small factors between the points of a verifying key; returns one line with one sentence for
   * each fault of its IC points; refuses a key under which anyone can forge proofs.
   */
  keyFaults(key: Uint8Array): string;
  releaseKey(handle: number): void;
  /**
   * @param batch - count × (256 + 32·n) bytes.
   * @param seed - 32 fresh random bytes, drawn after the batch is fixed; all zero is refused.
   * @returns One verdict byte for each proof.
   */
  verifyBatch(handle: number, batch: Uint8Array, seed: Uint8Array): Uint8Array;
  /** Checks each proof on its own, which costs less than `verifyBatch` if many of them are invalid. */
  verifyEach(handle: number, batch: Uint8Array): Uint8Array;
  /**
   * Computes k multiples of the generator of G1, 64 bytes each, from k public scalars of 32 bytes, each below
   * r.
   */
  g1Multiples(scalars: Uint8Array): Uint8Array;
  /**
   * Computes k multiples of the generator of G2, 128 bytes each, from k public scalars of 32 bytes, each
   * below r.
   */
  g2Multiples(scalars: Uint8Array): Uint8Array;
  /** Hashes 1 to 16 elements to one. */
  poseidon(inputs: Uint8Array): Uint8Array;
  /** Hashes k inputs of `arity` (1 to 16) elements each to k elements. */
  poseidonMany(arity: number, inputs: Uint8Array): Uint8Array;
  poseidon2(width: number, states: Uint8Array): Uint8Array;
  hashBytes(tag: string, data: Uint8Array): Uint8Array;
  /** Derives a signing key and wipes `seed`, 32 bytes; returns the handle of the key. */
  createSigningKey(seed: Uint8Array): number;
  /** Returns x ‖ y ‖ compressed, 96 bytes. */
  publicKey(handle: number): Uint8Array;
  releaseSigningKey(handle: number): void;
  /** Signs k messages of 32 bytes; returns k signatures of 64 bytes. */
  sign(handle: number, messages: Uint8Array): Uint8Array;
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

/** A loaded crypto core. */
export interface Backend {
  readonly kind: 'native' | 'wasm';
  readonly functions: CryptoFunctions;
  /** Increases when the instance is replaced, which invalidates all earlier handles. */
  readonly instance: number;
  /** Discards the state left by a fault; must be called after a fault, before the next call. */
  renew(): Promise<void>;
}

/**
 * Description from which a thread loads its backend: plain data, passed as worker data. The main thread chooses the
 * arithmetic once: that of the addon applies to the whole process, that of WASM is part of the compiled module.
 */
export type BackendSource =
  | { readonly kind: 'native'; readonly file: string }
  | { readonly kind: 'wasm'; readonly module: WebAssembly.Module };

/** Code and detail of a refused call. */
export interface CallRefusal {
  readonly code: string;
  readonly detail: string;
}

const REFUSAL = /^([a-z0-9_]+\.[a-z0-9_]+)(?:: (.*))?$/s;

/** Splits `code: detail`; returns undefined for an error that is not a refusal of the core. */
export function parseRefusal(error: unknown): CallRefusal | undefined {
  const match = error instanceof Error ? REFUSAL.exec(error.message) : null;
  return match ? { code: match[1] as string, detail: match[2] ?? '' } : undefined;
}
