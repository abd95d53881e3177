/** Codes of values that are in none of the accepted forms. */
export type FormCode =
  | 'key.not_json'
  | 'key.protocol'
  | 'key.input_count'
  | 'key.coordinate_range'
  | 'key.point_at_infinity'
  | 'proof.length'
  | 'proof.coordinate_range'
  | 'proof.form'
  | 'proof.point_not_on_curve'
  | 'input.count'
  | 'input.form'
  | 'input.range';

/** A value that is in none of the accepted forms. The message names the member and contains no value. */
export class FormError extends Error {
  override readonly name = 'FormError';
  readonly code: FormCode;
  /** Name of the wrong part, as in `pi_b[1][0]`. */
  readonly path: string;
  /** Whether a part has the wrong type, so that the caller's program rather than its data is at fault. */
  readonly isType: boolean;

  constructor(code: FormCode, path: string, expected: string, isType = false) {
    super(path === '' ? expected : `${path}: ${expected}`);
    this.code = code;
    this.path = path;
    this.isType = isType;
  }
}
