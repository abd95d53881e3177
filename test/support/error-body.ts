/** Returns the body of a refusal (src/docs/spec/sign-in.md#error-body). */
export function errorBody(
  error: string,
  code: string,
  text: string,
  attribute: string | null = null,
): object {
  return { error, error_description: text, code, detail: text, attribute };
}
