/** Why a line of an import was refused (spec/refresh.md#imports, refused-lines). */
export type LineFault =
  | 'not_json'
  | 'line_too_long'
  | 'unknown_member'
  | 'missing_member'
  | 'invalid_id_comm'
  | 'invalid_text'
  | 'invalid_time'
  | 'invalid_status'
  | 'signup_taken'
  | 'conflict'
  | 'invalid_pem'
  | 'wrong_curve'
  | 'too_many_keys';

/**
 * Refusal of a line of an import. The message names the member and what was expected, and contains no value.
 */
export class LineRefused extends Error {
  override readonly name = 'LineRefused';
  readonly code: LineFault;

  constructor(code: LineFault, message: string) {
    super(message);
    this.code = code;
  }
}
