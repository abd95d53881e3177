import type { Refusal, Verdict } from './engine.ts';

/** Verdict of a valid proof. */
export const VALID: Verdict = Object.freeze({ ok: true });

/** Verdict of a well-formed proof whose equation does not hold. */
export const FALSE: Verdict = Object.freeze({ ok: false });

const REFUSALS = new Map<Refusal, Verdict>();

/** Returns the verdict of a refused proof: one shared, frozen object for each code. */
export function refusal(code: Refusal): Verdict {
  let verdict = REFUSALS.get(code);
  if (!verdict) {
    verdict = Object.freeze({ ok: false, code });
    REFUSALS.set(code, verdict);
  }
  return verdict;
}

// The index is the verdict byte of the addon and the WASM module (native/core/src/groth16/verdict.rs); test:
// test/engine/verify.test.ts, which covers each of them. Memory that was never written is 0, which is no
// verdict.
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

/** Returns the verdict of a backend's verdict byte; undefined for 0, "no verdict", and bytes that no backend writes. */
export function verdictOfByte(byte: number): Verdict | undefined {
  return BY_BYTE[byte];
}

/**
 * Whether a proof with this verdict breaks the batch in which it is combined: its fault shows only in the
 * pairing. All other refusals are found before proofs are combined.
 */
export function breaksBatch(verdict: Verdict): boolean {
  return verdict === FALSE || verdict.code === 'proof.point_not_in_subgroup';
}
