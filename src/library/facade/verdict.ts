/** Codes of a proof that is not accepted, with a sentence for each. */
const MESSAGES = {
  'proof.false': 'the proof does not hold for these public signals under this key',
  'proof.form': 'the proof is in none of the accepted forms',
  'proof.length': 'the proof has neither 256 bytes nor the 128 of the compressed form',
  'proof.decompression': 'the compressed proof does not decompress to points',
  'proof.coordinate_range': 'a coordinate of the proof is not below the base field order p',
  'proof.point_not_on_curve': 'a point of the proof is not on its curve',
  'proof.point_not_in_subgroup': 'B is outside the r-order subgroup of G2',
  'input.form': 'a public signal is in none of the accepted forms',
  'input.count': 'the number of public signals is not that of the key',
  'input.range': 'a public signal is not below the scalar order r',
  'engine.poison': 'checking this proof failed twice, so it was given up',
} as const;

/** Why a proof is not accepted. */
export type VerdictCode = keyof typeof MESSAGES;

/** Verdict of one proof. */
export type Verdict =
  | { readonly valid: true; readonly code?: undefined; readonly message?: undefined }
  | { readonly valid: false; readonly code: VerdictCode; readonly message: string };

/** Verdict of a proof that holds. */
export const VALID: Verdict = Object.freeze({ valid: true });

/** Whether a code is one of a verdict. */
export function isVerdictCode(code: string): code is VerdictCode {
  return Object.hasOwn(MESSAGES, code);
}

/** Returns the verdict of a proof that is not accepted. @param message - If absent, the sentence of the code. */
export function invalidVerdict(code: VerdictCode, message: string = MESSAGES[code]): Verdict {
  return { valid: false, code, message };
}
