import { FormError } from '../../../src/groth16/layout.ts';

/** Code of the refusal and whether the type is wrong; undefined if the step does not refuse. */
export function refusalOf(step: () => unknown): { code: string; isType: boolean; path: string } | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    const { code, isType, path } = error;
    return { code, isType, path };
  }
}
