import { getCurveFromName } from 'ffjavascript';
import { beforeAll } from 'vitest';

/** A curve by its name in ffjavascript. */
export type CurveName = 'bn128' | 'bls12381';

/**
 * Makes snarkjs compute in the calling thread during the suite: for few proofs, its threads spend most of the processor
 * time on their start and on compiling the curve.
 */
export function useOneThreadCurves(...names: readonly CurveName[]): void {
  // Where snarkjs finds a curve that is already built.
  const built = globalThis as { [name: `curve_${string}`]: unknown };
  beforeAll(async () => {
    const former = names.map((name) => [name, built[`curve_${name}`]] as const);
    for (const name of names) built[`curve_${name}`] = await getCurveFromName(name, true);
    return () => {
      for (const [name, curve] of former) built[`curve_${name}`] = curve;
    };
  });
}
