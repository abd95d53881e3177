/* tslint:disable */
/* eslint-disable */

/**
 * Names the arithmetic of this build.
 */
export function arithmetic(): string;

/**
 * Takes a seed of 32 bytes, wipes the caller's copy and returns the key's handle.
 * Throws `signing_key.length`.
 */
export function createSigningKey(seed: Uint8Array): number;

/**
 * Multiplies the generator of G1 by k public scalars of 32 bytes: k × 64 bytes.
 * Throws `input.count`, `input.range`.
 */
export function g1Multiples(scalars: Uint8Array): Uint8Array;

/**
 * Multiplies the generator of G2 by k public scalars of 32 bytes: k × 128 bytes.
 * Throws `input.count`, `input.range`.
 */
export function g2Multiples(scalars: Uint8Array): Uint8Array;

/**
 * Hashes bytes under a tag with the Poseidon2 sponge.
 */
export function hashBytes(tag: string, data: Uint8Array): Uint8Array;

/**
 * Hashes one or two field elements (32 bytes each, big-endian) with circomlib's Poseidon.
 */
export function poseidon(inputs: Uint8Array): Uint8Array;

/**
 * Permutes k states of `width` elements each, k × width × 32 bytes in and out.
 */
export function poseidon2(width: number, states: Uint8Array): Uint8Array;

/**
 * Hashes k times one or two field elements with circomlib's Poseidon, k × arity × 32 bytes to k × 32.
 */
export function poseidonMany(arity: number, inputs: Uint8Array): Uint8Array;

/**
 * Checks and prepares a verifying key; the answer is its handle. Throws `key.*`, naming the point.
 */
export function prepareKey(key: Uint8Array): number;

/**
 * The public key as x ‖ y ‖ compressed, 96 bytes. Throws `signing_key.unknown`.
 */
export function publicKey(handle: number): Uint8Array;

/**
 * Releases a verifying key; an unknown handle is ignored.
 */
export function releaseKey(handle: number): void;

/**
 * Wipes a signing key; an unknown handle is ignored.
 */
export function releaseSigningKey(handle: number): void;

/**
 * Forces one field arithmetic; throws `arithmetic.unknown` or `arithmetic.unsupported`.
 */
export function selectArithmetic(name: string): void;

/**
 * Signs k messages of 32 bytes: k × 64 bytes.
 * Throws `signing_key.unknown`, `input.count`, `input.range`.
 */
export function sign(handle: number, messages: Uint8Array): Uint8Array;

/**
 * Checks count × (256 + 32·n) bytes under one key; one verdict byte each,
 * 1 for a valid proof. `seed`: 32 fresh random bytes. Throws `key.unknown`, `batch.length`, `batch.seed`.
 */
export function verifyBatch(handle: number, batch: Uint8Array, seed: Uint8Array): Uint8Array;

/**
 * Checks proofs as `verifyBatch` does, without combining them: cheaper if many are bad.
 * Throws `key.unknown`, `batch.length`.
 */
export function verifyEach(handle: number, batch: Uint8Array): Uint8Array;

/**
 * Whether a signature of 64 bytes holds for a message under a compressed public key; malformed
 * bytes do not.
 */
export function verifySignature(public_key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly arithmetic: (a: number) => void;
    readonly createSigningKey: (a: number, b: number, c: number, d: number) => void;
    readonly g1Multiples: (a: number, b: number, c: number) => void;
    readonly g2Multiples: (a: number, b: number, c: number) => void;
    readonly hashBytes: (a: number, b: number, c: number, d: number, e: number) => void;
    readonly poseidon: (a: number, b: number, c: number) => void;
    readonly poseidon2: (a: number, b: number, c: number, d: number) => void;
    readonly poseidonMany: (a: number, b: number, c: number, d: number) => void;
    readonly prepareKey: (a: number, b: number, c: number) => void;
    readonly publicKey: (a: number, b: number) => void;
    readonly releaseKey: (a: number) => void;
    readonly releaseSigningKey: (a: number) => void;
    readonly selectArithmetic: (a: number, b: number, c: number) => void;
    readonly sign: (a: number, b: number, c: number, d: number) => void;
    readonly verifyBatch: (a: number, b: number, c: number, d: number, e: number, f: number) => void;
    readonly verifyEach: (a: number, b: number, c: number, d: number) => void;
    readonly verifySignature: (a: number, b: number, c: number, d: number, e: number, f: number) => number;
    readonly __wbindgen_add_to_stack_pointer: (a: number) => number;
    readonly __wbindgen_export: (a: number, b: number, c: number) => void;
    readonly __wbindgen_export2: (a: number, b: number) => number;
    readonly __wbindgen_export3: (a: number, b: number, c: number, d: number) => number;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
