/**
 * Probes for the WASM instructions that the modules need, for every runtime, without Node APIs. Nothing is fetched or
 * evaluated; each probe is a module of a few dozen bytes.
 */
import type { WasmArithmetic } from './backend.ts';

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const NO_ARGUMENTS_NO_RESULT = [0x01, 0x04, 0x01, 0x60, 0x00, 0x00];
const ONE_FUNCTION = [0x03, 0x02, 0x01, 0x00];
const DROP = 0x1a;
const END = 0x0b;

/** Encodes a section: id, length, content. Every length is below 128, so it is a single byte. */
const section = (id: number, content: readonly number[]): number[] => [id, content.length, ...content];

/** Encodes the code section of one function without locals. */
function code(instructions: readonly number[]): number[] {
  const body = [0x00, ...instructions, END];
  return section(0x0a, [0x01, body.length, ...body]);
}

/** `i8x16.splat` of 0. */
const SIMD_PROBE = Uint8Array.from([
  ...MAGIC,
  ...NO_ARGUMENTS_NO_RESULT,
  ...ONE_FUNCTION,
  ...code([0x41, 0x00, 0xfd, 0x0f, DROP]),
]);

const load = (address: number): number[] => [0x41, address, 0xfd, 0x00, 0x00, 0x00];
const STORE = [0xfd, 0x0b, 0x00, 0x00];
const FACTORS_AND_ADDENDS = { madd: [0, 16, 32], nmadd: [0, 16, 48] } as const;

/**
 * A module with one page of memory `m`, where v0 to v4 are vectors of two numbers, and a function `f` that
 * sets v4 to `f64x2.relaxed_nmadd(v0, v1, v3)` and then v0 to `f64x2.relaxed_madd(v0, v1, v2)`.
 */
const RELAXED_PROBE = Uint8Array.from([
  ...MAGIC,
  ...NO_ARGUMENTS_NO_RESULT,
  ...ONE_FUNCTION,
  ...section(0x05, [0x01, 0x00, 0x01]),
  ...section(0x07, [0x02, 0x01, 0x6d, 0x02, 0x00, 0x01, 0x66, 0x00, 0x00]),
  ...code([
    0x41,
    0xc0,
    0x00,
    ...FACTORS_AND_ADDENDS.nmadd.flatMap(load),
    0xfd,
    0x88,
    0x02,
    ...STORE,
    0x41,
    0x00,
    ...FACTORS_AND_ADDENDS.madd.flatMap(load),
    0xfd,
    0x87,
    0x02,
    ...STORE,
  ]),
]);

/** Whether the runtime accepts the instructions of relaxed SIMD. */
export function acceptsRelaxed(): boolean {
  return WebAssembly.validate(RELAXED_PROBE);
}

/**
 * Whether `relaxed_madd` and `relaxed_nmadd` round once, in each lane. (1 + e)(1 − e) = 1 − e² rounds to 1:
 * if the product is rounded before the addition, e² is lost.
 */
function isFused(): boolean {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(RELAXED_PROBE));
  const { m, f } = exports as unknown as { readonly m: WebAssembly.Memory; readonly f: () => void };
  const numbers = new Float64Array(m.buffer, 0, 10);
  const small = [2 ** -30, 2 ** -31];
  numbers.set([...small.map((e) => 1 + e), ...small.map((e) => 1 - e), -1, -1, 1, 1]);
  f();
  return small.every((e, lane) => numbers[lane] === -(e * e) && numbers[8 + lane] === e * e);
}

/** In memory, so that the sums are computed at run time. Both numbers are exact in every rounding mode. */
const ADDENDS = Float64Array.of(Number.EPSILON / 2, 1.5 * Number.EPSILON);
/** Reason why `wasm-relaxed` does not run if `roundsToNearest` is false. */
export const NOT_TO_NEAREST =
  'a library in this process has changed the rounding of floating-point numbers, on which it depends';

/**
 * Whether this thread rounds to nearest, ties to even: of two sums in the middle between two numbers, the smaller one is
 * rounded down and the larger one up.
 */
export function roundsToNearest(): boolean {
  const [down, up] = [1 + (ADDENDS[0] ?? 0), 1 + (ADDENDS[1] ?? 0)];
  return down === 1 && up === 1 + 2 * Number.EPSILON;
}

/**
 * Returns for each WASM arithmetic the reason why this runtime cannot run it; undefined if it can.
 *
 * @param hasRelaxed - Returns whether relaxed SIMD is available; called only if plain SIMD is.
 */
export function findFaults(
  hasRelaxed: () => boolean = acceptsRelaxed,
): Readonly<Record<WasmArithmetic, string | undefined>> {
  const hasSimd = WebAssembly.validate(SIMD_PROBE);
  const simd = hasSimd ? undefined : 'WebAssembly SIMD is not supported by this processor or runtime';
  const relaxed = (): string | undefined => {
    if (!hasRelaxed()) return 'relaxed WebAssembly SIMD is not supported by this runtime';
    if (!roundsToNearest()) return NOT_TO_NEAREST;
    return isFused() ? undefined : 'relaxed_madd is not fused on this processor';
  };
  return { 'wasm-relaxed': simd ?? relaxed(), 'wasm-simd': simd, 'wasm-scalar': undefined };
}
