import type { Refusal, Verdict } from './engine.ts';

/** Verdict of a true proof. */
export const VALID: Verdict = Object.freeze({ ok: true });

/** Verdict of a well-formed proof whose equation does not hold. */
export const FALSE: Verdict = Object.freeze({ ok: false });

const REFUSALS = new Map<Refusal, Verdict>();

/** The verdict of a refused proof: one shared, frozen object for each code. */
export function refusal(code: Refusal): Verdict {
  let verdict = REFUSALS.get(code);
  if (!verdict) {
    verdict = Object.freeze({ ok: false, code });
    REFUSALS.set(code, verdict);
  }
  return verdict;
}

// The index is the verdict byte of the addon and the WASM module (native/core, groth16); test: verdict_bytes in
// test/engine/verify.test.ts, which meets each of them.
// Byte 0 is no verdict: memory that no thread has written is never read as one.
const BY_BYTE: readonly (Verdict | undefined)[] = [
  undefined,
  VALID,
  FALSE,
  refusal('proof.decompression'),
  refusal('proof.coordinate_range'),
  refusal('proof.point_not_on_curve'),
  refusal('proof.point_not_in_subgroup'),
  refusal('input.range'),
];

/** Returns the verdict of a backend's verdict byte, or undefined for 0 and any byte that is none. */
export function verdictOfByte(byte: number): Verdict | undefined {
  return BY_BYTE[byte];
}
